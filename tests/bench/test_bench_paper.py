"""The paper's tables."""

import argparse
import csv
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import benchmarks.paper.accuracy as paper_accuracy
import benchmarks.paper.complexity as paper_complexity
import benchmarks.paper.stages as paper_stages
import benchmarks.water.one_step as one_step
from benchmarks.data.loaders import small_sets
from benchmarks.data.sets import DataSet, scale_columns
from benchmarks.data.splits import labels_a_class
from benchmarks.data.water import made_series, windows_of
from benchmarks.paper import water as paper_water
from benchmarks.paper.accuracy import (
    IMAGES,
    PAPER,
    SMALL,
    accuracy_tables,
    small_tables,
)
from benchmarks.paper.complexity import complexity_tables, timed_steps
from benchmarks.paper.selection import FOLDS, METHODS, OURS, Selection
from benchmarks.paper.stages import stage_tables
from benchmarks.paper.water import water_tables
from benchmarks.runner.command import main
from benchmarks.runner.runner import Runner
from lapoleaf._forest import lodog
from lapoleaf._tree import leading_tree
from lapoleaf.baselines import AGR

FEW = (OURS, "AGR", "RGSSL-MCC-style")


@pytest.fixture
def iris_only(monkeypatch):
    """Iris instead of the images."""
    iris = DataSet("iris", scale_columns(load_iris().data), load_iris().target)
    monkeypatch.setattr(paper_accuracy, "image_set", lambda *_, **__: iris)
    monkeypatch.setattr(paper_stages, "image_set", lambda *_, **__: iris)
    # And of the methods ours, a tuned one, and a slow one.
    few = {
        name: replace(getattr(paper_accuracy, name), methods=FEW) for name in ("IMAGES", "SMALL")
    }
    for name, question in few.items():
        monkeypatch.setattr(paper_accuracy, name, question)
    return iris


def selection(tmp_path, splits):
    return Selection(Runner(tmp_path / "paper-runs.csv", splits))


def arguments(tmp_path, **changes):
    known = {"data": None, "quick": True, "output": tmp_path, "rows": 100}
    return argparse.Namespace(**{**known, **changes})


def test_every_method_has_a_grid_of_the_same_size():
    sizes = {name: len(method.grid) for name, method in METHODS.items()}
    assert {name for name, size in sizes.items() if size == 1} == {OURS, "LaPOLeaF as published"}
    assert set(sizes.values()) == {1, 4}
    assert set(IMAGES.methods) == set(METHODS)
    assert set(METHODS) - set(SMALL.methods) == {"LaPOLeaF as published"}
    for method in METHODS.values():
        for params in method.grid:
            assert params.items() <= method.make(**params).get_params().items()


@pytest.mark.slow
def test_accuracy_is_that_of_the_unlabelled_rows_and_in_brackets_of_all(tmp_path, iris_only):
    selected = selection(tmp_path, splits=2)
    (table,) = accuracy_tables(selected, arguments(tmp_path))
    assert [row[0] for row in table.rows] == list(FEW)
    agr = next(row for row in table.rows if row[0] == "AGR")
    truth = iris_only.y
    params = METHODS["AGR"].grid[selected.chosen(IMAGES, iris_only, "AGR")]
    scores = []
    for split in range(2):
        given = IMAGES.draw(truth, "30 %", split)
        found = AGR(**params).fit(iris_only.X, np.where(given, truth, -1)).transduction_
        scores.append(np.mean(found[~given] == truth[~given]))
    mean, deviation = 100 * np.mean(scores), 100 * np.std(scores, ddof=1)
    everybody = (45 * 100 + 105 * mean) / 150
    assert agr[3] == f"{mean:.1f} ± {deviation:.1f} ({everybody:.1f})"
    ours = dict(zip(table.columns, table.rows[0], strict=True))
    assert ours["paper, 30 %"] == "95.4 ± 0.9"
    assert PAPER["RGSSL-MCC"]["50 %"] == (74.0, 0.8)
    assert (tmp_path / table.picture).stat().st_size > 1000
    lines = csv.DictReader(table.csv().splitlines())
    plain = {(row["method"], row["labels"]): row for row in lines}
    assert float(plain["AGR", "30 %"]["mean"]) == pytest.approx(mean)
    assert float(plain["AGR", "30 %"]["deviation"]) == pytest.approx(deviation)
    assert float(plain["AGR", "30 %"]["all rows"]) == pytest.approx(everybody)
    assert plain["RGSSL-MCC-style", "50 %"]["paper: mean"] == "74.0"
    assert plain["AGR", "30 %"]["paper: mean"] == ""
    # All is in the store: nothing is measured again.
    with (tmp_path / "paper-runs.csv").open() as lines:
        before = list(csv.DictReader(lines))
    (again,) = accuracy_tables(selection(tmp_path, 2), arguments(tmp_path))
    assert again.rows == table.rows
    with (tmp_path / "paper-runs.csv").open() as lines:
        assert list(csv.DictReader(lines)) == before
    choices = [run for run in before if run["part"] == "accuracy, choosing"]
    assert len(choices) == 2 * 4 * FOLDS


def test_small_sets(tmp_path, iris_only):
    selected = selection(tmp_path, splits=1)
    *tables, chosen = small_tables(selected, [iris_only], arguments(tmp_path))
    assert [table.name for table in tables] == ["small-2", "small-5", "small-10"]
    for table in tables:
        assert [row[0] for row in table.rows] == ["iris (150 x 4)", "mean"]
        assert min(table.rows[0][1:]) > 50.0
    assert len(chosen.rows[0]) == len(FEW)
    for method, text in zip(FEW[1:], chosen.rows[0][1:], strict=True):
        assert text.endswith(" =") == selected.is_tied(SMALL, iris_only, method)


