"""``python -m benchmarks solver``, on small data and for real."""

import csv
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from models import one_tree
from sklearn.datasets import load_iris
from sklearn.preprocessing import minmax_scale

from benchmarks.data.forests import random_forest
from benchmarks.data.sets import DataSet
from benchmarks.data.splits import labels_a_class, share_at_random
from benchmarks.runner.command import main
from benchmarks.solver.accuracy import SOLVERS, accuracies, candidate_trees
from benchmarks.solver.coverage import coverage, drawn_from_model
from lapoleaf import LaPOLeaFClassifier, LeadingForestRegressor
from lapoleaf._progress import Progress

FILES = {
    "solver.html", "solver.md", "solver-tables.json",
    "solver-accuracy-2.csv", "solver-accuracy-5.csv", "solver-accuracy-gain.csv",
    "solver-time.csv", "solver-growth.csv", "solver-coverage-drawn.csv", "solver-coverage-real.csv",
}  # fmt: skip


def read(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.slow
def test_a_quick_run_writes_and_prints_every_table(tmp_path, capsys):
    assert main(["solver", "--quick", "--output", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == FILES
    for line in (tmp_path / "solver.md").read_text(encoding="utf-8").splitlines():
        assert line in printed or line.startswith(("## ", "`python -m"))
    accuracy = read(tmp_path / "solver-accuracy-5.csv")
    assert [row["data set"] for row in accuracy] == ["iris", "wine", "mean"]
    for solver in SOLVERS:
        scores = [float(row[solver]) for row in accuracy]
        assert 0.75 < min(scores)
        assert max(scores) <= 1.0
        np.testing.assert_allclose(scores[2], np.mean(scores[:2]))
    times = read(tmp_path / "solver-time.csv")
    assert len(times) == 2 * 2 * 2
    assert all(float(row["exact"]) > 0 for row in times)
    for name in ("drawn", "real"):
        for row in read(tmp_path / f"solver-coverage-{name}.csv"):
            shares = [float(row[level]) for level in ("50%", "80%", "90%", "95%")]
            assert shares == sorted(shares)
            assert abs(shares[1] - 0.8) < 0.15


def test_the_accuracies_are_those_of_the_estimators():
    X, y = load_iris(return_X_y=True)
    X = minmax_scale(X)
    given = labels_a_class(y, 5, seed=3)
    found = accuracies(y, given, candidate_trees(DataSet("iris", X, y)))
    auto = dict.fromkeys(("percent", "weights", "alpha", "coupling", "mu"), "auto")
    models = [
        LaPOLeaFClassifier.as_published(),
        one_tree(weights="inverse"),
        one_tree(weights="self-tuned"),
        one_tree(**auto),
    ]
    for accuracy, model in zip(found, models, strict=True):
        labels = model.fit(X, np.where(given, y, -1)).transduction_
        assert accuracy == np.mean(labels[~given] == y[~given])


@pytest.mark.filterwarnings("error")
def test_targets_that_hardly_predict_each_other_are_measured_without_a_warning():
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(80, 3)), rng.normal(size=80)
    data = DataSet("sums of columns", X, X.sum(axis=1))
    given = share_at_random(80, 0.3, 0)
    model = LeadingForestRegressor(percent="auto")
    with pytest.warns(UserWarning, match="hardly predict each other"):
        model.fit(data.X, np.where(given, y, np.nan))
    found = coverage(data, lambda *_: y, 0.3, 1, Progress("coverage", 1, 0), percent="auto")
    assert 0 <= found[0] <= 1


@pytest.mark.slow
def test_only_one_part(tmp_path):
    assert main(["solver", "--quick", "--only", "coverage", "--output", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        "solver.html", "solver.md", "solver-tables.json",
        "solver-coverage-drawn.csv", "solver-coverage-real.csv",
    }  # fmt: skip


def test_a_file_is_no_folder(tmp_path, capsys):
    path = tmp_path / "taken"
    path.write_text("mine", encoding="utf-8")
    assert main(["solver", "--quick", "--output", str(path)]) == 2
    told = capsys.readouterr().err
    assert "is a file: name a folder" in told
    assert "Traceback" not in told
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("arguments", [[], ["nothing"]])
def test_a_benchmark_must_be_named(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "BENCHMARK" in capsys.readouterr().err or "invalid choice" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for another process there")
def test_ctrl_c_leaves_what_is_finished_and_no_traceback(tmp_path):
    program = [sys.executable, "-m", "benchmarks", "solver", "--quick"]
    process = subprocess.Popen(
        [*program, "--output", str(tmp_path)],
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    finished = tmp_path / "solver-accuracy-gain.csv"
    while not finished.exists() and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.strip().endswith("benchmarks: interrupted")
    assert "Traceback" not in told
    assert [row["labels a class"] for row in read(finished)] == ["2", "5"]
    assert not (tmp_path / "solver-coverage-real.csv").exists()


def test_drawn_targets_have_the_steps_and_the_noise_of_the_model():
    tree = random_forest(20_000).tree
    rng = np.random.default_rng(0)
    field = drawn_from_model(np.inf)(tree, rng)
    led = tree.parent >= 0
    mean = tree.delta[led].mean()
    steps = (field - field[tree.parent])[led] * np.sqrt(mean / tree.delta[led])
    np.testing.assert_allclose([steps.mean(), steps.std()], [0, 1], atol=0.03)
    noise = drawn_from_model(2.0)(tree, np.random.default_rng(0)) - field
    np.testing.assert_allclose([noise.mean(), noise.std()], [0, 0.5], atol=0.02)


def test_random_forests_are_forests_of_the_size_asked_for():
    forest = random_forest(5000)
    assert forest.tree.n_nodes == 5000
    assert 90 <= forest.n_trees <= 101
    assert forest.layer.max() < 100


def test_help_names_the_benchmarks_and_their_options(capsys):
    for arguments, words in [
        (["--help"], ["solver", "three stages"]),
        (["solver", "--help"], ["--data DIR", "--output FOLDER", "--quick", "--only"]),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 0
        told = re.sub(r"\s+", " ", capsys.readouterr().out)
        for word in words:
            assert word in told
