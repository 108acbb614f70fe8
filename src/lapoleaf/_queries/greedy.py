"""Greedy selection of the nodes to label next, each as if the earlier ones were labelled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._progress import Progress
from lapoleaf._queries.covariance_kernels import best_of_stretches
from lapoleaf._queries.criteria import Criterion
from lapoleaf._queries.field import Field
from lapoleaf._tree.walk_kernels import depth_first
from lapoleaf._typing import FloatArray, IntArray

# Number of candidates in a large forest: at least the first, and the second for each wanted node.
_MIN_CANDIDATES, _CANDIDATES_PER_SUGGESTION = 3000, 10
# Maximum number of nodes for which the fields of all forests are kept from the first gains to the
# thinning, and number of forests whose gains are computed together, to save overhead.
_MAX_NODES_KEPT, _FIELDS_AT_A_TIME = 2_000_000, 4


@dataclass(frozen=True, eq=False)
class Target:
    """One target of the labels: its known labels, and the criterion for more.

    Attributes
    ----------
    count : ndarray of shape (n_nodes,)
        Number of labels given to every node.
    concern : ndarray of shape (n_nodes,)
        Nonnegative concern for the label of every node.
    criterion : Criterion
        The criterion, such as ``CRITERIA["coverage"].from_settings(settings)``.
    """

    count: FloatArray
    concern: FloatArray
    criterion: Criterion


def suggest_nodes(
    forests: Sequence[LeadingForest],
    targets: Sequence[Target],
    n: int,
    *,
    row_weight: FloatArray | None = None,
    threads: int = 1,
    verbose: int = 0,
) -> IntArray:
    """Return the nodes to label next, the largest gain first.

    Gains are summed over all forests and targets. In a large forest only some nodes are candidates:
    the one with the largest initial gain in every stretch of a depth-first walk. The forests are
    thinned to these, which does not change gains. The result does not depend on the number of
    threads.

    Parameters
    ----------
    forests : sequence of LeadingForest
        Forests of the same nodes.
    targets : sequence of Target
        The targets. A suggested node is assumed to get all targets that it lacks.
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
    >>> from lapoleaf._propagation import Settings
    >>> from lapoleaf._queries import CRITERIA, Target, suggest_nodes
    >>> tree = LeadingTree(density=[5, 4, 3, 2, 1], delta=[9] + [1] * 4, parent=[-1, 0, 1, 2, 3])
    >>> coverage = CRITERIA["coverage"].from_settings(Settings())
    >>> target = Target(np.zeros(5), np.ones(5), coverage)
    >>> suggest_nodes([LeadingForest(tree, roots=[0])], [target], 1)
    array([2])
    """
    n_nodes = forests[0].tree.n_nodes
    weight = np.ones(n_nodes) if row_weight is None else row_weight
    lacking = np.min([target.count for target in targets], axis=0) == 0
    candidates: IntArray = np.flatnonzero(lacking)
    keeps = n_nodes * len(forests) * len(targets) <= _MAX_NODES_KEPT
    problems = [
        _Problem(forest, target, weight, candidates, keeps)
        for target in targets
        for forest in forests
    ]
    most = max(_MIN_CANDIDATES, _CANDIDATES_PER_SUGGESTION * n)
    which: IntArray = np.arange(len(candidates))
    taken: list[int] = []
    with ThreadPoolExecutor(threads) as pool:
        if len(candidates) > most:
            first = _total(pool.map(_first_gains, problems))
            which = _best_of_neighbours(forests[0], candidates, first, most)
        candidates = candidates[which]
        wanted = min(n, len(candidates))
        progress = Progress("suggestions", wanted, verbose)
        fields = list(pool.map(partial(_thinned_field, which), problems))
        pairs = [(p.target.criterion, field) for p, field in zip(problems, fields, strict=True)]
        blocks = [
            pairs[at : at + _FIELDS_AT_A_TIME] for at in range(0, len(pairs), _FIELDS_AT_A_TIME)
        ]
        for _ in range(wanted):
            gains = _total(chain.from_iterable(pool.map(_gains_of_some, blocks)))
            gains[taken] = -np.inf
            taken.append(int(gains.argmax()))
            for field in fields:
                field.add_label(taken[-1])
            progress.advance()
    return candidates[taken]


def check_n(n: Any) -> int:
    """Return ``n``, validated as a number of rows to suggest.

    Parameters
    ----------
    n : object
        The value passed by the user.

    Raises
    ------
    ValueError
        If it is not a whole number, or less than 1.
    """
    if not is_whole(n) or n < 1:
        value = shown(n) if np.ndim(n) == 0 else f"an array of shape {np.shape(n)}"
        raise ValueError(
            f"n={value} must be a whole number of rows to suggest, at least 1; the rows to choose "
            f"from are given by X=..."
        )
    return int(n)


@dataclass(frozen=True, eq=False)
class _Problem:
    """A target in a forest."""

    forest: LeadingForest
    target: Target
    row_weight: FloatArray
    candidates: IntArray
    keeps_field: bool

    @property
    def field(self) -> Field:
        """The field of the target's labels, of all candidates."""
        if self.keeps_field:
            return self._field
        return self._computed_field()

    @cached_property
    def _field(self) -> Field:
        return self._computed_field()

    def _computed_field(self) -> Field:
        target = self.target
        return Field.on(
            self.forest,
            target.criterion.model,
            self.candidates,
            count=target.count,
            concern=target.concern,
            row_weight=self.row_weight,
        )


def _first_gains(problem: _Problem) -> FloatArray:
    return _gains(problem.target.criterion, problem.field)


def _thinned_field(which: IntArray, problem: _Problem) -> Field:
    return problem.field.with_candidates(which).thinned()


def _gains_of_some(pairs: Sequence[tuple[Criterion, Field]]) -> list[FloatArray]:
    return [_gains(criterion, field) for criterion, field in pairs]


def _gains(criterion: Criterion, field: Field) -> FloatArray:
    """Return the gain of each candidate, 0 for those that have a label of this target."""
    return np.where(field.label > 0.0, criterion.gains(field), 0.0)


def _total(gains: Iterable[FloatArray]) -> FloatArray:
    total: FloatArray = np.add.reduce(list(gains))
    return total


def _best_of_neighbours(
    forest: LeadingForest, nodes: IntArray, gains: FloatArray, n: int
) -> IntArray:
    """Return the indices of at most n nodes: those of largest gain in every stretch of a walk.

    The walk is depth first; places are those among ``nodes``, ascending.
    """
    tree = forest.tree
    parent = np.append(-1, tree.rank[tree.parent[tree.order[1:]]])
    walk = depth_first(parent)[tree.rank[nodes]]
    return best_of_stretches(walk, gains, tree.n_nodes, n)