@pytest.mark.slow
def test_results_of_other_rows_of_the_same_name_are_measured_anew(tmp_path, iris_only):
    next(small_tables(selection(tmp_path, 1), [iris_only], arguments(tmp_path)))
    noise = np.random.default_rng(0).random((150, 9))
    other = DataSet("iris", noise, iris_only.y)
    selected = selection(tmp_path, 1)
    table = next(small_tables(selected, [other], arguments(tmp_path)))
    assert table.rows[0][0] == "iris (150 x 9)"
    assert max(table.rows[0][1:]) < 60.0


def test_small_sets_are_scikit_learns_and_those_of_the_folder(tmp_path, capsys):
    (tmp_path / "classification").mkdir()
    for name in ("iris", "breast_cancer", "mine"):
        np.savez(tmp_path / "classification" / f"{name}.npz", X=np.eye(30), y=np.arange(30) % 3)
    sets = small_sets(tmp_path, quick=False, rows=100)
    assert [data.name for data in sets] == ["iris", "wine", "digits", "breast_cancer", "mine"]
    assert [len(data.X) for data in sets] == [100, 100, 100, 30, 30]
    assert "iris.npz is left out: scikit-learn's own iris" in capsys.readouterr().err


def test_complexity(tmp_path, monkeypatch):
    calls = []

    def timed(steps, n, repeats):
        calls.append((n, repeats))
        return n**2 / 1e6, n**3 / 1e9

    monkeypatch.setattr(paper_complexity, "timed_steps", timed)
    (table,) = complexity_tables(arguments(tmp_path))
    rows = {row[0]: row for row in table.rows}
    assert rows["LLGC, closed form"][1:5] == (
        "O(n²)",
        pytest.approx(2.0),
        "O(n³)",
        pytest.approx(3.0),
    )
    assert len(calls) == 3 * len(rows)
    assert (tmp_path / "paper-complexity.png").exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", paper_complexity.STEPS)
def test_the_steps_of_every_method_are_timed(name):
    graph, labels = timed_steps(paper_complexity.STEPS[name], 450, 1)
    assert graph > 0
    assert labels > 0


def test_stages(tmp_path, iris_only):
    (table,) = stage_tables(arguments(tmp_path))
    here = {row[0]: row[2] for row in table.rows}
    paper = {row[0]: row[1] for row in table.rows}
    assert paper["all but preprocessing"] == pytest.approx(4.18)
    parts = here["distance"] + here["forest"] + here["propagation"]
    assert here["all but preprocessing"] == pytest.approx(parts)
    assert min(here.values()) >= 0.0
    tree = leading_tree(iris_only.X, percent=3.0)
    n_trees = lodog(tree, alpha=0.4, cost="imagenet").n_trees
    assert f"cost='imagenet')`, {n_trees} tree" in table.note
    # Distances for the bandwidth are distances, too.
    seconds = tree.report.seconds
    assert seconds["bandwidth"] > 0
    assert paper_stages._of_distances(tree) == seconds["bandwidth"] + seconds["distances"]


def test_water(tmp_path, monkeypatch):
    monkeypatch.setattr(paper_water, "water_series", lambda _: [made_series(2400)])
    few = {name: one_step._METHODS[name] for name in one_step._DRAWN}
    monkeypatch.setattr(one_step, "_METHODS", few)
    monkeypatch.setattr(
        one_step, "windows_of", lambda *what: windows_of(*what[:3], n_train=150, n_test=10)
    )
    errors, training, milliseconds = water_tables(arguments(tmp_path))
    assert errors.columns == ("method", "pH, 5", "pH, 12", "DO, 5", "DO, 12")
    rows = {row[0]: row[1:] for row in errors.rows}
    assert rows["paper: LSSVR"] == (13.76, 13.59, 3168.9, 5827.2)
    assert all(value > 0 for value in rows["LaPOLeaF as published"])
    assert {row[0] for row in training.rows} == {row[0] for row in milliseconds.rows} == set(rows)
    assert (tmp_path / errors.picture).stat().st_size > 1000


def test_the_command_writes_a_page(tmp_path, iris_only, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["paper", "--quick", "--only", "stages", "--data", "."]) == 0
    assert "--quick measures scikit-learn's own data: --data . is not" in capsys.readouterr().err
    assert main(["paper", "--quick", "--only", "stages"]) == 0
    page = (tmp_path / "lapoleaf-paper" / "paper.md").read_text()
    assert "Methods, and the grids they choose from" in page
    assert "RGSSL-MCC-style" in page
    assert "Seconds of the stages" in page
    assert "lapoleaf-paper" in capsys.readouterr().out
    assert "<h2>Seconds of the stages" in (tmp_path / "lapoleaf-paper" / "paper.html").read_text()


@pytest.mark.slow
def test_agr_on_usps_is_as_good_as_published():
    path = Path(os.environ.get("LAPOLEAF_DATA", "nowhere")) / "classification" / "usps.npz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there: set LAPOLEAF_DATA to the folder of data sets")
    with np.load(path) as stored:
        X, truth = stored["X"] / np.abs(stored["X"]).max(), stored["y"]
    scores = []
    for split in range(3):
        given = labels_a_class(truth, 10, split)
        found = AGR(n_anchors=500).fit(X, np.where(given, truth, -1)).transduction_
        scores.append(np.mean(found[~given] == truth[~given]))
    assert np.mean(scores) > 0.865
