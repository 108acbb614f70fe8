"""Given labels that the others contradict."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray
from lapoleaf.estimators.explanation import in_words

# Maximum number of printed rows; the attributes hold all.
_MOST_LINES = 10
_NONE_LISTED = "No given label is contradicted by the others."
# A given number is suspicious if it is further than this number of standard deviations from its
# prediction.
_MIN_ERROR = 3.0
# Prior share of wrong labels, and its weight as a number of labels.
_USUAL_SHARE_WRONG, _LABELS_OF_USUAL_SHARE = 0.1, 20.0
# Wrong labels and pooling make evidence less sharp, which this power corrects. No evidence is
# certain: this share is left to the other side.
_SHARPNESS, _LEAST_EVIDENCE = 2.0, 1e-3
_N_STEPS, _MAX_SHARE_WRONG = 50, 0.5
# A given class is suspicious if it is more likely wrong than right; ties are not suspicious.
_CALLED_WRONG = 0.501
# Probabilities that differ by less than this count as equal.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class SuspiciousLabels:
    """Given labels that the others contradict, the most doubtful first.

    Printed, it is a short table; the same facts are attributes, one entry for every label listed.

    Attributes
    ----------
    ids : ndarray of shape (n_listed,)
        Rows with a given label: see ``ids_`` of the model, ``update_labels`` takes them.
    given : ndarray of shape (n_listed,)
        Their labels.
    instead : ndarray of shape (n_listed,)
        Predictions from the other labels, including those of equal rows.
    doubt : ndarray of shape (n_listed,)
        For classes, the calibrated probability that the label is wrong: of the labels with a doubt
        of about 0.3, about three in ten are wrong. For numbers, the error in standard deviations.
        NaN, and last, if there is no estimate: no other row has the class, or no other target
        reaches the number.

    Examples
    --------
    >>> from lapoleaf import LaPOLeaFClassifier
    >>> X = [[0.0], [0.5], [1.0], [1.5], [7.0], [7.5], [8.0], [8.5]]
    >>> y = ["low", "low", "high", "low", "high", "high", None, "high"]
    >>> model = LaPOLeaFClassifier().fit(X, y)
    >>> model.suspicious_labels()
    row   given  instead  doubt
      2  'high'    'low'  0.978
    >>> model.suspicious_labels(all=True)
    row   given  instead     doubt
      2  'high'    'low'     0.978
      3   'low'   'high'     0.242
      1   'low'    'low'    0.0432
      0   'low'    'low'   0.00537
      4  'high'   'high'   0.00335
      5  'high'   'high'   0.00104
      7  'high'   'high'  0.000607
    """

    ids: IntArray
    given: AnyArray
    instead: AnyArray
    doubt: FloatArray

    def __len__(self) -> int:
        return len(self.ids)

    def _lines(self) -> list[list[str]]:
        """Return the cells of the printed table, header first."""
        words = [
            [str(row), in_words(given), in_words(instead), f"{doubt:.3g}"]
            for row, given, instead, doubt in zip(
                self.ids[:_MOST_LINES].tolist(),
                self.given[:_MOST_LINES].tolist(),
                self.instead[:_MOST_LINES].tolist(),
                self.doubt[:_MOST_LINES].tolist(),
                strict=True,
            )
        ]
        return [["row", "given", "instead", "doubt"], *words]

    def _rest(self) -> str:
        hidden = len(self) - _MOST_LINES
        return f"and {hidden} more, less doubtful" if hidden > 0 else ""

    def __str__(self) -> str:
        if not len(self):
            return _NONE_LISTED
        lines = self._lines()
        widths = [max(len(line[k]) for line in lines) for k in range(4)]
        table = [
            "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
            for line in lines
        ]
        return "\n".join([*table, *([self._rest()] if self._rest() else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not len(self):
            return f"<div>{_NONE_LISTED}</div>"
        head, *lines = [[html.escape(cell) for cell in line] for line in self._lines()]
        rows = "".join(f"<tr><td>{'</td><td>'.join(line)}</td></tr>" for line in lines)
        return (
            f"<div><table><tr><th>{'</th><th>'.join(head)}</th></tr>{rows}</table>"
            f"{html.escape(self._rest())}</div>"
        )


def ranked(
    ids: IntArray, given: AnyArray, instead: AnyArray, doubt: FloatArray, is_listed: BoolArray
) -> SuspiciousLabels:
    """Return labels sorted by doubt, the largest first and NaN last; ties by id.

    Parameters
    ----------
    ids, given, instead, doubt : ndarray of shape (n_given,)
        See :class:`SuspiciousLabels`.
    is_listed : ndarray of shape (n_given,), bool
        Which of them to list.
    """
    order = np.lexsort((ids, -np.nan_to_num(doubt, nan=-np.inf)))
    order = order[is_listed[order]]
    return SuspiciousLabels(ids[order], given[order], instead[order], doubt[order])


def pooled_evidence(mixed: FloatArray, experts: Sequence[FloatArray]) -> FloatArray:
    """Return probabilities of the classes of given labels without them, (n_given, K).

    Parameters
    ----------
    mixed : ndarray of shape (n_given, K)
        Leave-one-out of forests and experts together.
    experts : sequence of ndarray of shape (n_given, K)
        Leave-one-out of every expert, as log-probabilities. Here every expert counts as much as the
        mixture, independently of its weight there, since its errors are different ones.
    """
    found: FloatArray = mixed
    for expert in experts:
        found = found + softmax(expert, axis=1)
    return found / (1 + len(experts))


def with_equal_rows(
    found: FloatArray, nodes: IntArray, codes: IntArray, weight: FloatArray
) -> FloatArray:
    """Return the probabilities of the classes of every given row without its own label, (m, K).

    Labels of equal rows are included; each counts as much as the prediction from the rest of the
    data.

    Parameters
    ----------
    found : ndarray of shape (n_given, K)
        Probabilities of the classes of nodes without their labels.
    nodes : ndarray of shape (m,)
        The place of every given row's node in ``found``.
    codes : ndarray of shape (m,)
        Their classes.
    weight : ndarray of shape (m,)
        Their weights.
    """
    label_weights = np.zeros(found.shape)
    np.add.at(label_weights, (nodes, codes), weight)
    others = label_weights[nodes]
    others[np.arange(len(nodes)), codes] -= weight
    # The difference of equal numbers is exactly 0, without rounding errors.
    others = np.where(others > 1e-9 * weight[:, None], others, 0.0) / weight[:, None]
    together: FloatArray = (found[nodes] + others) / (1.0 + others.sum(axis=1, keepdims=True))
    return together


class ClassDoubts(NamedTuple):
    """Given classes compared with what is predicted from the others.

    Attributes
    ----------
    instead : ndarray of shape (m,)
        Index of the class that is predicted from the others.
    doubt : ndarray of shape (m,)
        Probability that the given class is wrong; NaN where it cannot be estimated.
    """

    instead: IntArray
    doubt: FloatArray


def class_doubts(found: FloatArray, codes: IntArray, contradicting: BoolArray) -> ClassDoubts:
    """Compare given classes with what is predicted from the others.

    There is no estimate if no other row has the class, unless equal rows have another class.

    Parameters
    ----------
    found : ndarray of shape (m, K)
        Probabilities of the classes of given rows without their own labels.
    codes : ndarray of shape (m,)
        Their classes.
    contradicting : ndarray of shape (m,), bool
        Rows whose equals were given another class.
    """
    own = found[np.arange(len(codes)), codes]
    instead = np.where(own >= found.max(axis=1) - _ROUNDING, codes, found.argmax(axis=1))
    alone = (np.bincount(codes, minlength=found.shape[1]) < 2)[codes] & ~contradicting
    doubt = np.full(len(codes), np.nan)
    usual = ~alone & ~contradicting
    doubt[usual] = _probabilities_of_wrong(found[usual], codes[usual])
    # One of the equal rows is wrong: compare the probability of their own class with the best
    # other.
    others = found.copy()
    others[np.arange(len(codes)), codes] = 0.0
    best = others.max(axis=1)
    doubt[contradicting] = (best / (best + own))[contradicting]
    return ClassDoubts(instead, doubt)


def _probabilities_of_wrong(found: FloatArray, codes: IntArray) -> FloatArray:
    """Return the probability that each given class is wrong.

    A given class is the true one, or with the probability ``e`` any other, all equally. By the
    evidence of the others the true class is the given one with the probability ``q``, so that the
    odds of wrong to right are ``e (1 - q) / (K - 1)`` to ``(1 - e) q``. The share ``e`` is
    estimated by expectation maximisation, with a prior.

    Parameters
    ----------
    found, codes : ndarray
        See :func:`class_doubts`.
    """
    if found.shape[1] == 1:
        return np.zeros(len(codes))
    sharp = (found / found.max(axis=1, keepdims=True)) ** _SHARPNESS
    own = sharp[np.arange(len(codes)), codes] / sharp.sum(axis=1)
    own = _LEAST_EVIDENCE + (1.0 - 2.0 * _LEAST_EVIDENCE) * own
    others = (1.0 - own) / (found.shape[1] - 1)
    share, doubt = _USUAL_SHARE_WRONG, np.zeros(len(codes))
    for _ in range(_N_STEPS):
        wrong, right = share * others, (1.0 - share) * own
        doubt = wrong / (wrong + right)
        total = doubt.sum() + _LABELS_OF_USUAL_SHARE * _USUAL_SHARE_WRONG
        share = min(float(total / (len(codes) + _LABELS_OF_USUAL_SHARE)), _MAX_SHARE_WRONG)
    return doubt


def is_called_wrong(doubt: FloatArray) -> BoolArray:
    """Whether given classes are more probably wrong than right.

    Parameters
    ----------
    doubt : ndarray of shape (m,)
        Probabilities that classes are wrong; NaN where it cannot be estimated.
    """
    found: BoolArray = np.nan_to_num(doubt) > _CALLED_WRONG
    return found


def is_contradicted(errors: FloatArray) -> BoolArray:
    """Whether given numbers are further from their predictions than the threshold.

    Parameters
    ----------
    errors : ndarray of shape (m,)
        Errors in standard deviations; NaN where it cannot be estimated.
    """
    found: BoolArray = np.nan_to_num(errors) > _MIN_ERROR
    return found


def number_doubts(
    numbers: FloatArray,
    weight: FloatArray,
    nodes: IntArray,
    found: FloatArray,
    std: FloatArray,
    disagreement: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the prediction of every given number from the others, and its standardised error.

    Predictions from the rest of the data and from equal rows are averaged by inverse variances.

    Parameters
    ----------
    numbers, weight : ndarray of shape (m,)
        Given numbers and the weights of their rows.
    nodes : ndarray of shape (m,)
        The place of every row's node in the next two.
    found, std : ndarray of shape (n_given,)
        Predictions of nodes without their numbers, and the standard deviation of the mean of their
        numbers around it; NaN or infinite if no other target reaches them.
    disagreement : float
        Variance of numbers given to the same node.

    Returns
    -------
    instead, doubt : ndarray of shape (m,)
        NaN where it cannot be estimated.
    """
    n = len(found)
    total = np.bincount(nodes, weight, n)[nodes]
    others = np.where(total > weight * (1.0 + 1e-9), total - weight, 0.0)
    sums = np.bincount(nodes, weight * numbers, n)[nodes] - weight * numbers
    known = (np.isfinite(std) & ~np.isnan(found))[nodes]
    predicted = np.where(known, found[nodes], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(others > 0, sums / others, 0.0)
        # Relative to the variance of one number at a node, which is 0 if all agree.
        trust = np.where(known, disagreement / np.square(std[nodes]), 0.0)
        share = np.where(others > 0, others / (others + trust), 0.0)
        instead = np.where(known | (others > 0), (1.0 - share) * predicted + share * mean, np.nan)
        alone = np.where(known, std[nodes], np.nan)
        together = np.sqrt(disagreement / (others + trust) + disagreement / weight)
        errors = np.abs(numbers - instead)
        # Numbers that differ by rounding errors count as equal.
        errors[errors <= 1e-10 * np.abs(numbers).max(initial=0.0)] = 0.0
        doubt = errors / np.where(others > 0, together, alone)
    return instead, np.where(np.isnan(instead), np.nan, np.where(errors > 0, doubt, 0.0))
