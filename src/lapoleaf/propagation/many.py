"""Labels propagated in many forests, and averaged."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.forest import LeadingForest
from lapoleaf.propagation.attribution import label_shares
from lapoleaf.propagation.exact_labels import label_scale
from lapoleaf.propagation.result import Propagation, Settings
from lapoleaf.propagation.solve import propagate_checked


def propagate_in_all(
    forests: Sequence[LeadingForest],
    labels: FloatArray,
    count: FloatArray,
    settings: Settings,
    threads: int = 1,
) -> Propagation:
    """Propagate label vectors (n_nodes, K) in every forest and give the mean of what they say.

    The variance of the mean is taken to be the mean of the variances: forests of the same points
    err alike. Its scale is estimated from what the mean would be without each given label. The
    result does not depend on the number of threads.

    Parameters
    ----------
    forests : sequence of LeadingForest
        Forests of the same nodes.
    labels : ndarray of shape (n_nodes, K)
        The labels, 0 where not given.
    count : ndarray of shape (n_nodes,)
        How many labels every node was given.
    settings : Settings
        How to propagate; the exact solver where there are several forests.
    threads : int
        Number of threads.
    """

    def one(forest: LeadingForest) -> Propagation:
        return propagate_checked(forest, labels, count, settings)

    first = one(forests[0])
    if len(forests) == 1:
        return first
    given = np.flatnonzero(count > 0)
    total = _Sums(first, given)
    with ThreadPoolExecutor(threads) as pool:
        # A few at a time and in order: memory stays bounded and sums are the same every time.
        for start in range(1, len(forests), threads):
            for result in pool.map(one, forests[start : start + threads]):
                total.add(result)
    return total.mean(first, labels, count)


class _Sums:
    """Sums over the propagations of forests; what concerns given labels is kept for those only."""

    def __init__(self, first: Propagation, given: IntArray) -> None:
        self.given = given
        self.n = 0
        self.labels = np.zeros_like(first.labels)
        self.without = np.zeros((len(given), first.labels.shape[1]))
        self.known = np.zeros(len(given))
        self.own = np.zeros(len(first.labels))
        self.others = np.zeros(len(first.labels))
        self.add(first)

    def add(self, result: Propagation) -> None:
        """Add a propagation."""
        self.n += 1
        self.labels += result.labels
        without = np.asarray(result.leave_one_out)[self.given]
        known = ~np.isnan(without[:, 0])
        self.without[known] += without[known]
        self.known += known
        with np.errstate(divide="ignore"):
            self.own += 1.0 / np.asarray(result.precision)
            self.others += 1.0 / np.asarray(result.others)

    def mean(self, first: Propagation, labels: FloatArray, count: FloatArray) -> Propagation:
        """Give the mean as a propagation of its own."""
        given = self.given
        without = np.full_like(self.labels, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            without[given] = self.without / self.known[:, None]
            precision, others = self.n / self.own, self.n / self.others
        used = given[(self.known > 0) & (others[given] > 0)]
        errors = labels[used] - without[used]
        return Propagation(
            labels=self.labels / self.n,
            settings=first.settings,
            lender=first.lender,
            leave_one_out=without,
            precision=precision,
            others=others,
            noise=first.noise,
            sigma2=label_scale(errors, 1.0 / others[used] + first.noise / count[used]),
        )


def mean_shares(
    forests: Sequence[LeadingForest], count: FloatArray, result: Propagation, node: int
) -> FloatArray:
    """Give the share of every given label in the label of ``node``, the mean over forests.

    Parameters
    ----------
    forests : sequence of LeadingForest
        The forests.
    count : ndarray of shape (n_nodes,)
        How many labels every node was given.
    result : Propagation
        What :func:`propagate_in_all` gave for these.
    node : int
        The node to explain.
    """
    shares = np.zeros(len(count))
    for forest in forests:
        shares += label_shares(forest, count, result, node)
    return shares / len(forests)
