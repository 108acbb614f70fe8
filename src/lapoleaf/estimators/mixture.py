"""Mixture of forests and experts for classes: weights, constants and temperature.

The score of a class is ``t (log(F + e) + r R + ...) + b``: F its share in the forests' labels,
corrected by class mass; R the score of an expert; b a constant of the class; probabilities are the
softmax of the scores. The log-loss of leave-one-out is convex in ``t``, ``t r`` and ``b``: its
minimum is searched from weights that are best on average, and departures from these are penalised,
since few labels carry little information.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import expit, log_softmax, softmax

from lapoleaf._lazy import Value
from lapoleaf._messages import shown
from lapoleaf._parallel import one_blas_thread
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.estimators.contrast import USUAL_CONTRAST
from lapoleaf.estimators.least_loss import least_loss
from lapoleaf.estimators.problem import Problem

# Defaults fitted on 51 data sets: the logarithms of the odds of the forests against all experts,
# and of the sharpness, as functions of the labels per class, the number of classes, and the
# contrast.
_FOREST_ODDS, _ODDS_OF_LABELS, _ODDS_OF_CONTRAST, _MIDDLE_CONTRAST = 1.4, -0.5, -4.0, 0.7
_SHARPNESS, _SHARPNESS_OF_LABELS, _SHARPNESS_OF_CLASSES = 0.2, -0.05, 0.3
# Added to both in tables of categories and counts, where single columns decide the class.
_ODDS_IN_TABLES, _SHARPNESS_IN_TABLES = -1.2, -0.35
# Added to both elsewhere with two labels per class, decreasing to 0 at ten, since experts fitted to
# few labels, some of them wrong, are unreliable.
_ODDS_OF_FEW, _SHARPNESS_OF_FEW, _FEWEST_LABELS, _ENOUGH_LABELS = 1.1, 0.2, 2.0, 10.0
# Share that is spread over all classes, so that no class has probability 0.
FLOOR = 0.1
# Rows mixed at a time, to limit memory.
_ROWS_AT_A_TIME = 65_536
# Pseudo-count of every class in the estimated prior.
_PRIOR_LABELS = 30.0
# Number of labels per class from which on their shares are more signal than noise.
_LABELS_BY_CHANCE = 10.0


@dataclass(frozen=True, eq=False)
class Mixture(Value):
    """Parameters of the mixture.

    Attributes
    ----------
    mass : ndarray of shape (K,)
        Factor of every class in the forests' labels.
    constants : ndarray of shape (K,)
        Constant added to the score of every class.
    shares : tuple of float
        Weight of every expert against the forests.
    sharpness : float
        One over the temperature.
    loss : float
        Log-loss of leave-one-out, plus the penalty.
    """

    mass: FloatArray
    constants: FloatArray
    shares: tuple[float, ...]
    sharpness: float
    loss: float

    def forest_scores(self, labels: FloatArray) -> FloatArray:
        """Return the scores of the classes by the forests' labels (n, K): logarithms."""
        massed = labels * self.mass
        total = massed.sum(axis=1, keepdims=True)
        # Where no label reaches, all classes get equal shares.
        even = np.full(labels.shape, 1.0 / labels.shape[1])
        return log_shares(np.divide(massed, total, out=even, where=total > 0))

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
            found[some] = softmax(self.sharpness * scores + self.constants, axis=1)
        return found

    def contributions(
        self, labels: FloatArray, experts: Mapping[str, FloatArray]
    ) -> dict[str, FloatArray]:
        """Return the contribution of every part to the class scores (K,) of one row.

        They sum to the log-probabilities, up to a constant.

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
        parts["class prior"] = parts["class prior"] + self.constants
        return parts


def log_shares(shares: FloatArray) -> FloatArray:
    """Return the logarithms of class shares (n, K), smoothed so that none is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.estimators.mixture import log_shares
    >>> np.exp(log_shares(np.array([[1.0, 0.0]])))
    array([[1.05, 0.05]])
    """
    logarithms: FloatArray = np.log(shares + FLOOR / shares.shape[1])
    return logarithms


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
        """Labels whose class other nodes have as well: only these can be predicted."""
        known = self.known_to_others
        return known if known.any() else np.ones(len(known), dtype=bool)

    @property
    def comparable(self) -> bool:
        """Whether leave-one-out is informative: some class was given to at least two nodes."""
        return bool(self.known_to_others.any())

    def loss(self, scores: FloatArray) -> float:
        """Return the log-loss of scores (n_given, K), summed over the labels."""
        kept = self.compared
        found = -(self.labels[kept] * log_softmax(scores[kept], axis=1)).sum(axis=1)
        return float(self.count[kept] @ found)

    def estimated_prior(self) -> FloatArray:
        """Return the smoothed share of every class among the given labels."""
        counts = self.count @ self.labels
        smoothed = counts + _PRIOR_LABELS
        prior: FloatArray = smoothed / smoothed.sum()
        return prior

    def tilt(self) -> FloatArray:
        """Return the bias of fitted log-probabilities towards every class.

        Experts fitted to the given labels also fit the shares of the classes among them, which are
        noise if labels are few. As the forests' masses are corrected to the estimated prior, the
        bias of experts is removed, too; less of it with more labels.
        """
        counts = self.count @ self.labels
        chance = _LABELS_BY_CHANCE / (_LABELS_BY_CHANCE + len(self.labels) / len(counts))
        quotient = counts / counts.sum() / self.estimated_prior()
        # There is no correction for a class without labels.
        tilt: FloatArray = chance * np.log(np.where(quotient > 0, quotient, 1.0))
        return tilt


def class_mass(labels: FloatArray, population: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the factors of class columns that make their masses proportional to the prior.

    Parameters
    ----------
    labels : ndarray of shape (n, K)
        Labels of all nodes.
    population : ndarray of shape (n,)
        Number of rows of every node.
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
    experts_without: Sequence[FloatArray] = (),
    usual: Sequence[float] = (),
    *,
    tilts: Sequence[FloatArray] = (),
    contrast: float = USUAL_CONTRAST,
    discreteness: float = 0.0,
    with_constants: bool = True,
) -> Mixture:
    """Fit the mixture by leave-one-out.

    Parameters
    ----------
    given : GivenClasses
        The given labels.
    labels_without : ndarray of shape (n_given, K)
        Their labels by the forests without them; NaN where no other label reaches.
    quotient : ndarray of shape (K,) or None
        See :func:`class_mass`; None for no correction.
    experts_without : sequence of ndarray of shape (n_given, K)
        Their scores by every expert without them.
    usual : sequence of float
        Default weight of every expert among the experts.
    tilts : sequence of ndarray of shape (K,), default=()
        Bias subtracted from the scores of every expert: see :meth:`GivenClasses.tilt`.
    contrast : float, default=0.6
        See :func:`~lapoleaf.estimators.contrast.contrast_of`: the larger, the more experts count.
    discreteness : float, default=0.0
        See :func:`~lapoleaf.estimators.discreteness.discreteness_of`: in a table of categories and
        counts experts count more.
    with_constants : bool, default=True
        Whether classes may have constants.
    """
    n_classes = given.labels.shape[1]
    mass = np.ones(n_classes) if quotient is None else quotient
    plain = Mixture(mass, np.zeros(n_classes), (0.0,) * len(experts_without), 1.0, 0.0)
    start = _usual_weights(given, usual, contrast, discreteness)
    of_experts = np.zeros((len(experts_without), n_classes))
    if tilts:
        of_experts[:] = tilts
    # If every label is the only one of its class, leave-one-out misses all and carries no
    # information.
    if not given.comparable:
        shares = tuple((start[1:] / start[0]).tolist())
        moved = -start[1:] @ of_experts
        return replace(plain, constants=moved, shares=shares, sharpness=float(start[0]))
    kept = given.compared
    without = np.nan_to_num(labels_without[kept])
    pairs = zip(experts_without, of_experts, strict=True)
    scores = [plain.forest_scores(without), *(expert[kept] - tilt for expert, tilt in pairs)]
    parts = np.stack([score - score.mean(axis=1, keepdims=True) for score in scores])
    with one_blas_thread():
        weights, constants, loss = least_loss(
            parts, given.labels[kept], given.count[kept], start, with_constants
        )
    constants = constants - weights[1:] @ of_experts
    return Mixture(
        mass, constants, tuple((weights[1:] / weights[0]).tolist()), float(weights[0]), loss
    )


def _usual_weights(
    given: GivenClasses, usual: Sequence[float], contrast: float, discreteness: float
) -> FloatArray:
    """Return the default weights of forests and experts."""
    n_classes = given.labels.shape[1]
    # Labels are counted without their weights, which may be in any unit.
    m = np.log(max(len(given.count) / n_classes, 1.0))
    sharpness = _SHARPNESS + _SHARPNESS_OF_LABELS * m + _SHARPNESS_OF_CLASSES * np.log(n_classes)
    if not usual:
        return np.array([np.exp(sharpness)])
    few = np.interp(m, np.log([_FEWEST_LABELS, _ENOUGH_LABELS]), [1.0, 0.0])
    few = few * (1.0 - discreteness)
    odds = _FOREST_ODDS + _ODDS_OF_LABELS * m + _ODDS_OF_CONTRAST * (contrast - _MIDDLE_CONTRAST)
    odds += _ODDS_OF_FEW * few + _ODDS_IN_TABLES * discreteness
    sharpness += _SHARPNESS_OF_FEW * few + _SHARPNESS_IN_TABLES * discreteness
    of_forests = float(expit(odds))
    among = np.asarray(usual, dtype=np.float64)
    weights: FloatArray = np.exp(sharpness) * np.append(of_forests, (1.0 - of_forests) * among)
    return weights


def checked_prior(prior: Any, n_classes: int | None = None) -> FloatArray:
    """Return a prior normalised to sum to 1; raise for an invalid one.

    Parameters
    ----------
    prior : array-like of shape (n_classes,)
        Expected shares of the classes.
    n_classes : int, default=None
        Number of classes, if known.
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
