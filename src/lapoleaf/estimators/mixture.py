"""Classes from forests and experts together: how much of each, and how sure.

The score of a class is ``t (log(F + e) + r R)``: F its share in the forests' labels, corrected by
class mass; R the score of an expert; probabilities are the softmax of the scores. The log-loss of
leave-one-out, which all parts have in closed form, chooses the weight of given labels, the class
mass, the share r of every expert and the temperature 1 / t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import log_softmax, softmax

from lapoleaf._lazy import Value
from lapoleaf._messages import shown
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.estimators.problem import Problem

# What is tried. Few labels say little, so departing from the first, or the usual, has a price in
# units of log-loss: about one label that is wrong for sure.
POWERS = (1.0, 0.5, 0.0)
_POWER_PRICE = 4.0
_SHARPNESS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
_USUAL_SHARPNESS, _SHARPNESS_PRICE = 3.0, 2.0
_EXPERT_SHARES = (0.0, 0.03, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_USUAL_SHARE, _SHARE_OFFSET, _SHARE_PRICE = 0.03, 0.125, 1.0
# Share that is spread over all classes: no class is impossible.
_FLOOR = 0.1
# Rows that are mixed at a time: all at once would take memory several times over.
_ROWS_AT_A_TIME = 65_536
# Labels a class that the estimated prior is smoothed by.
_PRIOR_LABELS = 30.0


@dataclass(frozen=True, eq=False)
class Mixture(Value):
    """How the parts are mixed.

    Attributes
    ----------
    mass : ndarray of shape (K,)
        Factor of every class in the forests' labels.
    power : float
        How far class masses were moved to the prior: 0 not at all, 1 entirely.
    shares : tuple of float
        Weight of every expert against the forests.
    sharpness : float
        One over the temperature.
    loss : float
        Log-loss of leave-one-out, a label, and the price of departing from the usual.
    """

    mass: FloatArray
    power: float
    shares: tuple[float, ...]
    sharpness: float
    loss: float

    def forest_scores(self, labels: FloatArray) -> FloatArray:
        """Return the scores of the classes by the forests' labels (n, K): logarithms."""
        massed = labels * self.mass
        total = massed.sum(axis=1, keepdims=True)
        n_classes = labels.shape[1]
        # Where no label reaches all classes are equal.
        shares = np.where(total > 0, massed / np.where(total > 0, total, 1.0), 1.0 / n_classes)
        logarithms: FloatArray = np.log(shares + _FLOOR / n_classes)
        return logarithms

    def probabilities(self, labels: FloatArray, experts: Sequence[FloatArray]) -> FloatArray:
        """Return the probabilities (n, K) of the classes.

        Parameters
        ----------
        labels : ndarray of shape (n, K)
            Labels by the forests.
        experts : sequence of ndarray of shape (n, K)
            Scores of the experts.
        """
        found: FloatArray = np.empty(labels.shape)
        for at in range(0, len(labels), _ROWS_AT_A_TIME):
            some = slice(at, at + _ROWS_AT_A_TIME)
            scores = self.forest_scores(labels[some])
            for share, expert in zip(self.shares, experts, strict=True):
                if share > 0:
                    scores = scores + share * expert[some]
            found[some] = softmax(self.sharpness * scores, axis=1)
        return found

    def contributions(
        self, labels: FloatArray, experts: Mapping[str, FloatArray]
    ) -> dict[str, FloatArray]:
        """Return what every part adds to the scores (K,) of the classes of one row.

        Their sum is the logarithm of the probabilities, up to a constant.

        Parameters
        ----------
        labels : ndarray of shape (K,)
            Label by the forests.
        experts : mapping of str to ndarray of shape (K,)
            Scores of the experts.
        """
        plain = replace(self, mass=np.ones(len(labels))).forest_scores(labels[None])[0]
        massed = self.forest_scores(labels[None])[0]
        parts = {"forests": plain, "class prior": massed - plain}
        for share, (name, scores) in zip(self.shares, experts.items(), strict=True):
            parts[name] = share * scores
        parts["temperature"] = (self.sharpness - 1.0) * sum(parts.values(), np.zeros(len(labels)))
        return parts


