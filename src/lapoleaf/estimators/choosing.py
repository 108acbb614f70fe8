"""When choices are repeated after labels have changed, and when they are kept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.estimators.state import Fitted, G, L, Method, SinceChoice

# Choices are repeated after this number of changed labels, or this share of all if that is more.
_MIN_CHANGED, _CHANGED_SHARE = 10, 0.25
# Parameters that do not influence any choice.
_WITHOUT_CHOICE = frozenset({"n_jobs", "verbose", "min_confidence"})


def check_rechoose(rechoose: Any) -> None:
    """Raise unless ``rechoose`` is True, False or "auto"."""
    if rechoose is True or rechoose is False or (isinstance(rechoose, str) and rechoose == "auto"):
        return
    raise ValueError(f"rechoose={shown(rechoose)} must be 'auto', True or False.")


def chosen(fitted: Fitted[G, L]) -> Fitted[G, L]:
    """Return the fitted state with choices repeated on the present labels."""
    return replace(fitted, since=SinceChoice(int(fitted.given.given.sum())))


def relabelled(
    method: Method[G, L], before: Fitted[G, L], given: G, rechoose: bool | str
) -> Fitted[G, L]:
    """Return the state for other labels of the same rows, with choices repeated if necessary.

    Parameters
    ----------
    method : Method
        How labels are made from now on.
    before : Fitted
        The fitted state so far.
    given : ClassLabels or Targets
        The labels of all rows.
    rechoose : bool or "auto"
        Whether to repeat choices; "auto": once enough labels have changed, or once there are enough
        for another expert.
    """
    rows, since = before.rows, before.since
    if since is not None:
        since = since._replace(n_changed=since.n_changed + _n_changed(before, given))
    if rechoose is True or since is None or not _can_keep(method, before, given):
        return chosen(Fitted(method, rows, given, method.label(rows, given)))
    if rechoose == "auto":
        is_due = _are_enough(since) or not method.keeps_experts(rows, given, before.choices)
        if is_due:
            return chosen(Fitted(method, rows, given, method.label(rows, given)))
    labelling = method.relabel(rows, given, before.choices, before.labelling)
    return Fitted(method, rows, given, (before.choices, labelling), since=since)


def is_choice_due(fitted: Fitted[G, L]) -> bool:
    """Whether labels have changed so far that "auto" would choose again."""
    since = fitted.since
    if since is None or not fitted.has_labels:
        return False
    if _are_enough(since):
        return True
    return not fitted.method.keeps_experts(fitted.rows, fitted.given, fitted.choices)


def _are_enough(since: SinceChoice) -> bool:
    return since.n_changed >= max(_MIN_CHANGED, _CHANGED_SHARE * since.n_given)


def _n_changed(before: Fitted[G, L], given: G) -> int:
    return given.n_different(before.given) if given.fits_choices_of(before.given) else 0


def _can_keep(method: Method[G, L], before: Fitted[G, L], given: G) -> bool:
    """Whether choices can be kept: classes, units and parameters are the same."""
    if not before.has_labels or not given.fits_choices_of(before.given):
        return False
    return same_parameters(method, before.method)


def same_parameters(method: Method[G, L], before: Method[G, L]) -> bool:
    """Whether all parameters that something is chosen by are the same."""
    names = (method.parameters.keys() | before.parameters.keys()) - _WITHOUT_CHOICE
    return all(_same(method.parameters.get(name), before.parameters.get(name)) for name in names)


def _same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and bool(np.array_equal(one, other))
