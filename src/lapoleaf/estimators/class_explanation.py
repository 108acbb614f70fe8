"""Explanations of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.attribution import (
    Asked,
    Attribution,
    GivenRows,
    Reason,
    reasons_of_equals,
)
from lapoleaf.estimators.class_labelling import ClassLabelling, named_classes
from lapoleaf.estimators.class_labels import ClassLabels
from lapoleaf.estimators.explanation import MOST_REASONS, Explanation
from lapoleaf.estimators.root_path import root_path
from lapoleaf.estimators.state import Fitted


def explain_class(
    fitted: Fitted[ClassLabels, ClassLabelling],
    asked: Asked,
    min_confidence: float | None,
    threads: int,
) -> Explanation:
    """Explain the class of a row.

    Parameters
    ----------
    fitted : Fitted
        What was learnt.
    asked : Asked
        The row.
    min_confidence : float or None
        Classes that are less probable than this are not named.
    threads : int
        Number of threads.
    """
    labelling, given = fitted.labelling, fitted.given
    known = GivenRows.of(fitted.rows, given.given)
    is_given = asked.row in known.rows
    if not is_given:
        answer = _answer(fitted, asked, known, threads)
        return _explanation(fitted, asked, answer, min_confidence)
    others = None
    rest = known.without(asked.row)
    if len(rest.rows):
        others = _explanation(fitted, asked, _without(fitted, asked, rest), min_confidence)
    if labelling.keeps_labels:
        own = GivenRows(*(column[known.rows == asked.row] for column in known))
        answer = _decided_by(own, given)
    else:
        answer = _answer(fitted, asked, known, threads)
    return _explanation(fitted, asked, answer, min_confidence, is_given=True, others=others)


class _Answer(NamedTuple):
    """Probabilities of the classes of a row, and where they come from.

    Attributes
    ----------
    distribution : ndarray of shape (K,)
        The probabilities.
    forests : ndarray of shape (K,)
        The forests' mean, before class prior and experts.
    parts : mapping of str to ndarray of shape (K,)
        What every part adds to the log-probabilities, up to a constant.
    experts : mapping of str to ndarray of shape (K,)
        Scores of the experts.
    given : GivenRows
        The given rows.
    shares : ndarray of shape (m,)
        The share of each of them in the forests' mean.
    attribution : Attribution or None
        The forests' paths; None where equal rows decide alone.
    """

    distribution: FloatArray
    forests: FloatArray
    parts: Mapping[str, FloatArray]
    experts: Mapping[str, FloatArray]
    given: GivenRows
    shares: FloatArray
    attribution: Attribution | None


def _answer(
    fitted: Fitted[ClassLabels, ClassLabelling], asked: Asked, known: GivenRows, threads: int
) -> _Answer:
    """Return the answer for a row by all given labels."""
    labelling, node = fitted.labelling, asked.node
    # With one forest a new row has the label of its leader.
    decider = int(asked.voters.nodes[0, 0]) if labelling.mixture is None else node
    if decider is not None and labelling.keeps_labels and labelling.problem.count[decider] > 0:
        answer = _decided_by(known.at(decider), fitted.given)
    else:
        attribution = Attribution(fitted.rows, known, labelling.result, asked)
        experts = labelling.expert_scores(fitted.rows.points, node, asked.X)
        forests = asked.voters.mean(labelling.result.labels)[0]
        parts = _parts(labelling, forests, experts)
        shares = attribution.row_shares
        answer = _Answer(forests, forests, parts, experts, known, shares, attribution)
    if node is not None:
        return answer._replace(distribution=labelling.answers[node])
    distribution = labelling.of_new(asked.X, asked.voters, threads)[0]
    answer = answer._replace(distribution=distribution)
    return answer if asked.voters.nearest[0] <= labelling.reach else _with_distance(answer)


def _with_distance(answer: _Answer) -> _Answer:
    """Return the answer with the effect of the distance of a new row from all others."""
    scores, before = _logarithms(answer.distribution), sum(answer.parts.values())
    if np.isfinite(before).all():
        return answer._replace(parts={**answer.parts, "distance": scores - before})
    # Classes that had probability 0 no longer have, so there is a single part.
    return answer._replace(parts={next(iter(answer.parts)): scores})


def _without(fitted: Fitted[ClassLabels, ClassLabelling], asked: Asked, rest: GivenRows) -> _Answer:
    """Return the answer for a given row without its own label, settings unchanged."""
    labelling, given, rows = fitted.labelling, fitted.given, fitted.rows
    node = int(rows.node_of[asked.row])
    if labelling.keeps_labels and (rest.nodes == node).any():
        return _decided_by(rest.at(node), given)
    labels = np.eye(given.k)[given.codes[rest.rows]]
    attribution = Attribution.without(rows, rest, labels, labelling.result, asked)
    shares = attribution.row_shares
    forests: FloatArray = shares @ labels
    place = int(np.searchsorted(labelling.problem.nodes, node))
    experts = {expert.name: expert.leave_one_out[place] for expert in labelling.experts}
    parts = _parts(labelling, forests, experts)
    scores: FloatArray = sum(parts.values(), np.zeros(given.k))
    distribution = np.exp(scores - scores.max())
    distribution /= distribution.sum()
    return _Answer(distribution, forests, parts, experts, rest, shares, attribution)


def _decided_by(equal: GivenRows, given: ClassLabels) -> _Answer:
    """Return the answer of given rows that equal the row, or are the row itself."""
    shares = equal.weight / equal.weight.sum()
    distribution: FloatArray = shares @ np.eye(given.k)[given.codes[equal.rows]]
    parts = {"equal rows": _logarithms(distribution)}
    return _Answer(distribution, distribution, parts, {}, equal, shares, None)


def _parts(
    labelling: ClassLabelling, forests: FloatArray, experts: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    if labelling.mixture is None:
        return {"forests": _logarithms(forests)}
    return labelling.mixture.contributions(forests, experts)


def _logarithms(shares: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(shares)


def _explanation(
    fitted: Fitted[ClassLabels, ClassLabelling],
    asked: Asked,
    answer: _Answer,
    min_confidence: float | None,
    *,
    is_given: bool = False,
    others: Explanation | None = None,
) -> Explanation:
    labelling, given = fitted.labelling, fitted.given
    names = given.classes.tolist()
    order = np.argsort(-answer.distribution, kind="stable")
    pair = [int(order[0]), *(int(code) for code in order[1:2] if answer.distribution[code] > 0)]
    log_odds, parts = None, {}
    if len(pair) == 2:
        log_odds = _difference(_logarithms(answer.distribution), pair)
        parts = {name: _difference(scores, pair) for name, scores in answer.parts.items()}
    by_share = np.argsort(-answer.shares, kind="stable")
    by_share = by_share[answer.shares[by_share] > 0]
    codes = given.codes[answer.given.rows]
    predicted_by: dict[str, Any] = {}
    if answer.experts:
        predicted_by = {"forests": names[_best_by_forests(labelling, answer.forests)]}
        predicted_by |= {name: names[scores.argmax()] for name, scores in answer.experts.items()}
    label = named_classes(given, answer.distribution[None], min_confidence).tolist()[0]
    return Explanation(
        row=None if asked.row < 0 else asked.row,
        label=label,
        confidence=float(answer.distribution[pair[0]]),
        given=is_given,
        best=names[pair[0]],
        runner_up=names[pair[1]] if len(pair) == 2 else None,
        log_odds=log_odds,
        parts=parts,
        forest_shares={names[code]: float(answer.forests[code]) for code in pair},
        reasons=tuple(
            reason
            for code in pair
            for reason in _reasons(answer, by_share[codes[by_share] == code], names[code], asked)
        ),
        deciders=answer.given.rows[by_share],
        shares=answer.shares[by_share],
        decider_labels=[names[code] for code in codes[by_share]],
        predicted_by=predicted_by,
        others=others,
        **root_path(fitted.rows, asked, labelling.result)._asdict(),
        _words={expert.name: expert.description for expert in labelling.experts},
    )


def _difference(scores: FloatArray, pair: list[int]) -> float:
    best, second = (float(scores[code]) for code in pair)
    # Two classes of probability 0 are equally improbable.
    return 0.0 if best == second else best - second


def _best_by_forests(labelling: ClassLabelling, forests: FloatArray) -> int:
    if labelling.mixture is None:
        return int(forests.argmax())
    return int(labelling.mixture.forest_scores(forests[None])[0].argmax())


def _reasons(answer: _Answer, places: IntArray, label: Any, asked: Asked) -> list[Reason]:
    """Return the given rows that count most, with the paths to them."""
    top = places[:MOST_REASONS].tolist()
    labels = [label] * len(top)
    if answer.attribution is None:
        return reasons_of_equals(asked, answer.given, answer.shares, top, labels)
    return answer.attribution.reasons(top, labels)
