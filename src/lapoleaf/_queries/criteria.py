r"""Criteria for the next label: the gain of a label of each candidate.

A label of node v, with variance :math:`\nu`, takes

.. math:: \frac{(\sum_u a_u Cov_{uv})^2}{Var_v + \nu} \quad and \quad
          \sum_u a_u \frac{Cov_{uv}^2}{Var_v + \nu}

from the variance of :math:`\sum_u a_u L_u` and from the sum of the variances. The first
(:class:`Coverage`) is large for a node in the middle of a dense group, which stands for many. The
second (:class:`VarianceReduction`) is large where labels are most uncertain.

A new criterion is one class with the members of :class:`Criterion`, and one row of
:data:`CRITERIA`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from lapoleaf._propagation import Settings
from lapoleaf._queries.field import Field, LabelModel
from lapoleaf._typing import FloatArray

# Without labels, variances are finite only because of the pull, which sets the range of a label.
_COVERAGE_PULL = 0.003
# A noisy label carries little information on its neighbours, so that dense groups are preferred to
# outliers.
_COVERAGE_NOISE = 7.0
# With labels variances are finite; this avoids divisions by 0 in trees without labels.
_MIN_PULL = 1e-9


class Criterion(Protocol):
    """Objective of the choice of the next label."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the criterion for labels that are propagated with these settings."""

    @property
    def model(self) -> LabelModel:
        """The Gaussian model under which gains are computed."""

    def gains(self, field: Field) -> FloatArray:
        """Return the nonnegative gain of a label of each candidate of the field.

        Gains are summed over forests and targets: they must be comparable between fields. Gains of
        candidates that have a label in this field are ignored.
        """


@dataclass(frozen=True)
class Coverage:
    """Reduction of the variance of the sum of all labels: labels that cover the data.

    Gains are relative to the largest, so that all forests have the same weight: in some, a single
    label would determine nearly all others.

    Attributes
    ----------
    model : LabelModel
        The Gaussian model of the labels.
    """

    model: LabelModel

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the criterion; it depends on the weights of the links only."""
        links = Settings(weights=settings.weights)
        return cls(LabelModel(links, pull=_COVERAGE_PULL, noise=_COVERAGE_NOISE))

    def gains(self, field: Field) -> FloatArray:
        variance, covariance = field.covariances_with_sum()
        found = covariance * (covariance / (variance + field.noise))
        shares: FloatArray = found / (np.max(found, initial=0.0) or 1.0)
        return shares


@dataclass(frozen=True)
class VarianceReduction:
    """Reduction of the sum of the variances of all labels, as the exact solver estimates them.

    Attributes
    ----------
    model : LabelModel
        The Gaussian model of the labels.
    """

    model: LabelModel

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the criterion for the variances of labels propagated with these settings."""
        return cls(LabelModel(settings, pull=_MIN_PULL))

    def gains(self, field: Field) -> FloatArray:
        variance, explained = field.explained_variances()
        return explained * (variance / (variance + field.noise))


#: All criteria by name.
CRITERIA: dict[str, type[Criterion]] = {
    "coverage": Coverage,
    "variance": VarianceReduction,
}