@dataclass(frozen=True, eq=False)
class GivenClasses:
    """The given labels that leave-one-out is measured on.

    Attributes
    ----------
    labels : ndarray of shape (n_given, K)
        Share of every class among the labels given to a node.
    count : ndarray of shape (n_given,)
        How many labels each node was given.
    known_to_others : ndarray of shape (n_given,), bool
        Whether other nodes were given the same class.
    """

    labels: FloatArray
    count: FloatArray
    known_to_others: BoolArray

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the given labels of a problem."""
        return cls.of_labels(problem.labels[problem.nodes], problem.count[problem.nodes])

    @classmethod
    def of_labels(cls, labels: FloatArray, count: FloatArray) -> Self:
        """Return given labels, (n_given, K)."""
        nodes = (labels > 0).sum(axis=0)
        return cls(labels, count, nodes[labels.argmax(axis=1)] > 1)

    def take(self, some: IntArray) -> Self:
        """Return some of the given labels."""
        return type(self)(self.labels[some], self.count[some], self.known_to_others[some])

    @cached_property
    def compared(self) -> BoolArray:
        """Labels of classes that other nodes have too; without them no class could be found."""
        known = self.known_to_others
        return known if known.any() else np.ones(len(known), dtype=bool)

    @property
    def comparable(self) -> bool:
        """Whether leave-one-out can be right at all: some class was given to two nodes."""
        return bool(self.known_to_others.any())

    def loss(self, scores: FloatArray) -> float:
        """Return the log-loss of scores (n_given, K), summed over the labels."""
        kept = self.compared
        found = -(self.labels[kept] * log_softmax(scores[kept], axis=1)).sum(axis=1)
        return float(self.count[kept] @ found)

    def estimated_prior(self) -> FloatArray:
        """Return the share of every class among the given labels, a few more of each added."""
        counts = self.count @ self.labels
        smoothed = counts + _PRIOR_LABELS
        prior: FloatArray = smoothed / smoothed.sum()
        return prior


def class_mass(labels: FloatArray, population: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the factors of class columns that bring their masses into proportion to the prior.

    Parameters
    ----------
    labels : ndarray of shape (n, K)
        Labels of all nodes.
    population : ndarray of shape (n,)
        How many rows every node stands for.
    prior : ndarray of shape (K,)
        The wanted shares.
    """
    mass = population @ labels
    mass = mass / mass.sum()
    quotient = np.where(mass > 0, prior / np.where(mass > 0, mass, 1.0), 0.0)
    if not quotient.any():
        raise ValueError("class_prior is 0 for every class that has a label that counts.")
    scaled: FloatArray = quotient / quotient.max()
    return scaled


def mix(
    given: GivenClasses,
    labels_without: FloatArray,
    quotient: FloatArray | None,
    powers: tuple[float, ...],
    experts_without: Sequence[FloatArray] = (),
) -> Mixture:
    """Choose how to mix, by leave-one-out.

    Parameters
    ----------
    given : GivenClasses
        The given labels.
    labels_without : ndarray of shape (n_given, K)
        Their labels by the forests without them; NaN where no other label reaches.
    quotient : ndarray of shape (K,) or None
        See :func:`class_mass`; None for no correction.
    powers : tuple of float
        How far to move masses to the prior: candidates, the usual first.
    experts_without : sequence of ndarray of shape (n_given, K)
        Their scores by every expert without them.
    """
    n_classes = given.labels.shape[1]
    without = np.where(np.isnan(labels_without), 0.0, labels_without)
    trials = []
    for place, power in enumerate(powers if quotient is not None else (0.0,)):
        mass = np.ones(n_classes) if quotient is None else _to_the_power(quotient, power)
        trial = Mixture(mass, power, (), 1.0, 0.0)
        sharpness, loss = _best_sharpness(given, trial.forest_scores(without))
        loss += place * _POWER_PRICE
        trials.append(replace(trial, sharpness=sharpness, loss=loss))
    best = min(trials, key=lambda mixture: mixture.loss)
    scores = best.forest_scores(without)
    for expert in experts_without:
        best = _with_expert(given, best, scores, expert)
        scores = scores + best.shares[-1] * expert
    # Where every label is the only one of its class all are missed: no evidence of uncertainty.
    return best if given.comparable else replace(best, sharpness=_USUAL_SHARPNESS)


def _to_the_power(quotient: FloatArray, power: float) -> FloatArray:
    # A class that no label reached stays at 0.
    return np.where(quotient > 0, np.where(quotient > 0, quotient, 1.0) ** power, 0.0)


def _best_sharpness(given: GivenClasses, scores: FloatArray) -> tuple[float, float]:
    """Return the best sharpness and its loss."""
    losses = {t: given.loss(t * scores) + _sharpness_price(t) for t in _SHARPNESS}
    best = min(losses, key=losses.__getitem__)
    return best, losses[best]


def _sharpness_price(sharpness: float) -> float:
    return _SHARPNESS_PRICE * float(np.log(sharpness / _USUAL_SHARPNESS)) ** 2


def _with_expert(
    given: GivenClasses, mixture: Mixture, scores: FloatArray, expert: FloatArray
) -> Mixture:
    """Add an expert, as far as it helps by leave-one-out."""
    found: list[Mixture] = []
    for share in _EXPERT_SHARES:
        sharpness, loss = _best_sharpness(given, scores + share * expert)
        away = np.log((share + _SHARE_OFFSET) / (_USUAL_SHARE + _SHARE_OFFSET))
        loss += _SHARE_PRICE * float(abs(away))
        shares = (*mixture.shares, share)
        found.append(replace(mixture, shares=shares, sharpness=sharpness, loss=loss))
    return min(found, key=lambda mixture: mixture.loss)


def checked_prior(prior: Any, n_classes: int | None = None) -> FloatArray:
    """Return a prior that sums to 1, or raise for what is none.

    Parameters
    ----------
    prior : array-like of shape (n_classes,)
        Expected shares of the classes.
    n_classes : int, default=None
        How many classes there are, where that is known.
    """
    try:
        shares = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"class_prior={shown(prior)} must be 'auto', None, or a share for every class."
        ) from error
    if shares.ndim != 1 or not (np.isfinite(shares) & (shares >= 0)).all() or not shares.any():
        raise ValueError(
            f"class_prior={shown(prior)} must hold a share for every class: not negative, not all "
            f"0."
        )
    if n_classes is not None and len(shares) != n_classes:
        raise ValueError(
            f"class_prior has {len(shares)} shares, but y has {n_classes} classes: give one for "
            f"each, in their sorted order."
        )
    prior_shares: FloatArray = shares / shares.sum()
    return prior_shares
