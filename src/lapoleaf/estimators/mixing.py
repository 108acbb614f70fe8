"""Classes from the forest and the ridge together: how much of each, and how sure.

The score of a class is ``t (log(F + e) + r R)``: F what the forests say of it, corrected by class
mass; R the score of the ridge; probabilities are the softmax of the scores. What is chosen is
chosen by the log-loss of leave-one-out, which both parts have in closed form: the weight of given
labels, the class mass, the share r of the ridge and the temperature 1 / t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax

from lapoleaf._typing import BoolArray, FloatArray

# What is tried. Few labels say little, so departing from the first, or the usual, has a price in
# units of log-loss: about one label that is wrong for sure.
POWERS = (1.0, 0.5, 0.0)
_POWER_PRICE = 4.0
_SHARPNESS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
_USUAL_SHARPNESS, _SHARPNESS_PRICE = 3.0, 2.0
_RIDGE_SHARES = (0.0, 0.03, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_USUAL_RIDGE, _LITTLE_RIDGE, _RIDGE_PRICE = 0.03, 0.125, 1.0
# No class is impossible.
_FLOOR = 0.1
# Rows that are mixed at a time: all at once would take memory several times over.
_AT_A_TIME = 65_536
# Labels a class that the estimated prior is smoothed by.
_PRIOR_LABELS = 30.0


@dataclass(frozen=True, eq=False)
class Mixture:
    """How the parts are mixed.

    Attributes
    ----------
    mass : ndarray of shape (K,)
        What every class of the forest is multiplied by.
    power : float
        How far class masses were moved to the prior: 0 not at all, 1 entirely.
    ridge_share : float
        Weight of the ridge against the forest.
    sharpness : float
        One over the temperature.
    loss : float
        Log-loss of leave-one-out, a label, and what departing from the usual costs.
    """

    mass: FloatArray
    power: float
    ridge_share: float
    sharpness: float
    loss: float

    def forest_part(self, labels: FloatArray) -> FloatArray:
        """Give what the forest says of the classes, from its labels (n, K), as logarithms."""
        massed = labels * self.mass
        total = massed.sum(axis=1, keepdims=True)
        n_classes = labels.shape[1]
        # Where nothing is known all classes are alike.
        shares = np.where(total > 0, massed / np.where(total > 0, total, 1.0), 1.0 / n_classes)
        logarithms: FloatArray = np.log(shares + _FLOOR / n_classes)
        return logarithms

    def probabilities(self, labels: FloatArray, ridge: FloatArray | None) -> FloatArray:
        """Give the probabilities (n, K) of the classes.

        Parameters
        ----------
        labels : ndarray of shape (n, K)
            What the forests say.
        ridge : ndarray of shape (n, K) or None
            What the ridge says, where there is one.
        """
        found: FloatArray = np.empty(labels.shape)
        for at in range(0, len(labels), _AT_A_TIME):
            some = slice(at, at + _AT_A_TIME)
            scores = self.forest_part(labels[some])
            if ridge is not None and self.ridge_share > 0:
                scores = scores + self.ridge_share * ridge[some]
            found[some] = softmax(self.sharpness * scores, axis=1)
        return found


@dataclass(frozen=True, eq=False)
class GivenLabels:
    """The given labels that leave-one-out is measured on.

    Attributes
    ----------
    labels : ndarray of shape (n_given, K)
        Share of every class among the labels given to a node.
    count : ndarray of shape (n_given,)
        How many labels each node was given.
    """

    labels: FloatArray
    count: FloatArray

    @cached_property
    def compared(self) -> BoolArray:
        """Labels of classes that other nodes have too: without them nobody could know of these."""
        known = self._known_to_others
        return known if known.any() else np.ones(len(known), dtype=bool)

    @cached_property
    def _known_to_others(self) -> BoolArray:
        nodes = (self.labels > 0).sum(axis=0)
        known: BoolArray = nodes[self.labels.argmax(axis=1)] > 1
        return known

    @property
    def comparable(self) -> bool:
        """Whether leave-one-out can be right at all: some class was given to two nodes."""
        return bool(self._known_to_others.any())

    def loss(self, scores: FloatArray) -> float:
        """Give the log-loss of scores (n_given, K), summed over the labels."""
        kept = self.compared
        found = -(self.labels[kept] * log_softmax(scores[kept], axis=1)).sum(axis=1)
        return float(self.count[kept] @ found)

    def estimated_prior(self) -> FloatArray:
        """Give the share of every class among the given labels, a few more of each added."""
        counts = self.count @ self.labels
        smoothed = counts + _PRIOR_LABELS
        prior: FloatArray = smoothed / smoothed.sum()
        return prior


def class_mass(labels: FloatArray, population: FloatArray, prior: FloatArray) -> FloatArray:
    """Give what class columns are multiplied by for their masses to be in proportion to the prior.

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
    given: GivenLabels,
    labels_without: FloatArray,
    quotient: FloatArray | None,
    powers: tuple[float, ...],
    ridge_without: FloatArray | None,
) -> Mixture:
    """Choose how to mix, by leave-one-out.

    Parameters
    ----------
    given : GivenLabels
        The given labels.
    labels_without : ndarray of shape (n_given, K)
        What the forests would say of them; NaN where nothing bears on them.
    quotient : ndarray of shape (K,) or None
        See :func:`class_mass`; None for no correction.
    powers : tuple of float
        How far to move masses to the prior: candidates, the usual first.
    ridge_without : ndarray of shape (n_given, K) or None
        What the ridge would say of them.
    """
    n_classes = given.labels.shape[1]
    without = np.where(np.isnan(labels_without), 0.0, labels_without)
    trials = []
    for place, power in enumerate(powers if quotient is not None else (0.0,)):
        mass = np.ones(n_classes) if quotient is None else _to_the_power(quotient, power)
        trial = Mixture(mass, power, 0.0, 1.0, 0.0)
        part = trial.forest_part(without)
        sharpness, loss = _sharpest(given, part)
        loss += place * _POWER_PRICE
        trials.append(replace(trial, sharpness=sharpness, loss=loss))
    best = min(trials, key=lambda mixture: mixture.loss)
    if ridge_without is not None:
        best = _with_ridge(given, best, best.forest_part(without), ridge_without)
    # Where every label is the only one of its class all are missed: that says nothing of doubt.
    return best if given.comparable else replace(best, sharpness=_USUAL_SHARPNESS)


