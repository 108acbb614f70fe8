"""Given labels, merged into labels of nodes, and their errors of leave-one-out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._propagation import Propagation
from lapoleaf._typing import FloatArray, IntArray

# With fewer given labels than this, leave-one-out is too noisy to choose by: the safest candidate
# is taken.
_MIN_LABELS_TO_CHOOSE = 10


@dataclass(frozen=True, eq=False)
class Problem(Value):
    """Labels to propagate, on nodes.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes, K)
        Mean of the labels given to every node, 0 where there is none.
    count : ndarray of shape (n_nodes,)
        Number of labels given to every node.
    disagreement : float
        Variance of the labels given to the same node; 0 if no node was given two.
    """

    labels: FloatArray
    count: FloatArray
    disagreement: float = 0.0

    @cached_property
    def nodes(self) -> IntArray:
        """Nodes that were given a label, ascending."""
        return np.flatnonzero(self.count > 0)

    @cached_property
    def has_few_labels(self) -> bool:
        """Whether there are too few given labels to choose by leave-one-out."""
        return len(self.nodes) < _MIN_LABELS_TO_CHOOSE

    def losses(self, result: Propagation) -> FloatArray:
        """Return the contribution of every given label to the mean squared error of leave-one-out.

        The error is relative to that of predicting the mean of all given labels, which is also the
        prediction for a label that no other label reaches.
        """
        return self.losses_of(np.asarray(result.leave_one_out)[self.count > 0])

    def losses_of(self, without: FloatArray) -> FloatArray:
        """Return the same for leave-one-out predictions (n_given, K)."""
        given = self.count > 0
        labels, share = self.labels[given], self.count[given] / self.count.sum()
        mean = share @ labels
        found = np.where(np.isnan(without), mean, without)
        errors: FloatArray = share * ((labels - found) ** 2).sum(axis=1)
        spread = float(share @ ((labels - mean) ** 2).sum(axis=1))
        return errors / spread if spread > 0 else errors

    def noise(self, result: Propagation) -> float:
        """Return the noise variance of a given label, in the first column.

        The larger one of the variance in the settings and the disagreement within nodes.
        """
        assumed = result.noise * float(np.asarray(result.sigma2)[0]) if result.noise else 0.0
        return max(assumed, self.disagreement)

    def standard_errors(self, result: Propagation) -> FloatArray:
        """Return the error of leave-one-out of every given label in standard deviations.

        For the first column; NaN where no other label reaches.
        """
        given = self.count > 0
        errors = np.abs(self.labels[given, 0] - np.asarray(result.leave_one_out)[given, 0])
        sigma2, others = float(np.asarray(result.sigma2)[0]), np.asarray(result.others)[given]
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = sigma2 / others + self.noise(result) / self.count[given]
            ratios = errors / np.sqrt(expected)
        # If all labels are equal, errors and their standard deviations are 0.
        ratios = np.where(errors > 0, ratios, 0.0)
        return np.where((others > 0) & (sigma2 < np.inf), ratios, np.nan)
