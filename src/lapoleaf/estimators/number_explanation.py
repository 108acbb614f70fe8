"""Explanations of numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.estimators.attribution import (
    Asked,
    Attribution,
    GivenRows,
    Reason,
    reasons_of_equals,
)
from lapoleaf.estimators.explanation import MOST_REASONS_OF_NUMBERS, Explanation
from lapoleaf.estimators.number_labelling import NumberLabelling, TargetLabelling
from lapoleaf.estimators.root_path import root_path
from lapoleaf.estimators.state import Fitted
from lapoleaf.estimators.targets import Targets


def explain_number(
    fitted: Fitted[Targets, NumberLabelling], asked: Asked, target: int, threads: int
) -> Explanation:
    """Explain the number of a row.

    Parameters
    ----------
    fitted : Fitted
        What was learnt.
    asked : Asked
        The row.
    target : int
        Which target, where there are several.
    threads : int
        Number of threads.
    """
    numbers = fitted.given.columns[:, target]
    known = GivenRows.of(fitted.rows, ~np.isnan(numbers))
    question = _Question(fitted, asked, target, numbers)
    answer = question.answer(known, threads)
    if asked.row not in known.rows:
        return question.explanation(answer)
    rest, others = known.without(asked.row), None
    if len(rest.rows):
        others = question.explanation(question.without(rest))
    return question.explanation(answer, is_given=True, others=others)


class _Answer(NamedTuple):
    """The number of a row, and where it comes from.

    Attributes
    ----------
    value : float
        The number.
    parts : dict of str to float
        Contribution of every part to it.
    predicted_by : dict of str to float
        The number by every part alone.
    given : GivenRows
        The given rows.
    shares : ndarray of shape (m,)
        The share of each of them in the forests' number.
    attribution : Attribution or None
        The forests' paths; None where equal rows decide alone.
    """

    value: float
    parts: dict[str, float]
    predicted_by: dict[str, float]
    given: GivenRows
    shares: FloatArray
    attribution: Attribution | None


class _Question(NamedTuple):
    """A row and a target that are asked for.

    Attributes
    ----------
    fitted, asked, target
        See :func:`explain_number`.
    numbers : ndarray of shape (n_rows,)
        The given numbers of the target.
    """

    fitted: Fitted[Targets, NumberLabelling]
    asked: Asked
    target: int
    numbers: FloatArray

    @property
    def part(self) -> TargetLabelling:
        """The labelling of the target."""
        return self.fitted.labelling.targets[self.target]

    @property
    def scale(self) -> float:
        """The unit of the target."""
        return float(self.fitted.labelling.scales[self.target])

    def answer(self, known: GivenRows, threads: int) -> _Answer:
        """Return the answer by all given numbers."""
        labelling, part, node = self.fitted.labelling, self.part, self.asked.node
        # With the three stages a new row has the number of its leader.
        decider = int(self.asked.voters.nodes[0, 0]) if labelling.std is None else node
        if decider is not None and labelling.keeps[self.target] and part.problem.count[decider] > 0:
            return self.decided_by(known.at(decider))
        attribution = Attribution(self.fitted.rows, known, part.result, self.asked)
        experts = part.expert_values(self.fitted.rows.points, node, self.asked.X)
        forests = float(self.asked.voters.mean(part.result.labels)[0, 0])
        answer = self._mixed(forests, experts, known, attribution)
        if node is not None:
            return answer._replace(value=float(labelling.values[node, self.target]))
        found = labelling.of_new(self.fitted.rows, self.asked.X, self.asked.voters, threads)
        return answer._replace(value=float(found[0][0, self.target]))

    def without(self, rest: GivenRows) -> _Answer:
        """Return the answer for a given row without its own number, settings unchanged."""
        rows, part = self.fitted.rows, self.part
        node = int(rows.node_of[self.asked.row])
        if self.fitted.labelling.keeps[self.target] and (rest.nodes == node).any():
            return self.decided_by(rest.at(node))
        labels = self.numbers[rest.rows, None] / self.scale
        attribution = Attribution.without(rows, rest, labels, part.result, self.asked)
        forests = float((attribution.row_shares @ labels)[0])
        return self._mixed(forests, part.expert_values_without(node), rest, attribution)

    def decided_by(self, equal: GivenRows) -> _Answer:
        """Return the answer of given rows that equal the row, or are the row itself."""
        shares = equal.weight / equal.weight.sum()
        value = float(shares @ self.numbers[equal.rows])
        return _Answer(value, {"equal rows": value}, {}, equal, shares, None)

    def _mixed(
        self, forests: float, experts: list[float], given: GivenRows, attribution: Attribution
    ) -> _Answer:
        part, scale, shares = self.part, self.scale, attribution.row_shares
        if not part.experts:
            value = scale * forests
            return _Answer(value, {"forests": value}, {}, given, shares, attribution)
        names = ["forests", *(expert.name for expert in part.experts)]
        predicted_by = dict(
            zip(names, [scale * value for value in (forests, *experts)], strict=True)
        )
        weights = dict(zip(names, (part.forest_share, *part.expert_shares), strict=True))
        # Terms of weight 0 are left out, even if infinite.
        parts = {
            name: weights[name] * predicted_by[name] if weights[name] > 0 else 0.0 for name in names
        }
        return _Answer(sum(parts.values()), parts, predicted_by, given, shares, attribution)

    def explanation(
        self, answer: _Answer, *, is_given: bool = False, others: Explanation | None = None
    ) -> Explanation:
        """Return an answer as an explanation."""
        order = np.argsort(-answer.shares, kind="stable")
        order = order[answer.shares[order] > 0]
        deciders = answer.given.rows[order]
        labels = self.numbers[deciders].tolist()
        return Explanation(
            row=None if self.asked.row < 0 else self.asked.row,
            label=answer.value,
            confidence=None,
            given=is_given,
            best=None,
            runner_up=None,
            log_odds=None,
            parts=answer.parts,
            forest_shares={},
            reasons=tuple(self._reasons(answer, order[:MOST_REASONS_OF_NUMBERS].tolist(), labels)),
            deciders=deciders,
            shares=answer.shares[order],
            decider_labels=labels,
            predicted_by=answer.predicted_by,
            others=others,
            **root_path(self.fitted.rows, self.asked, self.part.result)._asdict(),
            _words={expert.name: expert.description for expert in self.part.experts},
        )

    def _reasons(self, answer: _Answer, top: list[int], labels: list[Any]) -> list[Reason]:
        labels = labels[: len(top)]
        if answer.attribution is None:
            return reasons_of_equals(self.asked, answer.given, answer.shares, top, labels)
        return answer.attribution.reasons(top, labels)
