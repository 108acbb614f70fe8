"""``python -m benchmarks accuracy``: tasks, judgements, and a quick run from end to end."""

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

from benchmarks.accuracy import PARTS as PART_NAMES
from benchmarks.accuracy.draws import Draws
from benchmarks.accuracy.measuring import is_in_time, measure
from benchmarks.accuracy.parts import PARTS, probabilities_of
from benchmarks.accuracy.tables import part_tables
from benchmarks.data.loaders import classification_sets
from benchmarks.data.sets import DataSet
from benchmarks.data.tasks import Task
from benchmarks.methods import find
from benchmarks.runner.command import main
from benchmarks.runner.metrics import accuracy, balanced_accuracy, calibration_error, r_squared
from lapoleaf import LaPOLeaFClassifier

COLUMNS = ("2 a class", "5 a class", "20 a class", "2K at random", "5K at random", "20K at random")


def read(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def task_of(truth, hidden):
    truth, hidden = np.array(truth), np.array(hidden, dtype=bool)
    return Task(np.zeros((len(truth), 1)), np.where(hidden, -1, truth), truth, hidden)


@pytest.fixture(scope="module")
def iris():
    return classification_sets(None, quick=True)[0]


# ----------------------------------------------------------------------------------- tasks


@pytest.mark.parametrize("column", COLUMNS)
def test_wrong_labels_are_on_the_rows_of_the_clean_task(iris, column):
    clean, noisy = (PARTS[name].task(iris, column, 3) for name in ("clean", "noise"))
    given = ~clean.hidden
    np.testing.assert_array_equal(clean.y, np.where(given, iris.y, -1))
    np.testing.assert_array_equal(clean.hidden, noisy.hidden)
    assert (noisy.y != clean.y).sum() == round(0.2 * given.sum())


def test_an_unbalanced_task_has_a_label_of_every_class(iris):
    for column, n_labels in (("2K", 6), ("5K", 15), ("20K", 35)):
        task = PARTS["unbalanced"].task(iris, column, 0)
        assert sorted(np.bincount(task.truth)) == [5, 16, 50]
        assert (~task.hidden).sum() == n_labels
        assert set(task.y) == {-1, 0, 1, 2}


@pytest.mark.parametrize("labels", COLUMNS)
def test_classes_are_made_equal_or_unequal(labels):
    data = DataSet("some", np.zeros((300, 2)), np.repeat([5, 6, 7], [150, 100, 50]))
    equal = PARTS["shares"].task(data, f"equal, {labels}", 1)
    assert np.bincount(equal.truth).tolist() == [50, 50, 50]
    unequal = PARTS["shares"].task(data, f"unequal, {labels}", 1)
    counts = np.bincount(unequal.truth)
    assert counts.min() < 0.35 * counts.max()
    if "a class" in labels:
        rate = int(labels.split()[0])
        given = np.bincount(unequal.truth[~unequal.hidden])
        assert given.tolist() == [min(rate, count // 2) for count in counts]


def test_shares_of_labels_and_of_targets():
    data = DataSet("some", np.zeros((100, 2)), np.arange(100) % 4 + 7)
    for column, n_labels in (("10 %", 10), ("30 %", 30), ("50 %", 50)):
        assert (~PARTS["images"].task(data, column, 0).hidden).sum() == n_labels
    task = PARTS["images"].task(data, "30 %", 0)
    np.testing.assert_array_equal(task.truth, data.y - 7)
    counts = []
    for column in PARTS["regression"].columns:
        task = PARTS["regression"].task(data, column, 0)
        np.testing.assert_array_equal(np.isnan(task.y), task.hidden)
        np.testing.assert_array_equal(task.y[~task.hidden], data.y[~task.hidden])
        counts.append((~task.hidden).sum())
    assert counts == [5, 5, 20]


# ------------------------------------------------------------------------------ judgements


def test_accuracies_by_hand():
    task = task_of([0, 0, 0, 0, 1, 1, 2], [1, 1, 1, 1, 1, 0, 0])
    answer = np.array([0, 0, 0, 1, 1, 0, 0])
    assert accuracy(answer, task) == 4 / 5
    assert balanced_accuracy(answer, task) == (3 / 4 + 1) / 2


def test_r_squared_by_hand():
    task = task_of([1.0, 3.0, 50.0], [1, 1, 0])
    assert r_squared(np.array([1.0, 2.0, 0.0]), task) == 1 - 1 / 2


def test_calibration_error_by_hand():
    task = task_of([0, 0, 1, 1, 0], [1, 1, 1, 1, 0])
    # Two rows at 0.9, one right; two at 0.6, both right; the last one is not judged.
    answer = np.array([[0.9, 0.1], [0.1, 0.9], [0.4, 0.6], [0.4, 0.6], [0.0, 1.0]])
    assert calibration_error(answer, task) == pytest.approx((0.4 + 0.4) / 2)
    sure = np.eye(2)[task.truth]
    assert calibration_error(sure, task) == 0.0
    assert calibration_error(1 - sure, task) == 1.0


def test_probabilities_stand_at_their_classes(iris):
    y = np.where(np.arange(150) % 20 == 0, iris.y * 2, -1)
    found = probabilities_of(find("classes", "lapoleaf").make().fit(iris.X, y), y)
    assert found.shape == (150, 5)
    assert not found[:, [1, 3]].any()
    np.testing.assert_array_equal(
        found[:, ::2], LaPOLeaFClassifier().fit(iris.X, y).label_distributions_
    )


def test_runs_are_those_of_the_estimator(iris):
    run, calibration = measure("clean", iris, "5 a class", 4, [("lapoleaf", 0)])
    task = PARTS["clean"].task(iris, "5 a class", 4)
    found = LaPOLeaFClassifier().fit(task.X, task.y).transduction_
    assert run.key == ("clean", iris.stored_as, 150, "5 a class", 4, "lapoleaf")
    assert run.score == np.mean(found[task.hidden] == iris.y[task.hidden])
    assert run.seconds >= 0
    assert calibration.part == "calibration"
    answer = probabilities_of(LaPOLeaFClassifier().fit(task.X, task.y), task.y)
    assert calibration.score == pytest.approx(calibration_error(answer, task))


def test_a_seed_of_ours_is_another_random_state(iris):
    run, _ = measure("clean", iris, "2 a class", 1, [("lapoleaf", 3)])
    task = PARTS["clean"].task(iris, "2 a class", 1)
    found = LaPOLeaFClassifier(random_state=3).fit(task.X, task.y).transduction_
    assert run.method == "lapoleaf, random_state=3"
    assert run.score == np.mean(found[task.hidden] == iris.y[task.hidden])


def test_baselines_get_standardised_columns_of_tables(iris):
    data = DataSet("unscaled", iris.X * [1.0, 1.0, 1e-6, 1e-6], iris.y)
    (scaled,) = measure("tables", data, "5 a class", 0, [("1-nn", 0)])
    (unscaled,) = measure("clean", data, "5 a class", 0, [("1-nn", 0)])
    task = PARTS["tables"].task(data, "5 a class", 0)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    found = find("classes", "1-nn").make().fit(X, task.y).transduction_
    assert scaled.score == np.mean(found[task.hidden] == iris.y[task.hidden])
    assert scaled.score > unscaled.score


def test_slow_methods_are_left_out_of_large_data_sets():
    small, large = (DataSet("", np.zeros((1000, d)), np.zeros(1000)) for d in (150, 151))
    for name, expected in (("boosting", False), ("self-training", False), ("svc", True)):
        method = find("classes", name)
        assert is_in_time(method, small)
        assert is_in_time(method, large) == expected


@pytest.mark.parametrize("common", [0, 1])
def test_one_class_by_chance_warns_nobody(iris, common):
    data = DataSet("one", iris.X, np.where(np.arange(150) == 7, 1 - common, common))
    runs = measure(
        "clean", data, "2K at random", 0, [(name, 0) for name in ("lapoleaf", "paper", "svc")]
    )
    assert min(run.score for run in runs if run.part == "clean") > 0.9


# ---------------------------------------------------------------------------------- tables


def draws_by_hand():
    """Three methods on three data sets, two columns, two draws whose means are round numbers."""
    sets = tuple(DataSet(name, np.zeros((4, 1)), np.array([0, 0, 1, 1])) for name in "abc")
    values = np.array(
        [
            [[0.9, 0.5], [0.8, 0.5], [0.7, 0.5]],
            [[0.7, 0.5005], [0.8, 0.6], [0.9, 0.6]],
            [[0.8, 0.1], [0.7, 0.2], [0.6, 0.3]],
        ]
    )
    draws = np.stack([values, values], axis=3)
    draws[0, 0, 0] += [0.1, -0.1]
    return Draws(sets, ("2K", "5K"), ("lapoleaf", "svc", "1-nn"), draws)


def tables_of(name, *about):
    return {table.name: table for table in part_tables(name, *about)}


def test_tables_by_hand():
    tables = tables_of("clean", draws_by_hand())
    assert list(tables) == [
        "clean", "clean-ranks", "clean-wins", "clean-paired", "clean-regrets",
    ]  # fmt: skip
    means = tables["clean"]
    assert [row[0] for row in means.rows] == ["clairvoyant", "svc", "lapoleaf", "1-nn"]
    assert means.rows[2][1:] == pytest.approx((0.8, 0.5, 0.65))
    assert means.rows[0][1:] == pytest.approx((2.5 / 3, 1.7005 / 3, 0.70008), abs=1e-4)
    assert "3 data sets and 2 splits" in means.note
    ranks = {row[0]: row[1:] for row in tables["clean-ranks"].rows}
    assert ranks["lapoleaf"] == pytest.approx(((1 + 1.5 + 2) / 3, 2, 1.75))
    assert tables["clean-wins"].rows == [
        ("svc", "1 / 1 / 1", "0 / 1 / 2", "1 / 2 / 3"),
        ("1-nn", "3 / 0 / 0", "3 / 0 / 0", "6 / 0 / 0"),
    ]


def test_paired_differences_by_hand():
    table = tables_of("clean", draws_by_hand())["clean-paired"]
    assert [row[0] for row in table.rows] == ["clairvoyant", "svc", "1-nn"]
    best, svc, _ = table.plain_rows
    # By data set 20, 0 and -20 points; the draws of the first 30 and 10.
    assert svc[1:5] == pytest.approx((3, 0.0, 0.2 / np.sqrt(3), 0.1 / 3))
    assert table.rows[1][2] == "+0.00 ± 11.55 / 3.33"
    assert best[2] == pytest.approx((0.1 + 0.0 - 0.2) / 3)


def test_regrets_by_hand():
    table = tables_of("clean", draws_by_hand())["clean-regrets"]
    assert [row[0] for row in table.rows] == ["c", "b", "a"]
    assert table.rows[0][4:] == pytest.approx((-20.0, -10.0, -15.0, 0.0, "svc"))
    assert table.rows[2][4:8] == pytest.approx((10.0, -0.05, 4.975, 5.0))


def test_a_method_that_is_not_everywhere_is_in_the_paired_table_only():
    whole = draws_by_hand()
    whole.values[2, 1] = np.nan
    tables = tables_of("clean", whole)
    assert "1-nn" not in [row[0] for row in tables["clean"].rows]
    counts = {row[0]: row[1] for row in tables["clean-paired"].rows}
    assert counts == {"svc": 3, "clairvoyant": 3, "1-nn": 2}


def test_variants_of_ours_are_no_baselines():
    whole = draws_by_hand()
    methods = ("lapoleaf", "no ridge", "one forest")
    table = tables_of("parts", Draws(whole.sets, whole.columns, methods, whole.values))["parts"]
    assert sorted(row[0] for row in table.rows) == sorted(methods)


def test_an_earlier_run_is_compared_draw_by_draw():
    whole = draws_by_hand()
    earlier = whole.of("lapoleaf") - [[[0.01, 0.03]], [[0.0, 0.0]], [[-0.05, -0.05]]]
    tables = tables_of("calibration", whole, earlier)
    first = tables["calibration-against"].rows[0]
    assert first[:4] == ("2K", pytest.approx(81.0), pytest.approx(80.0), pytest.approx(-1.0))
    over_sets = np.std([2.0, 0.0, -5.0], ddof=1) / np.sqrt(3)
    assert first[4:] == (pytest.approx(over_sets), pytest.approx(1.0 / 3), "1 / 1 / 1")
    assert [row[0] for row in tables["calibration-against-sets"].rows] == ["c", "b", "a"]


def test_tables_without_ours_or_with_one_draw_are_fewer():
    whole = draws_by_hand()
    names = list(tables_of("clean", whole.baselines()))
    assert names == ["clean", "clean-ranks"]
    once = Draws(whole.sets, whole.columns, whole.methods, whole.values[..., :1])
    assert "clean-regrets" not in tables_of("clean", once)


# ----------------------------------------------------------------------------- the command


QUICK = ["accuracy", "--quick", "--jobs", "1"]
FEW = ["lapoleaf", "1-nn", "svc"]


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("accuracy")
    arguments = [*QUICK, "--only", "clean", "--methods", *FEW, "--output", str(folder)]
    assert main(arguments) == 0
    return folder, arguments


@pytest.mark.slow
def test_every_part_and_method_of_a_quick_run(tmp_path):
    assert main([*QUICK, "--output", str(tmp_path)]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    # Those that need a folder of data are left out.
    for name in set(PART_NAMES) - {"images", "texts", "tables-regression"}:
        assert f"accuracy-{name}.csv" in names
    assert "accuracy-regression-20-percent.csv" in names
    clean = read(tmp_path / "accuracy-clean.csv")
    quick = {name for name, method in PARTS["clean"].methods.items() if "slow" not in method.tags}
    assert {row["method"] for row in clean} == {*quick, "clairvoyant"}


def test_a_quick_run_writes_tables_and_a_picture(quick_run):
    folder, _ = quick_run
    names = {path.name for path in folder.iterdir()}
    for table in ("ranks", "wins", "paired", "regrets"):
        assert f"accuracy-clean-{table}.csv" in names
    assert {"accuracy.html", "accuracy.md", "accuracy-runs.csv"} <= names
    assert (folder / "accuracy-clean-ranks.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "accuracy.html").read_text(encoding="utf-8").count("<img ") == 1
    clean = read(folder / "accuracy-clean.csv")
    assert {row["method"] for row in clean} == {*FEW, "clairvoyant"}
    for row in clean:
        assert 0.7 < float(row["5 a class"]) <= 1.0
    (row,) = [row for row in clean if row["method"] == "lapoleaf"]
    key = {"part": "clean", "column": "2 a class", "method": "lapoleaf"}
    runs = [run for run in read(folder / "accuracy-runs.csv") if run.items() >= key.items()]
    ours = [float(run["score"]) for run in runs]
    assert len(ours) == 2 * 2
    assert float(row["2 a class"]) == pytest.approx(np.mean(ours))


def test_a_second_run_measures_nothing(quick_run, capsys):
    folder, arguments = quick_run
    capsys.readouterr()
    kept = (folder / "accuracy-runs.csv").read_bytes()
    table = (folder / "accuracy-clean.csv").read_bytes()
    assert main(arguments) == 0
    told = capsys.readouterr().err
    for name in PART_NAMES:
        assert (f"{name}: " in told) == (name == "clean")
    assert re.search(r"clean: (\d+) of \1 results are there already", told)
    assert (folder / "accuracy-runs.csv").read_bytes() == kept
    assert (folder / "accuracy-clean.csv").read_bytes() == table


def test_methods_are_added_to_what_is_there(tmp_path, capsys):
    arguments = [*QUICK, "--output", str(tmp_path), "--only", "clean", "--methods"]
    assert main([*arguments, "1-nn"]) == 0
    assert "No picture of ranks" in capsys.readouterr().err
    assert main([*arguments, "svc"]) == 0
    shown = [row["method"] for row in read(tmp_path / "accuracy-clean.csv")]
    assert sorted(shown) == ["1-nn", "svc"]
    assert "are there already" not in capsys.readouterr().err


def test_a_method_that_is_not_complete_is_not_shown(tmp_path, capsys):
    arguments = [*QUICK, "--output", str(tmp_path), "--only", "clean", "--methods"]
    assert main([*arguments, "1-nn", "svc"]) == 0
    path = tmp_path / "accuracy-runs.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if ",1,svc," not in line), encoding="utf-8")
    assert main([*arguments, "1-nn"]) == 0
    assert "svc is not shown, 12 of 24 are there" in capsys.readouterr().err
    assert [row["method"] for row in read(tmp_path / "accuracy-clean.csv")] == ["1-nn"]


@pytest.mark.slow
def test_seeds_are_averaged_and_an_earlier_run_is_compared(quick_run, tmp_path, capsys):
    folder, arguments = quick_run
    again = [*arguments[: arguments.index("--methods")], "--methods", *FEW, "--seeds", "2"]
    again += ["--splits", "1", "--against", str(folder / "accuracy-runs.csv")]
    assert main([*again, "--output", str(tmp_path)]) == 0
    assert "clean: 24 of 48 results are there already" in capsys.readouterr().err
    runs = read(tmp_path / "accuracy-runs.csv")
    found = [
        float(run["score"])
        for run in runs
        if (run["part"], run["column"]) == ("clean", "2 a class") and "lapoleaf" in run["method"]
    ]
    assert len(found) == 2 * 2
    rows = {row["method"]: row for row in read(tmp_path / "accuracy-clean.csv")}
    assert set(rows) == set(FEW)
    assert float(rows["lapoleaf"]["2 a class"]) == pytest.approx(np.mean(found))
    first = read(tmp_path / "accuracy-clean-against.csv")[0]
    assert float(first["now"]) == pytest.approx(100 * np.mean(found))
    key = {"part": "clean", "column": "2 a class", "method": "lapoleaf", "split": "0"}
    then = [run for run in read(folder / "accuracy-runs.csv") if run.items() >= key.items()]
    assert float(first["then"]) == pytest.approx(100 * np.mean([float(r["score"]) for r in then]))


def test_a_run_is_not_compared_with_itself(quick_run, capsys):
    folder, arguments = quick_run
    assert main([*arguments, "--against", str(folder / "accuracy-runs.csv")]) == 2
    assert "is the file of this run: name another --output" in capsys.readouterr().err


@pytest.mark.slow
def test_two_processes_find_the_same(tmp_path):
    scores = []
    for jobs in ("1", "2"):
        folder = tmp_path / jobs
        arguments = ["--quick", "--only", "clean", "noise", "--methods", "1-nn", "lapoleaf"]
        assert main(["accuracy", *arguments, "--jobs", jobs, "--output", str(folder)]) == 0
        runs = read(folder / "accuracy-runs.csv")
        scores.append([{**run, "seconds": ""} for run in runs])
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--methods", "guess"], "'guess' is not a method; there are 1-nn"),
        (["--splits", "0"], "--splits 0 must be 1 or more"),
        (["--rows", "-5"], "--rows -5 must be 1 or more"),
        (["--jobs", "0"], "--jobs 0 must be 1 or more"),
        (["--seeds", "0"], "--seeds 0 must be 1 or more"),
        (["--against", "nowhere.csv"], "--against nowhere.csv is not a file of runs"),
    ],
)
def test_arguments_that_make_no_sense_are_named(arguments, words, capsys):
    assert main(["accuracy", "--quick", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for another process there")
def test_ctrl_c_keeps_what_is_measured_and_no_traceback(tmp_path):
    program = [sys.executable, "-m", "benchmarks", "accuracy", "--only", "clean"]
    process = subprocess.Popen(
        [*program, "--methods", "extra-trees", "--output", str(tmp_path)],
        cwd=Path(__file__).parents[2],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    path = tmp_path / "accuracy-runs.csv"
    while process.poll() is None and not (path.exists() and len(read(path)) > 5):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.strip().endswith("benchmarks: interrupted")
    assert "Traceback" not in told
    assert 5 < len(read(path)) < 4 * 6 * 10
