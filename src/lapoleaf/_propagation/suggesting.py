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

from lapoleaf._forest import LeadingForest
from lapoleaf._progress import Progress
from lapoleaf._propagation import suggesting_kernels as kernels
from lapoleaf._propagation.exact import ExactSolver
from lapoleaf._propagation.result import Settings
from lapoleaf._typing import FloatArray, IntArray

# Among so many nodes, or so many times the wanted ones, the best are looked for.
_MIN_CANDIDATES, _CANDIDATES_PER_NODE = 3000, 10
# A label that is kept outweighs all that is known of a node by this factor.
_KEPT_LABEL_FACTOR = 1e9


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
        Variance of a label besides that of its weight, in units of one over the mean degree.
    """

    cover: bool
    weights: str
    coupling: float = 1.0
    pull: float = 0.003
    mu: float = np.inf
    noise: float = 0.0


@dataclass(frozen=True, eq=False)
class Target:
    """One target of the labels: what is known of it, and what more labels are for.

    Attributes
    ----------
    count : ndarray of shape (n_nodes,)
        How many labels every node was given.
    concern : ndarray of shape (n_nodes,)
        How much the label of every node matters, not negative.
    aim : Aim
        What more labels are for.
    """

    count: FloatArray
    concern: FloatArray
    aim: Aim


def suggest_nodes(
    forests: Sequence[LeadingForest],
    targets: Sequence[Target],
    n: int,
    *,
    row_weight: FloatArray | None = None,
    threads: int = 1,
    verbose: int = 0,
) -> IntArray:
    """Return the nodes to label next, the most telling first.

    Gains are summed over all forests; those of covering the data in shares of the largest, so that
    every forest counts as much. In a large forest some nodes are candidates: of those that hang
    together the one with the largest gain at first. The forests are thinned out to these, which
    changes no gain of theirs. The result does not depend on the number of threads.

    Parameters
    ----------
    forests : sequence of LeadingForest
        Forests of the same nodes.
    targets : sequence of Target
        What labels are for. A suggested node is taken to get all targets that it lacks.
    n : int
        Number of nodes wanted.
    row_weight : ndarray of shape (n_nodes,), default=None
        Weight of the row that would be labelled at every node, 1 if None.
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
    >>> from lapoleaf._propagation.suggesting import Aim, Target, suggest_nodes
    >>> tree = LeadingTree(density=[5, 4, 3, 2, 1], delta=[9] + [1] * 4, parent=[-1, 0, 1, 2, 3])
    >>> target = Target(np.zeros(5), np.ones(5), Aim(cover=True, weights="inverse"))
    >>> suggest_nodes([LeadingForest(tree, roots=[0])], [target], 1)
    array([2])
    """
    weight = np.ones(forests[0].tree.n_nodes) if row_weight is None else row_weight
    problems = [_Problem(forest, target, weight) for target in targets for forest in forests]
    free = np.min([target.count for target in targets], axis=0) == 0
    candidates: IntArray = np.flatnonzero(free)
    most = max(_MIN_CANDIDATES, _CANDIDATES_PER_NODE * n)
    taken: list[int] = []
    with ThreadPoolExecutor(threads) as pool:
        if len(candidates) > most:
            first = _total(pool.map(partial(_gains_at, candidates), problems))
            candidates = _best_of_neighbours(forests[0], candidates, first, most)
        wanted = min(n, len(candidates))
        progress = Progress("suggestions", wanted, verbose)
        fields = list(pool.map(partial(_thinned_to, candidates), problems))
        for _ in range(wanted):
            gains = _total(pool.map(_Field.gains, fields))
            gains[taken] = -np.inf
            taken.append(int(gains.argmax()))
            for field in fields:
                field.give_label(taken[-1])
            progress.advance()
    return candidates[taken]


@dataclass(frozen=True, eq=False)
class _Problem:
    """A target in a forest."""

    forest: LeadingForest
    target: Target
    row_weight: FloatArray


@dataclass(frozen=True, eq=False)
class _Field:
    """A forest in density order, what is known in it, and the nodes that may be labelled.

    Attributes
    ----------
    parent, weight, mass, linear, square, cross : ndarray of shape (n,)
        See :mod:`lapoleaf._propagation.suggesting_kernels`.
    place : ndarray of shape (m,)
        Places of the candidates.
    label : ndarray of shape (m,)
        Weight that a label of each of them would have; 0 for those that have one.
    noise : ndarray of shape (m,)
        Variance that it would have.
    cover : bool
        Whether to cover the data.
    """

    parent: IntArray
    weight: FloatArray
    mass: FloatArray
    linear: FloatArray
    square: FloatArray
    cross: FloatArray
    place: IntArray
    label: FloatArray
    noise: FloatArray
    cover: bool

    @classmethod
    def of(cls, problem: _Problem, nodes: IntArray) -> _Field:
        """Return the field of a forest; ``nodes`` are the candidates."""
        forest, target = problem.forest, problem.target
        aim = target.aim
        settings = Settings("exact", aim.mu, aim.weights, aim.coupling)
        solver = ExactSolver.on(forest, target.count, settings)
        order, population = solver.order, forest.tree.population
        # Weights of rows in other units change nothing.
        unit = population.mean()
        weight = solver.weight / unit
        degree = weight + np.bincount(solver.parent[1:], weight[1:], len(weight))
        usual = degree.mean() or 1.0
        pull = aim.pull * usual * population[order] / unit
        surely = _KEPT_LABEL_FACTOR * (degree + pull)
        mass = pull + np.where(solver.clamped, surely, solver.count / unit)
        place = forest.tree.rank[nodes]
        if np.isinf(aim.mu):
            label, own_noise = surely[place], 0.0
        else:
            label = 2.0 * aim.mu * problem.row_weight[nodes] / unit
            own_noise = 1.0 / label
        amount = target.concern[order]
        return cls(
            solver.parent,
            weight,
            mass,
            linear=amount,
            square=amount,
            cross=np.zeros(len(order)),
            place=place,
            label=np.where(target.count[nodes] > 0, 0.0, label),
            noise=own_noise + np.full(len(nodes), aim.noise / usual),
            cover=aim.cover,
        )

    def thinned(self) -> _Field:
        """Return the field of the candidates, of those where their ways part, and of the root."""
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
            self.noise,
            self.cover,
        )

    def gains(self) -> FloatArray:
        """Return what a label of each candidate would gain."""
        tree = self.parent, self.weight, self.mass
        if self.cover:
            variance, covariance = (
                each[self.place] for each in kernels.covariances_with_sum(*tree, self.linear)
            )
            found = covariance * (covariance / (variance + self.noise))
            # Every forest counts as much: in some a single label would tell of nearly everything.
            found = found / (found.max(initial=0.0) or 1.0)
        else:
            variance, sums = (
                each[self.place]
                for each in kernels.sums_of_correlations(*tree, self.square, self.cross)
            )
            found = sums * (variance / (variance + self.noise))
        return np.where(self.label > 0.0, found, 0.0)

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
    """Return the node of the largest gain of each of n groups of neighbours in a forest."""
    tree = forest.tree
    parent = np.append(-1, tree.rank[tree.parent[tree.order[1:]]])
    walk = kernels.depth_first(parent)[tree.rank[nodes]]
    group = np.empty(len(nodes), dtype=np.int64)
    group[np.argsort(walk)] = np.arange(len(nodes)) * n // len(nodes)
    ranked = np.lexsort((nodes, -gains, group))
    first = np.unique(group[ranked], return_index=True)[1]
    return np.sort(nodes[ranked[first]])
