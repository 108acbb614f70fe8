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
# Bins of the doubt, as a probability that the label is wrong.
BINS = tuple(f"{k / 10:.1f} to {(k + 1) / 10:.1f}" for k in range(10))
MEASURES = (
    "doubt",
    "doubt-first",
    "doubt-flagged",
    *(f"doubt, {what}, {name}" for name in BINS for what in ("labels", "sum", "wrong")),
)


def wrong_labels(truth: IntArray, seed: int) -> tuple[GivenLabels, BoolArray]:
    """Return 20 labels a class, at most half of a class, one in ten wrong; and which are wrong."""
    given = labels_a_class(truth, _RATE, seed)
    rows = np.flatnonzero(given)
    y = np.where(given, flipped_labels(truth, given, seed, _SHARE), -1)
    classes, codes = np.unique(y[rows], return_inverse=True)
    return GivenLabels(rows, y, classes, codes), y[rows] != truth[rows]


def scores(method: Any, case: Case, seed: int) -> FloatArray:
    """Return the AUC, the share found among the first, the F1 of what is flagged, and the bins.

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
    first = found_first(wrong, found.doubt)
    return np.array([auc, first, f1, *in_bins(wrong, found.doubt)])[:, None]


def in_bins(wrong: BoolArray, doubt: FloatArray) -> FloatArray:
    """Return, for every bin, the share of the labels in it, their doubts and how many are wrong.

    The latter two as sums over the bin, relative to all labels too; doubts that are no
    probabilities are in no bin.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.suggest.label_errors import in_bins
    >>> found = in_bins(np.array([False, True, True, False]), np.array([0.04, 0.08, 1.0, 7.0]))
    >>> found[:3], found[-3:]
    (array([0.5 , 0.03, 0.25]), array([0.25, 0.25, 0.25]))
    """
    known = (doubt >= 0.0) & (doubt <= 1.0)
    bins = np.minimum((10 * doubt[known]).astype(np.int64), 9)
    parts = (None, doubt[known], wrong[known].astype(np.float64))
    sums = [np.bincount(bins, part, minlength=10) for part in parts]
    found: FloatArray = np.stack(sums, axis=1).ravel() / len(doubt)
    return found


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
