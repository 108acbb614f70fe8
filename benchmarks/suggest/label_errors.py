"""Wrong labels among the given ones: which method finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import f1_score, roc_auc_score

from benchmarks.data.splits import flipped_labels, labels_a_class
from benchmarks.methods.case import Case
from benchmarks.methods.label_errors import GivenLabels
from lapoleaf._typing import BoolArray, FloatArray, IntArray

_RATE, _SHARE = 20, 0.1
COLUMNS = (f"{_RATE} a class",)


def wrong_labels(truth: IntArray, seed: int) -> tuple[GivenLabels, BoolArray]:
    """Return 20 labels a class, at most half of a class, one in ten wrong; and which are wrong."""
    given = labels_a_class(truth, _RATE, seed)
    rows = np.flatnonzero(given)
    y = np.where(given, flipped_labels(truth, given, seed, _SHARE), -1)
    classes, codes = np.unique(y[rows], return_inverse=True)
    return GivenLabels(rows, y, classes, codes), y[rows] != truth[rows]


def scores(method: Any, case: Case, seed: int) -> FloatArray:
    """Return the AUC, the share found among the first, and the F1 of what is flagged.

    Parameters
    ----------
    method : object
        Doubts labels.
    case : Case
        The data set.
    seed : int
        Which labels are given, and which of them are wrong.
    """
    labels, wrong = wrong_labels(case.truth, seed)
    found = method.doubts(case, labels)
    # Ranks, because a doubt may be infinite.
    auc = roc_auc_score(wrong, rankdata(found.doubt))
    f1 = f1_score(wrong, found.flagged, zero_division=0.0)
    return np.array([[auc], [found_first(wrong, found.doubt)], [f1]])


def found_first(wrong: BoolArray, doubt: FloatArray) -> float:
    """Return the share of the wrong labels among the most doubtful, as many as are wrong.

    Where equal doubts are on both sides of the last place, they share it.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.suggest.label_errors import found_first
    >>> found_first(np.array([True, True, False, False]), np.array([9.0, 5.0, 5.0, 1.0]))
    0.75
    """
    places = int(wrong.sum())
    last = np.sort(doubt)[-places]
    ahead, level = doubt > last, doubt == last
    found = wrong[ahead].sum() + (places - ahead.sum()) * wrong[level].mean()
    return float(found / places)