def _to_the_power(quotient: FloatArray, power: float) -> FloatArray:
    # A class that no label reached stays at 0.
    return np.where(quotient > 0, np.where(quotient > 0, quotient, 1.0) ** power, 0.0)


def _sharpest(given: GivenLabels, part: FloatArray) -> tuple[float, float]:
    """Give the best sharpness and its loss."""
    losses = {t: given.loss(t * part) + _sharpness_price(t) for t in _SHARPNESS}
    best = min(losses, key=losses.__getitem__)
    return best, losses[best]


def _sharpness_price(sharpness: float) -> float:
    return _SHARPNESS_PRICE * float(np.log(sharpness / _USUAL_SHARPNESS)) ** 2


def _with_ridge(
    given: GivenLabels, forest: Mixture, part: FloatArray, ridge: FloatArray
) -> Mixture:
    """Add the ridge, as far as leave-one-out says it helps."""
    found: list[Mixture] = []
    for share in _RIDGE_SHARES:
        sharpness, loss = _sharpest(given, part + share * ridge)
        away = np.log((share + _LITTLE_RIDGE) / (_USUAL_RIDGE + _LITTLE_RIDGE))
        loss += _RIDGE_PRICE * float(abs(away))
        found.append(replace(forest, ridge_share=share, sharpness=sharpness, loss=loss))
    return min(found, key=lambda mixture: mixture.loss)


def checked_prior(prior: Any, n_classes: int | None = None) -> FloatArray:
    """Give a prior that sums to 1, or say what is wrong with it.

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
            f"class_prior={prior!r} must be 'auto', None, or a share for every class."
        ) from error
    if shares.ndim != 1 or not (np.isfinite(shares) & (shares >= 0)).all() or not shares.any():
        raise ValueError(
            f"class_prior={prior!r} must hold a share for every class: not negative, not all 0."
        )
    if n_classes is not None and len(shares) != n_classes:
        raise ValueError(
            f"class_prior has {len(shares)} shares, but y has {n_classes} classes: give one for "
            f"each, in their sorted order."
        )
    prior_shares: FloatArray = shares / shares.sum()
    return prior_shares
