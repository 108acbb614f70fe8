"""Attribution of the forests' label of a row to given rows: shares and paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._propagation import Propagation
from lapoleaf._propagation.attribution import label_path, label_shares
from lapoleaf._propagation.ensemble import shares_by_forest
from lapoleaf._propagation.solve import propagate_checked
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.voters import Voters


class Asked(NamedTuple):
    """A row to be explained.

    Attributes
    ----------
    row : int
        The number of a training row, -1 for a new one.
    X : object
        The row itself, None if it is in the tree.
    voters : Voters
        The voting nodes of the row.
    """

    row: int
    X: Any
    voters: Voters

    @property
    def node(self) -> int | None:
        """The node that equals the row, None if there is none."""
        return int(self.voters.nodes[0, 0]) if self.voters.nearest[0] == 0 else None


@dataclass(frozen=True)
class Reason:
    """A given row that a label comes from.

    Attributes
    ----------
    row : int
        The given row.
    label : object
        Its label.
    share : float
        Its share in the forests' label of the row that is explained.
    path : tuple of int
        Rows from the one that is explained (-1: a new row) to the given one, along links of a
        forest: the path that most forests have.
    forest : int
        A forest that has this path, as a place in ``forests_``.
    frequency : float
        Share of the forests that have it.
    """

    row: int
    label: Any
    share: float
    path: tuple[int, ...]
    forest: int
    frequency: float


class GivenRows(NamedTuple):
    """Given rows of one problem.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Rows that are in the forest and were given a label.
    nodes : ndarray of shape (m,)
        Their nodes.
    weight : ndarray of shape (m,)
        Their weights.
    """

    rows: IntArray
    nodes: IntArray
    weight: FloatArray

    @classmethod
    def of(cls, rows: Rows, is_given: Any) -> GivenRows:
        """Return the given rows; ``is_given`` marks them among all."""
        places = np.flatnonzero(is_given & (rows.node_of >= 0))
        return cls(places, rows.node_of[places], rows.weight[places])

    def without(self, row: int) -> GivenRows:
        """Return all given rows except one."""
        kept = self.rows != row
        return GivenRows(self.rows[kept], self.nodes[kept], self.weight[kept])

    def at(self, node: int) -> GivenRows:
        """Return the given rows of one node."""
        here = self.nodes == node
        return GivenRows(self.rows[here], self.nodes[here], self.weight[here])

    def count_of_nodes(self, n_nodes: int) -> FloatArray:
        """Return how many labels every node was given."""
        return np.bincount(self.nodes, self.weight, n_nodes).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Attribution:
    """The forests' label of a row, attributed to given labels.

    Attributes
    ----------
    model_rows : Rows
        The rows and their forests.
    given : GivenRows
        The rows that were given a label.
    result : Propagation
        How labels were propagated.
    asked : Asked
        The row that is explained.
    """

    model_rows: Rows
    given: GivenRows
    result: Propagation
    asked: Asked

    @classmethod
    def without(
        cls, rows: Rows, rest: GivenRows, labels: FloatArray, result: Propagation, asked: Asked
    ) -> Attribution:
        """Return the attribution of the label that the row has if only ``rest`` is labelled.

        Parameters
        ----------
        rows, asked, result
            See above.
        rest : GivenRows
            The rows that keep their label.
        labels : ndarray of shape (m, K)
            Their labels.
        """
        if len(rows.forests) > 1:
            return cls(rows, rest, result, asked)
        # In a single forest, a tree may now borrow its label from another tree than before.
        count = rest.count_of_nodes(rows.n_nodes)
        sums = np.zeros((rows.n_nodes, labels.shape[1]))
        np.add.at(sums, rest.nodes, rest.weight[:, None] * labels)
        means = sums / np.where(count > 0, count, 1.0)[:, None]
        again = propagate_checked(rows.forest, means, count, result.settings)
        return cls(rows, rest, again, asked)

    @cached_property
    def count(self) -> FloatArray:
        """How many labels every node was given."""
        return self.given.count_of_nodes(self.model_rows.n_nodes)

    @cached_property
    def _voters(self) -> IntArray:
        """Places of the voting nodes that have a positive weight."""
        return np.flatnonzero(self.asked.voters.weights[0] > 0)

    @cached_property
    def _shares(self) -> FloatArray:
        """Shares of given nodes, (n_forests, n_voters, n_given), summing to 1 over all."""
        nodes = self.asked.voters.nodes[0, self._voters].tolist()
        rows, settings = self.model_rows, self.result.settings
        if len(rows.forests) > 1:
            found = shares_by_forest(rows.stack, self.count, settings.mu, nodes)
        else:
            of_nodes = label_shares(rows.forest, self.count, self.result, nodes)
            found = of_nodes[None][:, :, self.count > 0]
        weights = self.asked.voters.weights[0, self._voters]
        weighted: FloatArray = found * weights[:, None] / len(found)
        return weighted

    @cached_property
    def node_shares(self) -> FloatArray:
        """Share of every node in the label, (n_nodes,)."""
        shares = np.zeros(self.model_rows.n_nodes)
        shares[self.count > 0] = self._shares.sum(axis=(0, 1))
        return shares

    @cached_property
    def row_shares(self) -> FloatArray:
        """Share of every given row in the label: nodes are split by the weights of their rows."""
        nodes = self.given.nodes
        shares: FloatArray = self.node_shares[nodes] * self.given.weight / self.count[nodes]
        return shares

    def reasons(self, places: Sequence[int], labels: Sequence[Any]) -> list[Reason]:
        """Return some of the given rows with the paths to them.

        Parameters
        ----------
        places : sequence of int
            Which, as places in ``given``.
        labels : sequence
            Their labels.
        """
        return [self._reason(place, label) for place, label in zip(places, labels, strict=True)]

    def _reason(self, place: int, label: Any) -> Reason:
        row, node = int(self.given.rows[place]), int(self.given.nodes[place])
        nodes, forest, frequency = self._usual_path(node)
        first = self.model_rows.tree.first_rows
        path = [self.asked.row, *first[list(nodes)].tolist()]
        if self.asked.row >= 0 and self.asked.node is not None:
            del path[1]
        if len(path) == 1 and path[0] != row:
            path.append(row)
        path[-1] = row
        return Reason(row, label, float(self.row_shares[place]), tuple(path), forest, frequency)

    def _usual_path(self, given: int) -> tuple[tuple[int, ...], int, float]:
        """Return the most frequent path to a given node, a forest that has it, and its frequency.

        Ties are broken by the share that a path contributes.
        """
        column = int(np.searchsorted(np.flatnonzero(self.count > 0), given))
        voters = self.asked.voters
        frequency: dict[tuple[int, ...], float] = defaultdict(float)
        carried: dict[tuple[int, ...], float] = defaultdict(float)
        forest_of: dict[tuple[int, ...], int] = {}
        for number, forest in enumerate(self.model_rows.forests):
            for place, voter in enumerate(self._voters.tolist()):
                share = float(self._shares[number, place, column])
                if share == 0.0:
                    continue
                start = int(voters.nodes[0, voter])
                path = tuple(label_path(forest, self.count, self.result, start, given).tolist())
                frequency[path] += float(voters.weights[0, voter]) / len(self.model_rows.forests)
                carried[path] += share
                forest_of.setdefault(path, number)
        best = max(frequency, key=lambda path: (round(frequency[path], 12), carried[path]))
        return best, forest_of[best], frequency[best]


def reasons_of_equals(
    asked: Asked, given: GivenRows, shares: FloatArray, places: Sequence[int], labels: Sequence[Any]
) -> list[Reason]:
    """Return given rows that equal a row, or are the row itself, as reasons.

    Parameters
    ----------
    asked : Asked
        The row that is explained.
    given, shares : GivenRows, ndarray of shape (m,)
        Its equals, and the share of each in its label.
    places, labels : sequence
        Which of them, and their labels.
    """
    found = []
    for place, label in zip(places, labels, strict=True):
        row = int(given.rows[place])
        path = (row,) if row == asked.row else (asked.row, row)
        found.append(Reason(row, label, float(shares[place]), path, 0, 1.0))
    return found
