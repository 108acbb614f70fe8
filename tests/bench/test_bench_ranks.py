"""Ranks, critical differences, and their picture."""

import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.data.sets import DataSet
from benchmarks.plots.ranks import write_rank_plot
from benchmarks.runner.ranks import critical_difference, groups_alike, ranks
from benchmarks.runner.runner import Scores


# Demšar (2006), table 5 (a): critical values of the two-tailed Nemenyi test.
@pytest.mark.parametrize(
    ("n_methods", "alpha", "q"),
    [(2, 0.05, 1.960), (4, 0.05, 2.569), (10, 0.05, 3.164), (4, 0.10, 2.291), (10, 0.10, 2.920)],
)
def test_critical_differences_are_those_published(n_methods, alpha, q):
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 14))
    assert critical_difference(n_methods, 14, alpha) == pytest.approx(expected, abs=1e-3)


def test_ranks_by_hand():
    # A difference in the last bit is none.
    scores = np.array([[0.5, 0.1 + 0.2], [0.9, 0.3], [0.7, 0.2]])
    assert ranks(scores).tolist() == [[3.0, 1.5], [1.0, 1.5], [2.0, 3.0]]


@given(st.lists(st.floats(1, 10), min_size=2, max_size=9).map(sorted), st.floats(0.1, 5))
def test_groups_join_all_that_do_not_differ_and_no_others(mean_ranks, difference):
    values = np.array(mean_ranks)
    groups = groups_alike(values, difference)
    pairs = list(combinations(range(len(values)), 2))
    joined = [(a, b) for a, b in pairs if any(g[0] <= a and b <= g[1] for g in groups)]
    alike = [(a, b) for a, b in pairs if values[b] < values[a] + difference]
    assert joined == alike
    for one in groups:
        assert not any(o[0] <= one[0] and one[1] <= o[1] for o in groups if o != one)


def scores_of(n_methods, n_sets):
    sets = tuple(DataSet(f"set {k}", np.zeros((2, 1)), np.zeros(2)) for k in range(n_sets))
    methods = ("lapoleaf", *(f"method {k}" for k in range(1, n_methods)))
    values = np.random.default_rng(0).random((n_methods, n_sets, 3))
    return Scores(sets, ("a", "b", "c"), methods, values, splits=2)


def test_a_picture_is_drawn(tmp_path, capsys):
    for n_methods in (2, 3, 12):
        path = tmp_path / f"{n_methods}.png"
        write_rank_plot(path, scores_of(n_methods, 5))
        assert path.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().err == ""


def test_no_picture_of_one_method_or_one_data_set(tmp_path, capsys):
    for sizes in ((1, 5), (5, 1)):
        write_rank_plot(tmp_path / "ranks.png", scores_of(*sizes))
        assert "two methods and two data sets" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_no_picture_without_matplotlib(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_rank_plot(tmp_path / "ranks.png", scores_of(3, 5))
    assert "pip install 'lapoleaf[plot]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
