r"""Which nodes to label next: those whose label would tell most of all others.

Labels of a tree are Gaussian given those that are known, as they are for the exact solver. A label
of node v takes

.. math:: \frac{(\sum_u a_u Cov_{uv})^2}{Var_v + \nu} \quad and \quad
          \sum_u a_u \frac{Cov_{uv}^2}{Var_v + \nu}

from the variance of :math:`\sum_u a_u L_u` and from the sum of the variances. The first is large
for a node in the middle of many that hang together: it covers the data. The second is large where
much is unknown. Both are known for all nodes after two passes over a tree, and nodes are taken one
after the other, each given those before it, so that no two tell the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.forest import LeadingForest
from lapoleaf.propagation import suggesting_kernels as kernels
from lapoleaf.propagation.exact import ExactSolver
from lapoleaf.propagation.result import Settings

# Among so many nodes, or so many times the wanted ones, the best are looked for.
_CANDIDATES, _CANDIDATES_EACH = 3000, 10
# A label that is kept outweighs all that is known of a node by this factor.
_FOR_SURE = 1e9


@dataclass(frozen=True)
class Aim:
    """What suggested labels are for.

    Attributes
    ----------
    cover : bool
        Whether to cover the data (the variance of the sum of all labels), or to make every label
        surer (the sum of their variances).
    weights : {"inverse", "self-tuned"}
        Weights of the links.
    coupling : float
        What remains of the links that the forests cut.
    pull : float
        Weight of the pull of every row to zero, in mean degrees: how little one label says of
        those far away.
    mu : float
        Weight of a label, as in :func:`lapoleaf.propagate`.
    noise : float
        Variance of a label in units of the variance of a link of weight 1.
    """

    cover: bool
    weights: str
    coupling: float = 1.0
    pull: float = 0.003
    mu: float = np.inf
    noise: float = 0.0


def suggest_nodes(
    forests: Sequence[LeadingForest],
    counts: Sequence[FloatArray],
    concern: FloatArray,
    n: int,
    aim: Aim,
    threads: int = 1,
    verbose: int = 0,
) -> IntArray:
    """Give the nodes to label next, the most telling first.

    Gains are summed over all forests; those of covering the data in shares of the largest, so that
    every forest counts as much. In a large forest some nodes are candidates: of those that
    hang together the one with the largest gain at first. The forests are thinned out to these,
    which changes no gain of theirs. The result does not depend on the number of threads.

    Parameters
    ----------
    forests : sequence of LeadingForest
        Forests of the same nodes.
    counts : sequence of ndarray of shape (n_nodes,)
        How many labels every node was given, for every target.
    concern : ndarray of shape (n_nodes,)
        How much the label of every node matters, not negative.
    n : int
        Number of nodes wanted.
    aim : Aim
        What they are for.
    threads, verbose : int
        Number of threads; whether to report progress.

    Returns
    -------
    ndarray of shape (m,)
        Nodes without a label for some target, each once; fewer than ``n`` if there are no more.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf import LeadingForest, LeadingTree
    >>> from lapoleaf.propagation.suggesting import Aim, suggest_nodes
    >>> tree = LeadingTree(density=[5, 4, 3, 2, 1], delta=[9] + [1] * 4, parent=[-1, 0, 1, 2, 3])
    >>> aim = Aim(cover=True, weights="inverse")
    >>> nobody, everybody = np.zeros(5), np.ones(5)
    >>> suggest_nodes([LeadingForest(tree, roots=[0])], [nobody], everybody, 1, aim)
    array([2])
    """
    problems = [_Problem(forest, count, concern, aim) for count in counts for forest in forests]
    candidates: IntArray = np.flatnonzero(np.min(counts, axis=0) == 0)
    most = max(_CANDIDATES, _CANDIDATES_EACH * n)
    progress = Progress("suggestions", n, verbose)
    taken: list[int] = []
    with ThreadPoolExecutor(threads) as pool:
        if len(candidates) > most:
            first = _total(pool.map(partial(_gains_at, candidates), problems))
            candidates = _best_of_neighbours(forests[0], candidates, first, most)
        fields = list(pool.map(partial(_thinned_to, candidates), problems))
        for _ in range(min(n, len(candidates))):
            gains = _total(pool.map(_Field.gains, fields))
            gains[taken] = -np.inf
            taken.append(int(gains.argmax()))
            for field in fields:
                field.give_label(taken[-1])
            progress.advance()
    return candidates[taken]


@dataclass(frozen=True, eq=False)
class _Problem:
    """A forest, what is known in it, and what is to be known."""

    forest: LeadingForest
    count: FloatArray
    concern: FloatArray
    aim: Aim


@dataclass(frozen=True, eq=False)
class _Field:
    """A forest in density order, what is known in it, and the nodes that may be labelled.

    Attributes
    ----------
    parent, weight, mass, linear, square, cross : ndarray of shape (n,)
        See :mod:`lapoleaf.propagation.suggesting_kernels`.
    place : ndarray of shape (m,)
        Places of the candidates.
    label : ndarray of shape (m,)
        Weight that a label of each of them would have.
    aim : Aim
        What labels are for.
    """

    parent: IntArray
    weight: FloatArray
    mass: FloatArray
    linear: FloatArray
    square: FloatArray
    cross: FloatArray
    place: IntArray
    label: FloatArray
    aim: Aim

    @classmethod
    def of(cls, problem: _Problem, nodes: IntArray) -> _Field:
        """Give the field of a forest; ``nodes`` are the candidates."""
        forest, aim = problem.forest, problem.aim
        settings = Settings("exact", aim.mu, aim.weights, aim.coupling)
        solver = ExactSolver.on(forest, problem.count, settings)
        order, population = solver.order, forest.tree.population
        # Weights of rows in other units change nothing.
        unit = population.mean()
        weight = solver.weight / unit
        degree = weight + np.bincount(solver.parent[1:], weight[1:], len(weight))
        pull = aim.pull * (degree.mean() or 1.0) * population[order] / unit
        surely = _FOR_SURE * (degree + pull)
        mass = pull + np.where(solver.clamped, surely, solver.count / unit)
        place = forest.tree.rank[nodes]
        label = surely[place] if np.isinf(aim.mu) else np.full(len(nodes), 2.0 * aim.mu)
        amount = problem.concern[order]
        return cls(
            solver.parent, weight, mass, amount, amount, np.zeros(len(order)), place, label, aim
        )

    def thinned(self) -> _Field:
        """Give the field of the candidates, of those where their ways part, and of the root."""
        kept = np.zeros(len(self.parent), dtype=bool)
        kept[self.place] = True
        stays, parent, weight, mass, linear, square, cross = kernels.thin_tree(
            self.parent, self.weight, self.mass, self.linear, kept
        )
        number = np.cumsum(stays) - 1
        left = np.flatnonzero(stays)
        return _Field(
            np.append(-1, number[parent[left[1:]]]),
            weight[left],
            mass[left],
            linear[left],
            square[left],
            cross[left],
            number[self.place],
            self.label,
            self.aim,
        )

    def gains(self) -> FloatArray:
        """Give what a label of each candidate would gain."""
        tree = self.parent, self.weight, self.mass
        if not self.aim.cover:
            whole = kernels.sums_of_gains(*tree, self.square, self.cross, self.aim.noise)
            return whole[self.place]
        found = kernels.gains_of_sum(*tree, self.linear, self.aim.noise)[self.place]
        # Every forest counts as much: in some a single label would tell of nearly everything.
        return found / (found.max(initial=0.0) or 1.0)

    def give_label(self, which: int) -> None:
        """Take a candidate for labelled from now on."""
        self.mass[self.place[which]] += self.label[which]


def _gains_at(nodes: IntArray, problem: _Problem) -> FloatArray:
    return _Field.of(problem, nodes).gains()


def _thinned_to(nodes: IntArray, problem: _Problem) -> _Field:
    return _Field.of(problem, nodes).thinned()


def _total(gains: Iterable[FloatArray]) -> FloatArray:
    total: FloatArray = np.add.reduce(list(gains))
    return total


def _best_of_neighbours(
    forest: LeadingForest, nodes: IntArray, gains: FloatArray, n: int
) -> IntArray:
    """Give of nodes that hang together in a forest the one with the largest gain: at most n."""
    tree = forest.tree
    parent = np.append(-1, tree.rank[tree.parent[tree.order[1:]]])
    walk = kernels.depth_first(parent)[tree.rank[nodes]]
    group = walk * n // tree.n_nodes
    ranked = np.lexsort((nodes, -gains, group))
    first = np.unique(group[ranked], return_index=True)[1]
    return np.sort(nodes[ranked[first]])
