"""``python -m benchmarks suggest``: cases, tables, and a quick run."""

import csv
import re
import sys
from functools import partial

import numpy as np
import pytest
from models import one_tree

from benchmarks.data.forests import made_forests
from benchmarks.data.loaders import classification_sets
from benchmarks.data.sets import DataSet
from benchmarks.methods import find, ours
from benchmarks.methods.case import Case
from benchmarks.methods.queries import random_rows
from benchmarks.plots.learning_curves import write_curve_plot
from benchmarks.runner.command import main
from benchmarks.runner.runner import Scores
from benchmarks.suggest.label_errors import found_first, wrong_labels
from benchmarks.suggest.measuring import large_enough, measure
from benchmarks.suggest.parts import PARTS
from benchmarks.suggest.tables import TABLES


def read(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def iris():
    return classification_sets(None, quick=True)[0]


# ----------------------------------------------------------------------------------- cases


def test_labels_given_one_after_the_other_are_those_of_a_new_fit(iris):
    case = Case(iris)
    case.with_truth(np.arange(0, 150, 3))
    rows = np.array([10, 60, 70])
    found = case.with_truth(rows)
    y = np.full(150, -1)
    y[rows] = iris.y[rows]
    fresh = type(found)(missing_label=-1).fit(iris.X, y)
    np.testing.assert_array_equal(found.label_distributions_, fresh.label_distributions_)
    hidden = y < 0
    right = fresh.transduction_[hidden] == iris.y[hidden]
    assert case.accuracy(found) == right.mean()


def test_one_label_in_ten_is_wrong(iris):
    task, wrong = wrong_labels(iris.y, seed=3)
    assert (task.y >= 0).sum() == len(task.rows) == 60
    assert wrong.sum() == 6
    np.testing.assert_array_equal(task.y[task.rows] != iris.y[task.rows], wrong)
    np.testing.assert_array_equal(task.classes[task.codes], task.y[task.rows])


def test_what_is_found_first_by_hand():
    wrong = np.array([True, False, True, False, False])
    assert found_first(wrong, np.array([5.0, 1.0, 4.0, 3.0, 2.0])) == 1.0
    assert found_first(wrong, np.array([5.0, 6.0, 4.0, 3.0, 2.0])) == 0.5
    assert found_first(wrong, np.array([np.inf, 6.0, -np.inf, np.inf, 2.0])) == 0.5
    # Two places for five equal doubts: two in five of the wrong labels are there.
    assert found_first(wrong, np.zeros(5)) == pytest.approx(2 / 5)


def test_doubts_stand_at_their_rows(iris):
    case = Case(iris)
    task, _ = wrong_labels(iris.y, 4)
    found = case.with_labels(task.y).suspicious_labels(all=True)
    wrong = found.given != iris.y[found.ids]
    called = found.doubt > 0.5
    pairs = [a > b for a in found.doubt[wrong] for b in found.doubt[~wrong]]
    f1 = 2 * (wrong & called).sum() / (wrong.sum() + called.sum())
    by_hand = [np.mean(pairs), wrong[: wrong.sum()].mean(), f1]
    scores = PARTS["doubt"].scores(find("label errors", "suspicious_labels").make(seed=4), case, 4)
    np.testing.assert_allclose(scores[:3, 0], by_hand)
    labels, doubts, in_bins = scores[3:, 0].reshape(10, 3).T
    np.testing.assert_allclose(labels.sum(), 1.0)
    np.testing.assert_allclose(doubts.sum(), found.doubt.mean())
    np.testing.assert_allclose(in_bins.sum(), wrong.mean())
    np.testing.assert_allclose(in_bins[-1], wrong[found.doubt >= 0.9].sum() / len(wrong))
    assert 0.8 < by_hand[0] < 1


def test_sets_with_too_few_rows_are_left_out(iris, capsys):
    small = DataSet("small", iris.X[:29], np.arange(29) % 3)
    assert large_enough([iris, small], 10) == [iris]
    assert "small is left out: it has 29 rows and needs 30" in capsys.readouterr().err
    assert large_enough([iris, small], 9) == [iris, small]


def test_runs_of_random_rows_are_those_of_the_estimator(iris):
    runs = {run.key: run.score for run in measure("start", iris, [("random", 4)])}
    rows = random_rows(150, 6, 4)
    case = Case(iris)
    accuracy = case.accuracy(case.with_truth(rows))
    seen = len(set(iris.y[rows].tolist())) / 3
    for column in PARTS["start"].columns:
        assert runs["start", iris.stored_as, 150, column, 4, "random"] == accuracy
        assert runs["start-seen", iris.stored_as, 150, column, 4, "random"] == seen
    assert len(runs) == 4


# --------------------------------------------------------------------------- made forests


def test_made_forests_lead_to_near_and_denser_points():
    one, other = made_forests(500, 2)
    for forest in (one, other):
        tree = forest.tree
        led = tree.parent >= 0
        assert led.sum() == 499
        assert (tree.density[tree.parent[led]] >= tree.density[led]).all()
        # Nearly all leaders are among the ten nearest.
        assert np.mean(tree.delta[led] <= tree.scale[led]) > 0.8
        assert forest.layer.max() > 5
    assert (one.tree.parent != other.tree.parent).any()


# ---------------------------------------------------------------------------------- tables


def scores_by_hand():
    sets = tuple(DataSet(name, np.zeros((4, 1)), np.array([0, 0, 1, 1])) for name in "ab")
    values = np.array([[[0.9, 0.5], [0.8, 0.7]], [[0.7, 0.5005], [0.9, 0.6]]])
    return Scores(sets, ("K", "2K"), ("suggest", "random"), values, splits=4)


def test_tables_by_hand():
    tables = {table.name: table for table in TABLES["rounds"]({"rounds": scores_by_hand()})}
    assert list(tables) == ["rounds", "rounds-wins", "rounds-2K"]
    means = tables["rounds"]
    assert means.columns == ("method", "K", "2K")
    assert means.rows[0][1:] == pytest.approx((0.85, 0.6))
    assert means.rows[1][1:] == pytest.approx((0.8, 0.55025))
    assert "2 data sets, and over 4 draws" in means.note
    assert tables["rounds-wins"].rows == [("random", "1 / 0 / 1", "1 / 1 / 0")]
    assert tables["rounds-2K"].rows == [("a", 4, 2, 0.5, 0.5005), ("b", 4, 2, 0.7, 0.6)]


def test_doubts_have_a_column_a_measure():
    whole = scores_by_hand()
    values = [[1, 0.5, 0.5, 0.5], [0, 1, 1, 1], [0, 0, 0.25, 0.75], *[[0.0] * 4] * 30]
    # Of the first method, a fifth of the labels has a doubt of .25 in the mean, of which .3 wrong.
    values[9:12] = [[0.2, 0.2, 1, 1], [0.05, 0.05, 1, 1], [0.06, 0.06, 1, 1]]
    found = {
        name: Scores(whole.sets, ("K",), whole.methods, np.reshape(some, (2, 2, 1)), 4)
        for name, some in zip(PARTS["doubt"].measures, values, strict=True)
    }
    first, *_, last = TABLES["doubt"](found)
    assert first.rows == [("suggest", 0.75, 0.5, 0.0), ("random", 0.5, 1.0, 0.5)]
    ((name, *numbers),) = last.rows
    assert name == "0.2 to 0.3"
    np.testing.assert_allclose(numbers, [0.2, 0.25, 0.3])
    assert "Mean difference of the latter two: 0.010" in last.note


def test_no_picture_without_matplotlib(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_curve_plot(tmp_path / "curves.png", scores_by_hand())
    assert "pip install 'lapoleaf[plot]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------- the command


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    """Run the command with one tree: a hundred would take ten times as long."""
    folder = tmp_path_factory.mktemp("suggest")
    arguments = ["suggest", "--quick", "--jobs", "1", "--output", str(folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ours, "classifier", partial(one_tree, missing_label=-1))
        assert main(arguments) == 0
    return folder, arguments


@pytest.mark.slow
def test_a_quick_run_writes_tables_and_a_picture(quick_run):
    folder, _ = quick_run
    assert {path.name for path in folder.iterdir()} == {
        "suggest.html", "suggest.md", "suggest-tables.json",
        "suggest-runs.csv", "suggest-curves.png", "suggest-start.csv",
        "suggest-start-wins.csv", "suggest-start-seen.csv", "suggest-start-2K-in-one-batch.csv",
        "suggest-start-2K-in-two-batches-of-K.csv", "suggest-rounds.csv", "suggest-rounds-wins.csv",
        "suggest-rounds-5K.csv", "suggest-doubt.csv", "suggest-doubt-wins.csv",
        "suggest-doubt-20-a-class.csv", "suggest-doubt-reliability.csv", "suggest-time.csv",
    }  # fmt: skip
    assert (folder / "suggest-curves.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "suggest.html").read_text(encoding="utf-8").count("<img ") == 1
    for row in read(folder / "suggest-rounds.csv"):
        scores = [float(row[column]) for column in ("K", "2K", "3K", "4K", "5K")]
        assert 0.5 < scores[0] < scores[-1] <= 1.0
        assert scores[-1] > 0.8
    first, *_ = read(folder / "suggest-doubt.csv")
    assert first["method"] == "suspicious_labels"
    assert float(first["AUC"]) > 0.8
    assert float(first["F1"]) > 0.5
    for row in read(folder / "suggest-time.csv"):
        assert float(row["ratio"]) == pytest.approx(
            float(row["suggestions"]) / float(row["propagation"])
        )


def test_chance_has_two_draws_and_what_is_certain_one(quick_run):
    folder, _ = quick_run
    runs = read(folder / "suggest-runs.csv")
    wine = next(data for data in classification_sets(None, quick=True) if data.name == "wine")
    for name, part in PARTS.items():
        for method in part.methods.values():
            key = {
                "part": name,
                "data": wine.stored_as,
                "column": part.columns[-1],
                "method": method.name,
            }
            splits = [run["split"] for run in runs if run.items() >= key.items()]
            assert splits == (["0", "1"] if "seeded" in method.tags else ["0"])
    (shown,) = [row for row in read(folder / "suggest-rounds.csv") if row["method"] == "random"]
    key = {"part": "rounds", "column": "5K", "method": "random"}
    scores = [float(run["score"]) for run in runs if run.items() >= key.items()]
    assert float(shown["5K"]) == pytest.approx(np.mean(scores))


def test_a_second_run_measures_only_times(quick_run, capsys):
    folder, arguments = quick_run
    capsys.readouterr()
    kept = (folder / "suggest-runs.csv").read_bytes()
    assert main([*arguments, "--only", "start", "rounds", "doubt"]) == 0
    told = capsys.readouterr().err
    for name in ("start", "rounds", "doubt"):
        assert re.search(rf"{name}: (\d+) of \1 results are there already", told)
    assert (folder / "suggest-runs.csv").read_bytes() == kept


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--splits", "0"], "--splits 0 must be 1 or more"),
        (["--rows", "-5"], "--rows -5 must be 1 or more"),
        (["--jobs", "0"], "--jobs 0 must be 1 or more"),
        (["--sizes", "100", "10"], "--sizes 10 must be 11 or more"),
    ],
)
def test_arguments_that_make_no_sense_are_named(arguments, words, capsys):
    assert main(["suggest", "--quick", *arguments]) == 2
    assert words in capsys.readouterr().err
