"""What cannot be labels gets one clear sentence."""

import numpy as np
import pytest

from lapoleaf import LeadingForest, LeadingTree, propagate

TREE = LeadingTree(density=[3, 2, 1], delta=[4, 1, 2], parent=[-1, 0, 1])
FOREST = LeadingForest(TREE, [0])
ALL = [True, True, True]
nan = np.nan


@pytest.mark.parametrize(
    ("labels", "given", "sentence"),
    [
        ([1, 2], ALL, r"^labels has shape \(2,\), but the forest has 3 nodes"),
        ([1, 2, 3, 4], ALL, r"^labels has shape \(4,\), but the forest has 3 nodes"),
        (np.zeros((3, 2, 2)), ALL, r"^labels has shape \(3, 2, 2\)"),
        (5.0, ALL, r"^labels has shape \(\)"),
        (["a", "b", "c"], ALL, "^labels must hold numbers"),
        ([[1, 2], [3], [4]], ALL, "^labels must hold numbers"),
        ([1, nan, 3], ALL, "^labels must be finite where given, but node 1 has nan"),
        ([1, np.inf, 3], ALL, "^labels must be finite where given, but node 1 has inf"),
        ([[1, 0], [0, 1], [nan, 1]], ALL, "^labels must be finite where given, but node 2"),
        ([1, 2, 3], [False] * 3, "^given marks no node"),
        ([1, 2, 3], [0, 0, 0], "^given marks no node"),
        ([1, 2, 3], [True, False], r"^given has shape \(2,\), but the forest has 3 nodes"),
        ([1, 2, 3], True, r"^given has shape \(\)"),
        ([1, 2, 3], [1, -1, 0], "^given must be a mask"),
        ([1, 2, 3], [1, nan, 0], "^given must be a mask"),
        ([1, 2, 3], ["yes", "no", "no"], "^given must be a mask"),
    ],
    ids=lambda value: str(value).replace("\n", "")[:40],
)
def test_bad_labels(labels, given, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        propagate(FOREST, labels, given, solver="stages")
    assert "\n" not in str(caught.value)


def test_labels_in_a_series_are_named_by_their_node():
    pandas = pytest.importorskip("pandas")
    labels = pandas.Series([1.0, nan, 3.0], index=[10, 11, 12])
    with pytest.raises(ValueError, match=r"^labels must be finite where given, but node 1 has nan"):
        propagate(FOREST, labels, ALL, solver="stages")


def test_nan_where_nothing_was_given_is_welcome():
    assert propagate(FOREST, [nan, 2, nan], [0, 1, 0], solver="stages").labels.tolist() == [2, 2, 2]


def test_given_may_count():
    assert propagate(FOREST, [0, 4, 0], [0, 2.5, 0], solver="stages").labels.tolist() == [4, 4, 4]


def test_solver():
    with pytest.raises(ValueError, match=r"^solver='fast' is not known"):
        propagate(FOREST, [1, 2, 3], ALL, solver="fast")


def test_no_forest():
    with pytest.raises(TypeError, match=r"^forest must be a LeadingForest, got LeadingTree"):
        propagate(TREE, [1, 2, 3], ALL, solver="stages")
