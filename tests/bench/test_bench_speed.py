"""``python -m benchmarks speed``, on small data; mostly without new processes, which are slow."""

import csv
import gzip
import importlib.util
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from models import few_forests
from sklearn.neighbors import NearestNeighbors

from benchmarks.data.clustered import clustered_task
from benchmarks.data.fashion import fashion_is_in, fashion_task
from benchmarks.methods import find, select
from benchmarks.methods import near_neighbours as neighbours_module
from benchmarks.methods.near_neighbours import near_neighbours
from benchmarks.plots.growth import write_growth_plot
from benchmarks.runner import fresh_process, isolated
from benchmarks.runner.command import main, make_parser
from benchmarks.runner.fresh_process import (
    DIED,
    FAILED,
    TOO_LONG,
    Outcome,
    in_fresh_process,
    peak_megabytes,
)
from benchmarks.runner.isolated import Job, Result, ratio
from benchmarks.runner.metrics import accuracy
from benchmarks.runner.timing import slope
from benchmarks.speed import first_call, sizes, work
from benchmarks.speed.clicks import time_clicks
from benchmarks.speed.full_build import product_and_exp
from benchmarks.speed.session import Session
from benchmarks.speed.work import both_builds, fitted, label_once, normalised, spread


def read(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def session(*arguments):
    return Session(make_parser().parse_args(["speed", *map(str, arguments)]))


def without(package, monkeypatch):
    """Pretend that a package is not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == package else find(name)
    )


# --------------------------------------------------------------------- processes of their own


def test_figures_come_back_from_another_process():
    found = in_fresh_process(dict, [[["seconds", 1.5], ["peak", float("nan")]]], 60)
    assert found.figures["seconds"] == 1.5
    assert np.isnan(found.figures["peak"])
    assert found.trouble == ""
    assert 0 < found.seconds < 60


@pytest.mark.parametrize(("work", "arguments"), [(time.sleep, [600]), (pow, [7, 10**9])])
def test_what_takes_too_long_is_ended(work, arguments):
    """By the clock what waits, by its processor time what computes."""
    began = time.perf_counter()
    assert in_fresh_process(work, arguments, 0.5).trouble == TOO_LONG
    assert time.perf_counter() - began < 60


@pytest.mark.skipif(os.name == "nt", reason="signals and limits of memory are others there")
@pytest.mark.parametrize(("work", "arguments"), [(bytearray, [10**14]), (os.abort, [])])
def test_what_dies_is_said_to_have_died(work, arguments):
    assert in_fresh_process(work, arguments, 60) == Outcome({}, pytest.approx(30, abs=30), DIED)


def test_an_error_is_told(capsys):
    assert in_fresh_process(float, ["no number"], 60).trouble == FAILED
    assert "could not convert string to float: 'no number'" in capsys.readouterr().err


def test_the_memory_of_a_process_is_its_own():
    held = np.ones(25_000_000)
    here = peak_megabytes()
    assert here > 180
    # A new process that only tells its peak holds little, whatever this one holds.
    there = in_fresh_process(peak_megabytes, [], 60).figures
    assert 1 < there < here - held.nbytes / 2**20


# ------------------------------------------------------------------------------ what is measured


def test_clustered_points_have_ten_classes_and_twenty_labels_each():
    task = clustered_task(2_000, 16)
    assert task.X.dtype == np.float32
    assert np.bincount(task.y[task.y >= 0]).tolist() == [20] * 10
    np.testing.assert_array_equal(task.hidden, task.y < 0)
    # Nearly all points are nearest to points of their own class.
    nearest = NearestNeighbors(n_neighbors=1).fit(task.X).kneighbors(return_distance=False)[:, 0]
    assert 0.9 < np.mean(task.truth[nearest] == task.truth) < 1.0


def made_fashion(folder):
    """Write four files as those of Fashion-MNIST, with 60 and 40 rows."""
    rng = np.random.default_rng(0)
    pixels, y = rng.integers(256, size=(100, 784), dtype=np.uint8), np.arange(100) % 10
    for part, rows in (("train", slice(60)), ("t10k", slice(60, 100))):
        images = bytes(16) + pixels[rows].tobytes()
        labels = bytes(8) + y[rows].astype(np.uint8).tobytes()
        (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    return pixels, y


def test_fashion_is_read_and_scaled(tmp_path):
    assert not fashion_is_in(tmp_path)
    pixels, y = made_fashion(tmp_path)
    assert fashion_is_in(tmp_path)
    task = fashion_task(tmp_path)
    np.testing.assert_allclose(task.X, pixels / 255, rtol=1e-6)
    np.testing.assert_array_equal(task.truth, y)
    some = fashion_task(tmp_path, 30)
    assert some.X.shape == (30, 784)
    rows = [np.flatnonzero((task.X == row).all(axis=1))[0] for row in some.X]
    np.testing.assert_array_equal(task.truth[rows], some.truth)


@pytest.mark.parametrize("faiss", [True, False])
def test_near_neighbours_are_the_nearest_others(faiss, monkeypatch):
    if faiss:
        pytest.importorskip("faiss")
    else:
        without("faiss", monkeypatch)
    X = np.random.default_rng(0).random((300, 4))
    X[7] = X[5]
    distances, neighbours = near_neighbours(X, 10)
    wanted, _ = NearestNeighbors(n_neighbors=10).fit(X).kneighbors()
    np.testing.assert_allclose(distances, wanted, atol=1e-3)
    assert (neighbours != np.arange(300)[:, None]).all()
    assert neighbours[5, 0] == 7
    np.testing.assert_allclose(
        np.linalg.norm(X[:, None] - X[neighbours], axis=2), wanted, atol=1e-3
    )


def test_many_rows_have_nearly_all_of_their_neighbours(monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setattr(neighbours_module, "_FLAT_UP_TO", 100)
    X = clustered_task(2_000, 16).X
    _, found = near_neighbours(X, 10)
    true = NearestNeighbors(n_neighbors=10).fit(X).kneighbors(return_distance=False)
    shared = [len(set(a) & set(b)) for a, b in zip(found.tolist(), true.tolist(), strict=True)]
    assert np.mean(shared) > 9


def test_other_methods_find_the_classes():
    task = clustered_task(600, 16)
    for name in ("label-spreading", "poisson-faiss"):
        assert accuracy(fitted(name, task), task) > 0.9


def test_labels_are_spread_as_by_dense_matrices():
    neighbours = np.array([[1], [2], [1], [4], [3]])
    weights = np.zeros((5, 5))
    for one, other in ((0, 1), (1, 2), (3, 4)):
        weights[one, other] = weights[other, one] = 1
    root = np.sqrt(weights.sum(axis=1))
    dense = weights / root / root[:, None]
    np.testing.assert_allclose(normalised(neighbours).toarray(), dense)
    labels = np.eye(5)[:, :2]
    end = np.linalg.solve(np.eye(5) - 0.99 * dense, 0.01 * labels)
    left = np.linalg.matrix_power(0.99 * dense, 100) @ (labels - end)
    np.testing.assert_allclose(spread(normalised(neighbours), labels), end + left)


def test_every_pair_of_tiles_is_multiplied_once(monkeypatch):
    seen = []
    monkeypatch.setattr(np, "exp", lambda product, out: seen.append(product.shape))
    product_and_exp(np.ones((1_100, 3)), threads=1)
    assert sorted(seen) == [(76, 76), (512, 76), (512, 76), (512, 512), (512, 512), (512, 512)]


@pytest.fixture
def small(monkeypatch):
    """Measure in this process, two forests instead of a hundred."""
    monkeypatch.setattr(
        isolated,
        "in_fresh_process",
        lambda work, arguments, limit: Outcome(dict(work(*arguments)), 1.0),
    )
    monkeypatch.setattr(work, "_WARM", 150)
    monkeypatch.setattr(work, "_WARM_MANY", 150)
    monkeypatch.setattr(work, "with_build", lambda build, **_: two_forests())
    method = replace(find("classes", "lapoleaf"), make=lambda n_jobs: two_forests())
    monkeypatch.setattr(
        work, "find", lambda kind, name: method if name == "lapoleaf" else find(kind, name)
    )


def two_forests(**params):
    return few_forests(n_forests=2, missing_label=-1, **params)


@pytest.mark.slow
def test_the_accuracy_is_that_of_the_method(small):
    task = clustered_task(400, 16)
    found = label_once("lapoleaf", 400, 16, None)
    assert found["accuracy"] == accuracy(two_forests().fit(task.X, task.y).transduction_, task)
    assert found["seconds"] > 0
    assert found["warm-up"] > 0
    assert found["peak"] >= found["above"] >= 0


@pytest.mark.slow
def test_nothing_is_left_to_compile_after_the_warm_up():
    """More rows than the full build is for, in a new process: this one has compiled a lot."""
    program = """if True:
        import sys
        from numba.core.registry import CPUDispatcher

        from benchmarks.speed.work import clustered_task, fitted, warm_up

        def compiled():
            return {
                (module.__name__, name, str(signature))
                for module in list(sys.modules.values())
                if module.__name__.startswith("lapoleaf.")
                for name, kernel in vars(module).items()
                if isinstance(kernel, CPUDispatcher)
                for signature in kernel.signatures
            }

        warm_up("lapoleaf", 16)
        warm = compiled()
        task = clustered_task(21_000, 16)
        fitted("lapoleaf", task)
        print(len(warm), *compiled() - warm)
    """
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=fresh_process.child_environment(),
        check=True,
        capture_output=True,
        text=True,
    )
    n_compiled, *more = done.stdout.split()
    assert int(n_compiled) > 10
    assert more == []


@pytest.mark.slow
def test_builds_are_compared_leader_by_leader(small, monkeypatch):
    models = {"full": two_forests(), "approximate": two_forests(bandwidth=2.0)}
    monkeypatch.setattr(work, "with_build", lambda build, **_: models[build])
    found = both_builds(400, 16, None)
    leaders = [model.tree_.parent for model in models.values()]
    assert found["equal"] == np.mean(leaders[0] == leaders[1])
    assert 0.1 < found["equal"] < 0.99
    task = clustered_task(400, 16)
    for build, model in models.items():
        assert found[f"{build} accuracy"] == accuracy(model.transduction_, task)


# --------------------------------------------------------------------------------- what is kept


def test_figures_to_be_divided_are_measured_together_or_not_at_all(tmp_path, monkeypatch):
    done = []

    def measured(work, arguments, limit):
        done.append(arguments[0])
        return Outcome({"seconds": float(len(done))}, 2.0)

    monkeypatch.setattr(isolated, "in_fresh_process", measured)
    jobs = [Job("fashion", "made", 9, name, dict, (name,)) for name in "ab"]
    first = session("--output", tmp_path)
    assert first.alone(jobs[0]).figures == {"seconds": 1.0}
    # One of the two is known: both are measured.
    measured = session("--output", tmp_path).runner.isolated(*jobs)
    assert [found.figures for found in measured] == [{"seconds": 2.0}, {"seconds": 3.0}]
    known = session("--output", tmp_path).runner.isolated(*jobs)
    assert [found.figures["seconds"] for found in known] == [2.0, 3.0]
    assert done == ["a", "a", "b"]
    # The last line of a run is lost: it was interrupted.
    path = tmp_path / "speed-runs.csv"
    path.write_text(path.read_text().rsplit("fashion", 1)[0])
    session("--output", tmp_path).runner.isolated(*jobs)
    assert done == ["a", "a", "b", "a", "b"]


def test_trouble_is_shown_and_tried_again(tmp_path, monkeypatch):
    outcomes = [Outcome({}, 1.0, TOO_LONG), Outcome({"seconds": 4.0, "accuracy": np.nan}, 1.0)]
    monkeypatch.setattr(isolated, "in_fresh_process", lambda *_: outcomes.pop(0))
    job = Job("sizes", "made", 9, "a", dict, ())
    first, second = (session("--output", tmp_path).alone(job) for _ in range(2))
    assert first.get("seconds") == TOO_LONG
    assert second.get("seconds") == 4.0
    assert second.get("accuracy") is None
    assert ratio(first, second, "seconds") is None
    assert ratio(Result({"seconds": 6.0}, ""), second, "seconds") == 1.5


def test_a_method_that_died_is_not_asked_about_more_points(monkeypatch):
    asked = []

    def measured(work, arguments, limit):
        method, n, *_ = arguments
        asked.append((method, n))
        if method == "pydpc" and n > 100:
            return Outcome({}, 1.0, DIED)
        return Outcome({"seconds": n**1.5, "above": 2.0 * n, "accuracy": 0.5}, 1.0)

    monkeypatch.setattr(isolated, "in_fresh_process", measured)
    monkeypatch.setattr(sizes, "_methods", lambda: list(select("classes", "speed")))
    bench = session("--sizes", 400, 100, 200)
    tables = {table.name: table for table in sizes.size_tables(bench)}
    assert [n for method, n in asked if method == "pydpc"] == [100, 200]
    seconds = tables["sizes-seconds"]
    assert seconds.columns == ("points", "lapoleaf", "label-spreading", "poisson-faiss", "pydpc")
    assert [row[0] for row in seconds.rows] == [100, 200, 400]
    assert [row[-1] for row in seconds.rows] == [1000.0, DIED, None]
    assert tables["sizes-megabytes"].rows[2][1] == 800.0
    growth = tables["sizes-growth"].rows
    assert [row[0] for row in growth] == ["lapoleaf", "label-spreading", "poisson-faiss"]
    assert growth[0][1:3] == (100, 400)
    assert growth[0][3] == pytest.approx(1.5)
    assert bench.growth["pydpc"] == [(100, 1000.0)]


def test_ten_million_points_have_fewer_columns_and_no_part_in_the_slope(monkeypatch):
    asked = []

    def measured(work, arguments, limit):
        asked.append(arguments[1:3])
        names = ("seconds", "accuracy", "peak", "above", "warm-up")
        return Outcome(dict.fromkeys(names, float(arguments[1])), 1.0)

    monkeypatch.setattr(isolated, "in_fresh_process", measured)
    million, growth = sizes.million_tables(session("--sizes", 100, 1_000, 10_000_000))
    assert asked == [(100, 16), (1_000, 16), (10_000_000, 8)]
    assert [row[1] for row in million.rows] == [16, 16, 8]
    assert growth.rows == [("lapoleaf", 100, 1_000, pytest.approx(1.0))]


# --------------------------------------------------------------------------------- the picture


def test_slopes_and_their_picture(tmp_path):
    assert slope([(10, 2.0), (1_000, 200.0), (100, 20.0)]) == pytest.approx(1.0)
    assert np.isnan(slope([(10, 2.0)]))
    lines = {"lapoleaf": [(10, 1.0), (100, 10.0)], "other": [(10, 1.0), (100, 100.0)], "one": []}
    write_growth_plot(tmp_path / "growth.png", lines)
    assert (tmp_path / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_no_picture_where_there_is_nothing_to_draw_or_to_draw_with(tmp_path, capsys, monkeypatch):
    write_growth_plot(tmp_path / "growth.png", {"lapoleaf": [(10, 1.0)]})
    assert "it needs two sizes" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_growth_plot(tmp_path / "growth.png", {"lapoleaf": [(10, 1.0), (20, 2.0)]})
    assert "pip install 'lapoleaf[plot]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --------------------------------------------------------------------------------- the command


@pytest.mark.slow
def test_a_quick_run_writes_tables_and_a_picture(tmp_path, small, monkeypatch):
    output, fashion = tmp_path / "out", tmp_path / "fashion"
    fashion.mkdir()
    made_fashion(fashion)
    monkeypatch.setattr(first_call, "_PROGRAM", "print(0.25, 0.5, 1.0, 2.0)")
    without("pydpc", monkeypatch)
    arguments = ["speed", "--quick", "--fashion", str(fashion), "--output", str(output)]
    assert main(arguments) == 0
    assert {path.name for path in output.iterdir()} == {
        "speed.html", "speed.md", "speed-tables.json",
        "speed-runs.csv", "speed-fashion.csv", "speed-million-growth.png", "speed-sizes-growth.png",
        "speed-full.csv",
        "speed-million.csv", "speed-million-growth.csv", "speed-again.csv", "speed-approximate.csv",
        "speed-sizes-seconds.csv", "speed-sizes-megabytes.csv", "speed-sizes-accuracy.csv",
        "speed-sizes-growth.csv", "speed-clicks.csv", "speed-sparse.csv", "speed-first.csv",
    }  # fmt: skip
    assert (output / "speed.html").read_text(encoding="utf-8").count("<img ") == 2
    one, other = read(output / "speed-fashion.csv")
    assert float(other["times ours"]) == float(other["seconds"]) / float(one["seconds"])
    again = read(output / "speed-again.csv")
    for row in again:
        times = float(again[-1]["seconds"]) / float(row["seconds"])
        assert float(row["label spreading / this"]) == pytest.approx(times)
    for row in read(output / "speed-full.csv"):
        times = float(row["full build, s"]) / float(row["product and exp, s"])
        assert float(row["ratio"]) == pytest.approx(times)
    for row in read(output / "speed-approximate.csv"):
        assert float(row["equal leaders"]) == 1.0
        assert row["full accuracy"] == row["approximate accuracy"]
    for row in read(output / "speed-first.csv"):
        assert [row[name] for name in ("import lapoleaf", "fit")] == ["0.25", "1.0"]
    assert [row["points"] for row in read(output / "speed-million.csv")] == ["300", "600"]
    # Nothing but the first call is measured again.
    kept = (output / "speed-runs.csv").read_bytes()
    assert main(arguments) == 0
    assert (output / "speed-runs.csv").read_bytes() == kept


def test_parts_without_their_data_are_left_out(tmp_path, capsys):
    arguments = ["--only", "fashion", "--fashion", str(tmp_path)]
    assert main(["speed", "--quick", *arguments]) == 0
    told = capsys.readouterr()
    assert f"There is no Fashion-MNIST in {tmp_path} (--fashion)" in told.err
    assert "###" not in told.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sizes", "1000", "10"], "--sizes 10 must be 100 or more"),
        (["--limit", "0"], "--limit 0 must be more than 0 seconds"),
        (["--limit", "nan"], "--limit nan must be more than 0 seconds"),
    ],
)
def test_arguments_that_make_no_sense_are_named(arguments, words, capsys):
    assert main(["speed", "--quick", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_clicks_are_timed_beside_a_fit_and_label_spreading(monkeypatch):
    monkeypatch.setattr("benchmarks.speed.clicks.warm_up", lambda *_: None)
    monkeypatch.setattr("benchmarks.speed.clicks._REPEATS", 1)
    found = time_clicks("26 classes", 600, 4)
    assert found.keys() == {
        "click", "choosing", "suggest", "explain", "predict", "neighbours", "fit",
        "fit without experts", "spreading",
    }  # fmt: skip
    assert min(found.values()) > 0


@pytest.mark.slow
def test_what_is_not_timed_with_many_rows_has_no_figure_and_no_ratio(monkeypatch):
    monkeypatch.setattr("benchmarks.speed.clicks.warm_up", lambda *_: None)
    monkeypatch.setattr("benchmarks.speed.clicks._REPEATS", 1)
    monkeypatch.setattr("benchmarks.speed.clicks._MOST_FOR_OTHERS", 100)
    result = Result(time_clicks("26 classes", 600, 4), "")
    assert result.get("spreading") is result.get("choosing") is None
    assert ratio(result, result, "spreading", "click") is None
    assert ratio(result, result, "fit", "click") > 1
