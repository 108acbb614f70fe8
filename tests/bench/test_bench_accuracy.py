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
from benchmarks.accuracy.measuring import measure
from benchmarks.accuracy.parts import PARTS, probabilities_of
from benchmarks.accuracy.tables import part_tables
from benchmarks.data.loaders import classification_sets
from benchmarks.data.sets import DataSet
from benchmarks.data.tasks import Task
from benchmarks.methods import find
from benchmarks.runner.command import main
from benchmarks.runner.metrics import accuracy, balanced_accuracy, calibration_error, r_squared
from benchmarks.runner.runner import Scores
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
    (run,) = measure("clean", iris, "5 a class", 4, ["lapoleaf"])
    task = PARTS["clean"].task(iris, "5 a class", 4)
    found = LaPOLeaFClassifier().fit(task.X, task.y).transduction_
    assert run.key == ("clean", iris.stored_as, 150, "5 a class", 4, "lapoleaf")
    assert run.score == np.mean(found[task.hidden] == iris.y[task.hidden])
    assert run.seconds >= 0


@pytest.mark.parametrize("common", [0, 1])
def test_one_class_by_chance_warns_nobody(iris, common):
    data = DataSet("one", iris.X, np.where(np.arange(150) == 7, 1 - common, common))
    runs = measure("clean", data, "2K at random", 0, ["lapoleaf", "paper", "svc"])
    assert min(run.score for run in runs) > 0.9


# ---------------------------------------------------------------------------------- tables


def scores_by_hand():
    sets = tuple(DataSet(name, np.zeros((4, 1)), np.array([0, 0, 1, 1])) for name in "abc")
    values = np.array(
        [
            [[0.9, 0.5], [0.8, 0.5], [0.7, 0.5]],
            [[0.7, 0.5005], [0.8, 0.6], [0.9, 0.6]],
            [[0.8, 0.1], [0.7, 0.2], [0.6, 0.3]],
        ]
    )
    return Scores(sets, ("2K", "5K"), ("lapoleaf", "svc", "1-nn"), values, splits=4)


def test_tables_by_hand():
    tables = {table.name: table for table in part_tables("unbalanced", scores_by_hand())}
    assert list(tables) == [
        "unbalanced", "unbalanced-ranks", "unbalanced-wins", "unbalanced-2K", "unbalanced-5K",
    ]  # fmt: skip
    means = tables["unbalanced"]
    assert [row[0] for row in means.rows] == ["svc", "lapoleaf", "1-nn"]
    assert means.rows[1][1:] == pytest.approx((0.8, 0.5, 0.65))
    assert "3 data sets and 4 splits" in means.note
    ranks = {row[0]: row[1:] for row in tables["unbalanced-ranks"].rows}
    assert ranks["lapoleaf"] == pytest.approx(((1 + 1.5 + 2) / 3, 2, 1.75))
    assert tables["unbalanced-wins"].rows == [
        ("svc", "1 / 1 / 1", "0 / 1 / 2", "1 / 2 / 3"),
        ("1-nn", "3 / 0 / 0", "3 / 0 / 0", "6 / 0 / 0"),
    ]
    assert tables["unbalanced-2K"].rows == [
        ("a", 4, 2, 0.9, 0.8, "1-nn"),
        ("b", 4, 2, 0.8, 0.8, "svc"),
        ("c", 4, 2, 0.7, 0.9, "svc"),
    ]


def test_tables_without_ours_are_fewer():
    whole = scores_by_hand()
    others = Scores(whole.sets, whole.columns, whole.methods[1:], whole.values[1:], 4)
    names = [table.name for table in part_tables("clean", others)]
    assert names == ["clean", "clean-ranks"]


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
    for name in ("clean", "noise", "unbalanced", "regression", "parts", "calibration"):
        assert f"accuracy-{name}.csv" in names
    assert "accuracy-regression-20-percent.csv" in names
    clean = read(tmp_path / "accuracy-clean.csv")
    assert {row["method"] for row in clean} == {
        name for name, method in PARTS["clean"].methods.items() if "slow" not in method.tags
    }


def test_a_quick_run_writes_tables_and_a_picture(quick_run):
    folder, _ = quick_run
    names = {path.name for path in folder.iterdir()}
    for table in ("ranks", "wins", "2-a-class", "20K-at-random"):
        assert f"accuracy-clean-{table}.csv" in names
    assert {"accuracy.html", "accuracy.md", "accuracy-runs.csv"} <= names
    assert (folder / "accuracy-ranks.png").read_bytes().startswith(b"\x89PNG")
    clean = read(folder / "accuracy-clean.csv")
    assert {row["method"] for row in clean} == set(FEW)
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
