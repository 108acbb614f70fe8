"""Propagation in an ensemble of forests, with averaging."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._forest import LeadingForest
from lapoleaf._parallel import for_each_block, threads_worth
from lapoleaf._propagation import rank_one_kernels, stack_kernels
from lapoleaf._propagation.exact import label_scale
from lapoleaf._propagation.forest_stack import ForestStack, own_weights
from lapoleaf._propagation.result import Propagation, Settings
from lapoleaf._propagation.solve import propagate_checked
from lapoleaf._typing import FloatArray

# Columns of labels that are propagated together: few enough for the processor's cache, and enough
# to amortise the weights of messages, which each block recomputes.
_MAX_LABELS_TOGETHER, _MIN_COLUMNS = 2**18, 32
# Blocks of forests that threads share.
_MAX_BLOCKS = 8


def propagate_ensemble(
    forests: Sequence[LeadingForest],
    labels: FloatArray,
    count: FloatArray,
    settings: Settings,
    threads: int = 1,
) -> Propagation:
    """Propagate label vectors (n_nodes, K) in every forest; return the mean.

    The variance of the mean is taken as the mean of the variances, since errors of forests of the
    same points are correlated. Its scale is estimated from the leave-one-out errors of the mean.
    The result does not depend on the number of threads.

    Parameters
    ----------
    forests : sequence of LeadingForest
        Forests of the same nodes.
    labels : ndarray of shape (n_nodes, K)
        The labels, 0 where not given.
    count : ndarray of shape (n_nodes,)
        Number of labels given to every node.
    settings : Settings
        Settings of the solver; for several forests the exact one, with coupled trees and no pull.
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
    own, given = own_weights(count, settings.mu), np.flatnonzero(count > 0)
    number = np.full(len(count), -1)
    number[given] = np.arange(len(given))

    def propagate_some(some: slice) -> _Sums:
        stack, sums = ForestStack.of(forests[some], settings), _Sums.of(labels.shape, len(given))
        stack_kernels.add_forests(
            stack.order, stack.parent, stack.weight, own, labels, number, *sums
        )
        return sums

    # Blocks do not depend on the number of threads, so that sums are reproducible.
    blocks = list(gen_batches(len(forests), -(-len(forests) // _MAX_BLOCKS)))
    total: _Sums | None = None
    threads = threads_worth(threads, 10.0 * labels.size * len(forests))
    with ThreadPoolExecutor(threads) as pool:
        each = map if threads == 1 else pool.map
        # A few at a time and in order, to bound memory.
        for start in range(0, len(blocks), threads):
            for part in each(propagate_some, blocks[start : start + threads]):
                total = part if total is None else total.plus(part)
    return _mean(cast(_Sums, total), forests, labels, count, settings)


class _Sums(NamedTuple):
    """Sums over the propagations of forests.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes, K)
        The labels of all nodes.
    without : ndarray of shape (n_given, K)
        Labels of the given nodes, in ascending order, without their own.
    known : ndarray of shape (n_given,)
        Number of forests in which there is one.
    variance, variance_of_others : ndarray of shape (n_nodes,)
        One over the precision of every node, and over that without its own label.
    """

    labels: FloatArray
    without: FloatArray
    known: FloatArray
    variance: FloatArray
    variance_of_others: FloatArray

    @classmethod
    def of(cls, shape: tuple[int, ...], n_given: int) -> _Sums:
        """Return sums over no forest."""
        n, columns = shape
        without, known = np.zeros((n_given, columns)), np.zeros(n_given)
        return cls(np.zeros(shape), without, known, np.zeros(n), np.zeros(n))

    def plus(self, part: _Sums) -> _Sums:
        """Return the sums of both, in the arrays of the first."""
        for mine, more in zip(self, part, strict=True):
            mine += more
        return self


def _mean(
    total: _Sums,
    forests: Sequence[LeadingForest],
    labels: FloatArray,
    count: FloatArray,
    settings: Settings,
) -> Propagation:
    """Return the mean over all forests as a propagation; overwrites the sums of labels."""
    given, noise, mean = np.flatnonzero(count > 0), 0.5 / settings.mu, total.labels
    mean /= len(forests)
    without = np.full_like(mean, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        without[given] = total.without / total.known[:, None]
        precision = len(forests) / total.variance
        others = len(forests) / total.variance_of_others
    used = given[(total.known > 0) & (others[given] > 0)]
    errors = labels[used] - without[used]
    return Propagation(
        labels=mean,
        settings=settings,
        lender=np.arange(forests[0].n_trees),
        leave_one_out=without,
        precision=precision,
        others=others,
        noise=noise,
        sigma2=label_scale(errors, 1.0 / others[used] + noise / count[used]),
    )


def shares_by_forest(
    stack: ForestStack, count: FloatArray, mu: float, nodes: Sequence[int], threads: int = 1
) -> FloatArray:
    """Return the shares of given labels in the labels of nodes, by every forest.

    The label of a node by the ensemble is the mean over forests of the given labels, weighted by
    these shares. They are a column of the inverse of the objective's matrix, which is symmetric:
    the response of the given labels to a pull at the node equals their influence on it.

    Parameters
    ----------
    stack : ForestStack
        The forests, with coupled trees.
    count : ndarray of shape (n_nodes,)
        Number of labels given to every node.
    mu : float
        Weight of a given label.
    nodes : sequence of int
        The nodes to explain.
    threads : int, default=1
        Number of threads.

    Returns
    -------
    ndarray of shape (n_forests, len(nodes), n_given)
        For the given nodes, ascending.
    """
    own, given = own_weights(count, mu), np.flatnonzero(count > 0)
    number = np.full(len(count), -1)
    number[given] = np.arange(len(given))
    shares = np.zeros((len(nodes), stack.n_forests, len(given)))

    def fill(some: slice) -> None:
        part = stack.part(some)
        for place, node in enumerate(nodes):
            rank_one_kernels.fill_shares(
                part.order, part.parent, part.weight, own, number, node, shares[place, some]
            )

    blocks = list(gen_batches(stack.n_forests, -(-stack.n_forests // _MAX_BLOCKS)))
    for_each_block(fill, blocks, threads)
    return shares.transpose(1, 0, 2)
