"""Rows by their ids."""

import numpy as np
import pytest

from lapoleaf._tree.ids import rows_of_ids

KNOWN = np.array([2, 3, 5, 11])


@pytest.mark.parametrize(
    ("ids", "rows"),
    [(5, [2]), ([11, 2], [3, 0]), (np.array([3]), [1]), ((2.0, 5.0), [0, 2]), ([], [])],
)
def test_rows(ids, rows):
    assert rows_of_ids(ids, KNOWN).tolist() == rows


@pytest.mark.parametrize(
    ("ids", "sentence"),
    [
        (4, "ids holds 4, which is not the id of a row: see ids_."),
        ([2, 4], "ids holds 4, which is not the id of a row: see ids_."),
        (np.array([2, 4]), "ids holds 4, which is not the id of a row: see ids_."),
        ([2, 2.5], "ids holds 2.5, which is not the id of a row: see ids_."),
        ([2, "a"], "ids holds 'a', which is not the id of a row: see ids_."),
        ("a", "ids holds 'a', which is not the id of a row: see ids_."),
        (None, "ids holds None, which is not the id of a row: see ids_."),
        ([True, False, True, True], "ids holds True, which is not the id of a row: see ids_."),
        ([[2, 3]], "ids must be one id or a list of ids, got shape (1, 2): see ids_."),
        ([2, 5, 2], "ids holds 2 more than once: give each id once."),
    ],
)
def test_sentences(ids, sentence):
    with pytest.raises(ValueError, match="ids") as caught:
        rows_of_ids(ids, KNOWN)
    assert str(caught.value) == sentence


def test_the_sentence_names_the_attribute():
    with pytest.raises(ValueError, match=r"see ids\.$"):
        rows_of_ids(4, KNOWN, "ids")
