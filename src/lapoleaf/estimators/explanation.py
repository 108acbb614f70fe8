"""Why this label: the path of a point up its tree, and the given labels behind its label."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import Propagation
from lapoleaf._propagation.ensemble import mean_shares
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.voters import Voters

# Lines that are printed; the attributes hold everything.
_MOST_LINES = 6
# Nodes that count less than this among those that answer for a row are not explained.
_MIN_VOTE = 0.01


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a point has its label.

    Printed, it is a few lines to read; the same facts are attributes.

    Attributes
    ----------
    row : int or None
        The row that is explained; None for a new row.
    label : object
        Its label: a class, a number, or a vector of numbers.
    confidence : float or None
        Probability of the class; None for numbers.
    path : ndarray of shape (n_steps + 1,)
        Rows from the point up to the root of its tree; -1 stands for a new row.
    layers : ndarray of shape (n_steps + 1,)
        Layers of these rows in their tree (root 0).
    distances : ndarray of shape (n_steps + 1,)
        Distance from each row of the path to the next; 0 for the root.
    deciders : ndarray of shape (n_deciders,)
        Rows whose given labels made what the forests say, the most important first.
    shares : ndarray of shape (n_deciders,)
        How much each of them counted there: not negative, summing to 1.
    decider_labels : list
        Their labels.
    borrowed_from : int or None
        The row at the root of the tree that lent its label, if this tree had none.
    said_by : dict of str to object
        The label by the forests alone (``"forests"``) and by every expert alone (``"ridge"`` for
        classes, ``"trend"`` for numbers); empty where there are only forests.

    Examples
    --------
    >>> from lapoleaf import LaPOLeaFClassifier
    >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
    >>> model = LaPOLeaFClassifier(bandwidth=1.0).fit(X, ["low", None, None, None, "high"])
    >>> why = model.explain(4)
    >>> why.label, why.deciders.tolist(), why.shares.tolist()
    ('high', [4], [1.0])
    """

    row: int | None
    label: Any
    confidence: float | None
    path: IntArray
    layers: IntArray
    distances: FloatArray
    deciders: IntArray
    shares: FloatArray
    decider_labels: list[Any]
    borrowed_from: int | None
    said_by: dict[str, Any] = field(default_factory=dict)

    def _head(self) -> str:
        who = "The new row" if self.row is None else f"Row {self.row}"
        sure = "" if self.confidence is None else f" (confidence {self.confidence:.0%})"
        return f"{who} gets {in_words(self.label)}{sure}."

    def _reasons(self) -> list[str]:
        """One line a fact, the most important first."""
        lines = []
        if self._was_given:
            lines.append("Its label was given.")
        else:
            for row, share, label in self._top():
                lines.append(f"{share:>4.0%} from row {row}, given {in_words(label)}")
            hidden = len(self.deciders) - _MOST_LINES
            if hidden > 0:
                rest = float(self.shares[_MOST_LINES:].sum())
                others = "1 other given label" if hidden == 1 else f"{hidden} other given labels"
                lines.append(f"{rest:>4.0%} from {others}")
        if self.borrowed_from is not None:
            lines.append(
                f"Its tree has no given label: it borrowed from the tree of row "
                f"{self.borrowed_from}."
            )
        if self.said_by and not self._was_given:
            parts = [
                f"the {name} say{'s' * (name != 'forests')} {in_words(label)}"
                for name, label in self.said_by.items()
            ]
            lines.append("By themselves, " + ", ".join(parts) + ".")
        return lines

    @property
    def _was_given(self) -> bool:
        return len(self.deciders) == 1 and self.deciders[0] == self.row

    def _top(self) -> list[tuple[int, float, Any]]:
        shown = slice(0, _MOST_LINES)
        return list(
            zip(
                self.deciders[shown].tolist(),
                self.shares[shown].tolist(),
                self.decider_labels[shown],
                strict=True,
            )
        )

    def _way(self) -> str:
        names = ["new row" if row < 0 else str(row) for row in self.path.tolist()]
        links = [f" -({length:.3g})-> " for length in self.distances[:-1].tolist()]
        steps = [link + name for link, name in zip(links, names[1:], strict=True)]
        if len(steps) > 2 * _MOST_LINES:
            hidden = len(steps) - 2 * _MOST_LINES
            steps[_MOST_LINES:-_MOST_LINES] = [f" ... {hidden} more ..."]
        return names[0] + "".join(steps) + " (root)"

    def __str__(self) -> str:
        return "\n".join(
            [self._head(), *("  " + line for line in self._reasons()), f"  path: {self._way()}"]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        reasons = "".join(f"<li>{html.escape(line)}</li>" for line in self._reasons())
        return (
            f"<div><strong>{html.escape(self._head())}</strong><ul>{reasons}</ul>"
            f"<div>path: <code>{html.escape(self._way())}</code></div></div>"
        )


def in_words(label: Any) -> str:
    """Return a label as a person writes it."""
    if isinstance(label, np.ndarray):
        return "[" + ", ".join(f"{value:.4g}" for value in label.tolist()) + "]"
    if isinstance(label, float | np.floating):
        return f"{label:.6g}"
    return repr(label.item() if isinstance(label, np.generic) else label)


class Asked(NamedTuple):
    """A row to be explained.

    Attributes
    ----------
    row : int
        The number of a training row, -1 for a new one.
    X : object
        The row itself, None if it is in the tree.
    voters : Voters
        The nodes that answer for it.
    """

    row: int
    X: Any
    voters: Voters

    @property
    def node(self) -> int | None:
        """The node that the row is at, None if it is at none."""
        at_node = self.X is None and self.voters.nearest[0] == 0
        return int(self.voters.nodes[0, 0]) if at_node else None


class Answer(NamedTuple):
    """The answer for a row.

    Attributes
    ----------
    label : object
        A class or a number.
    confidence : float or None
        Probability of the class.
    is_kept : bool
        Whether the labels given to the row's node are kept: they alone decide.
    said_by : dict
        The labels of the parts by themselves.
    """

    label: Any
    confidence: float | None
    is_kept: bool
    said_by: dict[str, Any]


def explained(
    rows: Rows,
    asked: Asked,
    answer: Answer,
    problem: Problem,
    result: Propagation,
    given_weight: FloatArray,
    given_label: Callable[[int], Any],
) -> Explanation:
    """Explain a row by one propagation.

    Parameters
    ----------
    rows : Rows
        The rows and their forests.
    asked, answer : Asked, Answer
        The row, and its label.
    problem, result : Problem, Propagation
        The given labels of nodes, and the labels by the forests.
    given_weight : ndarray of shape (n_rows,)
        Weight of every row with a given label, 0 for the others.
    given_label : callable
        Returns the given label of a row.
    """
    tree, forest, voters = rows.tree, rows.forest, asked.voters
    if answer.is_kept:
        shares = (np.arange(tree.n_nodes) == voters.nodes[0, 0]).astype(np.float64)
    else:
        shares = _shares(rows, problem, result, voters)
    deciders, split = shares_of_rows(shares, tree.node_of, given_weight)
    # The path is that of the plain forest, from the node that counts most.
    most = int(voters.weights[0].argmax())
    node, distance = int(voters.nodes[0, most]), float(voters.distances[0, most])
    first_rows = tree.first_rows
    path, layers, steps = path_up(forest, node, first_rows, asked.row, distance)
    own = int(forest.tree_of[node])
    lender = int(result.lender[result.lender[own]])
    return Explanation(
        row=None if asked.row < 0 else asked.row,
        label=answer.label,
        confidence=answer.confidence,
        path=path,
        layers=layers,
        distances=steps,
        deciders=deciders,
        shares=split,
        decider_labels=[given_label(int(decider)) for decider in deciders],
        borrowed_from=None if lender == own else int(first_rows[forest.roots[lender]]),
        said_by=answer.said_by,
    )


def _shares(rows: Rows, problem: Problem, result: Propagation, voters: Voters) -> FloatArray:
    """Return the shares of given labels of nodes in the forests' label of a row."""
    shares = np.zeros(rows.n_nodes)
    for node, weight in zip(voters.nodes[0], voters.weights[0], strict=True):
        if weight >= _MIN_VOTE:
            shares += weight * mean_shares(rows.forests, problem.count, result, int(node))
    total: FloatArray = shares / shares.sum()
    return total


def path_up(
    forest: LeadingForest, node: int, first_rows: IntArray, row: int, distance: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return rows, layers and step lengths from a point to the root of its tree.

    ``row`` is the row of the point, -1 for a new one; it is led by ``node`` at ``distance``, or is
    that node where the distance is 0.
    """
    nodes = forest.path(node)
    path, layers, steps = first_rows[nodes], forest.layer[nodes], forest.tree.delta[nodes].copy()
    steps[-1] = 0.0
    if distance == 0.0 and row >= 0:
        path[0] = row
        return path, layers, steps
    return (
        np.concatenate([[row], path]),
        np.concatenate([[layers[0] + 1], layers]),
        np.concatenate([[distance], steps]),
    )


def shares_of_rows(
    shares: FloatArray, node_of: IntArray, weight: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Split shares of nodes over their rows with a given label; the largest first.

    ``weight`` is the weight of every row with a given label, 0 for the others.
    """
    inside = np.flatnonzero((weight > 0) & (node_of >= 0))
    total = np.bincount(node_of[inside], weight[inside], len(shares))
    split = shares[node_of[inside]] * weight[inside] / total[node_of[inside]]
    keep = split > 0
    order = np.argsort(-split[keep], kind="stable")
    return inside[keep][order], split[keep][order]
