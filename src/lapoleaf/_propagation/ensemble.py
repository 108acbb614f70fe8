"""Labels propagated in an ensemble of forests, and averaged."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation.attribution import label_shares
from lapoleaf._propagation.exact import ExactSolver, label_scale
from lapoleaf._propagation.result import Propagation, Settings
from lapoleaf._propagation.solve import propagate_checked
from lapoleaf._typing import FloatArray, IntArray

# Columns of labels that are propagated together: as many as stay in a processor's cache, but not
# so few that the weights of messages, which each block computes again, cost more than the labels.
_MAX_LABELS_TOGETHER, _MIN_COLUMNS = 2**18, 32


def propagate_ensemble(
    forests: Sequence[LeadingForest],
    labels: FloatArray,
    count: FloatArray,
    settings: Settings,
    threads: int = 1,
) -> Propagation:
    """Propagate label vectors (n_nodes, K) in every forest; return the mean.

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
    if len(forests) == 1:
        return propagate_checked(forests[0], labels, count, settings)
    columns = max(_MIN_COLUMNS, _MAX_LABELS_TOGETHER // len(labels))
    blocks = []
    for at in range(0, max(labels.shape[1], 1), columns):
        some = np.ascontiguousarray(labels[:, at : at + columns])
        blocks.append(_propagate_columns(forests, some, count, settings, threads))
    return blocks[0] if len(blocks) == 1 else _side_by_side(blocks)


def _side_by_side(blocks: list[Propagation]) -> Propagation:
    """Join propagations of different columns of labels."""
    return replace(
        blocks[0],
        labels=np.hstack([block.labels for block in blocks]),
        leave_one_out=np.hstack([np.asarray(block.leave_one_out) for block in blocks]),
        sigma2=np.concatenate([np.asarray(block.sigma2) for block in blocks]),
    )


def _propagate_columns(
    forests: Sequence[LeadingForest],
    labels: FloatArray,
    count: FloatArray,
    settings: Settings,
    threads: int,
) -> Propagation:
    """Propagate some columns of labels."""

    def one(forest: LeadingForest) -> Part:
        return Part.of(forest, labels, count, settings)

    first = one(forests[0])
    total, lender = _Sums(first), first.lender
    del first
    with ThreadPoolExecutor(threads) as pool:
        # A few at a time and in order: memory stays bounded and sums are the same every time.
        for start in range(1, len(forests), threads):
            for part in pool.map(one, forests[start : start + threads]):
                total.add(part)
    return total.mean(lender, labels, count, settings)


class Part(NamedTuple):
    """The propagation in one forest of the ensemble.

    Attributes
    ----------
    labels, precision, others, lender
        See :class:`Propagation`.
    without : ndarray of shape (n_given, K)
        Labels of the given nodes, in ascending order, without their own.
    """

    labels: FloatArray
    precision: FloatArray
    others: FloatArray
    lender: IntArray
    without: FloatArray

    @classmethod
    def of(
        cls, forest: LeadingForest, labels: FloatArray, count: FloatArray, settings: Settings
    ) -> Part:
        """Propagate labels exactly."""
        if settings.coupling > 0.0:
            solver = ExactSolver.on(forest, count, settings)
            given, without = solver.leave_one_out_of_given(labels)
            solution, lender = solver.solve(labels), np.arange(forest.n_trees)
            ascending = without[np.argsort(given)]
            return cls(solution, solver.precision, solver.others, lender, ascending)
        found = propagate_checked(forest, labels, count, settings)
        parts = (found.leave_one_out, found.precision, found.others)
        all_without, precision, others = (np.asarray(part) for part in parts)
        return cls(found.labels, precision, others, found.lender, all_without[count > 0])


class _Sums:
    """Sums over the propagations of forests; what concerns given labels is kept for those only."""

    def __init__(self, first: Part) -> None:
        self.n = 0
        self.labels = np.zeros_like(first.labels)
        self.without = np.zeros_like(first.without)
        self.known = np.zeros(len(first.without))
        self.own = np.zeros(len(first.labels))
        self.others = np.zeros(len(first.labels))
        self.add(first)

    def add(self, part: Part) -> None:
        """Add the propagation in one forest."""
        self.n += 1
        self.labels += part.labels
        known = ~np.isnan(part.without[:, 0])
        self.without[known] += part.without[known]
        self.known += known
        with np.errstate(divide="ignore"):
            self.own += 1.0 / part.precision
            self.others += 1.0 / part.others

    def mean(
        self, lender: IntArray, labels: FloatArray, count: FloatArray, settings: Settings
    ) -> Propagation:
        """Return the mean as a propagation; nothing can be added any more."""
        given = np.flatnonzero(count > 0)
        noise = 0.5 / settings.mu
        self.labels /= self.n
        without = np.full_like(self.labels, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            without[given] = self.without / self.known[:, None]
            precision, others = self.n / self.own, self.n / self.others
        used = given[(self.known > 0) & (others[given] > 0)]
        errors = labels[used] - without[used]
        return Propagation(
            labels=self.labels,
            settings=settings,
            lender=lender,
            leave_one_out=without,
            precision=precision,
            others=others,
            noise=noise,
            sigma2=label_scale(errors, 1.0 / others[used] + noise / count[used]),
        )


def shares_by_forest(
    forests: Sequence[LeadingForest],
    count: FloatArray,
    result: Propagation,
    nodes: Sequence[int],
) -> FloatArray:
    """Return the shares of given labels in the labels of nodes, by every forest.

    The label of a node by the ensemble is the mean over forests of the given labels, weighted by
    these shares.

    Parameters
    ----------
    forests : sequence of LeadingForest
        The forests.
    count : ndarray of shape (n_nodes,)
        How many labels every node was given.
    result : Propagation
        How labels were propagated in them.
    nodes : sequence of int
        The nodes to explain.

    Returns
    -------
    ndarray of shape (n_forests, len(nodes), n_given)
        For the given nodes, ascending.
    """
    given = np.flatnonzero(count > 0)
    return np.stack([label_shares(forest, count, result, nodes)[:, given] for forest in forests])
