"""Wrong labels among the given ones: who finds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import f1_score, roc_auc_score

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from benchmarks.methods.label_errors import confident_doubts, logistic_learner, out_of_sample
from benchmarks.data.splits import flipped_labels, labels_a_class
from benchmarks.methods.case import Case, Part, Way

_RATE, _SHARE = 20, 0.1


@dataclass(frozen=True, eq=False)
class WrongLabels:
    """Given labels of which some are wrong.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The rows with labels.
    y : ndarray of shape (n,)
        Their labels, -1 elsewhere.
    wrong : ndarray of shape (m,), bool
        Which of them are wrong.
    classes : ndarray of shape (n_given,)
        The classes among them.
    codes : ndarray of shape (m,)
        The labels as places in ``classes``.
    """

    rows: IntArray
    y: IntArray
    wrong: BoolArray
    classes: IntArray
    codes: IntArray


def wrong_labels(truth: IntArray, seed: int) -> WrongLabels:
    """Return 20 labels a class, at most half of a class, and turn one in ten into another class."""
    given = labels_a_class(truth, _RATE, seed)
    rows = np.flatnonzero(given)
    y = np.where(given, flipped_labels(truth, given, seed, _SHARE), -1)
    classes, codes = np.unique(y[rows], return_inverse=True)
    return WrongLabels(rows, y, y[rows] != truth[rows], classes, codes)


def suspicious_scores(case: Case, seed: int) -> FloatArray:
    """Let the model doubt its labels."""
    task = wrong_labels(case.truth, seed)
    found = case.with_labels(task.y).suspicious_labels()
    order = np.argsort(found.ids)
    # Labels of which nothing can be told come last.
    doubt = np.nan_to_num(found.doubt, nan=-np.inf)
    return _scores(task.wrong, doubt[order], (found.given != found.instead)[order])


def confident_scores(case: Case, seed: int) -> FloatArray:
    """Doubt labels by confident learning with our classifier."""
    task = wrong_labels(case.truth, seed)

    def learn(seen: IntArray, unseen: IntArray) -> FloatArray:
        y = task.y.copy()
        y[task.rows[unseen]] = -1
        model = case.with_labels(y)
        probabilities = np.zeros((len(unseen), len(task.classes)))
        places = np.searchsorted(task.classes, model.classes_)
        probabilities[:, places] = model.label_distributions_[task.rows[unseen]]
        return probabilities

    found = confident_doubts(out_of_sample(task.codes, learn, seed), task.codes)
    return _scores(task.wrong, found.doubt, found.flagged)


def logistic_scores(case: Case, seed: int) -> FloatArray:
    """Doubt labels by confident learning with logistic regression on the labelled rows."""
    task = wrong_labels(case.truth, seed)
    learn = logistic_learner(case.X[task.rows], task.codes)
    found = confident_doubts(out_of_sample(task.codes, learn, seed), task.codes)
    return _scores(task.wrong, found.doubt, found.flagged)


def _scores(wrong: BoolArray, doubt: FloatArray, flagged: BoolArray) -> FloatArray:
    """Return the AUC, the share found among the first, and the F1 of what is flagged."""
    # Ranks, because a doubt may be infinite.
    auc = roc_auc_score(wrong, rankdata(doubt))
    f1 = f1_score(wrong, flagged, zero_division=0.0)
    return np.array([[auc], [found_first(wrong, doubt)], [f1]])


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


DOUBT = Part(
    measures=("doubt", "doubt-first", "doubt-flagged"),
    columns=("20 a class",),
    ways={
        "suspicious_labels": Way(suspicious_scores, chance=True),
        "confident learning, lapoleaf": Way(confident_scores, chance=True),
        "confident learning, logistic": Way(logistic_scores, chance=True),
    },
    rows_a_class=4,
)
