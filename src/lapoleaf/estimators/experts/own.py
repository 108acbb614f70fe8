"""Checks of user-defined experts: attributes, methods and shapes of predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._points import Points
from lapoleaf.estimators.experts.protocol import Estimate
from lapoleaf.estimators.problem import Problem

# Attributes of an expert, and of what its ``fit`` returns.
_OF_EXPERT = ("name", "usual_share", "score_unit", "can_help", "fit")
_OF_FITTED = ("name", "description", "leave_one_out", "at_nodes", "at_rows")
_OF_CLASSES = "logarithms_of"
_PROTOCOL = "lapoleaf.estimators.experts.protocol"


def is_like_expert(value: Any) -> bool:
    """Whether an object has any attribute of an expert."""
    return any(hasattr(value, name) for name in _OF_EXPERT)


def check_expert(experts: Any, expert: Any) -> None:
    """Raise for an object that lacks an attribute of an expert.

    Parameters
    ----------
    experts : object
        The parameter that holds it.
    expert : object
        An object with at least one attribute of an expert.
    """
    here = f"experts={shown(experts)} has"
    if isinstance(expert, type):
        raise ValueError(f"{here} the class {expert.__name__}: put an object of it into the list.")
    missing = [name for name in _OF_EXPERT if not hasattr(expert, name)]
    if missing:
        raise ValueError(
            f"{here} {shown(expert)} without {', '.join(missing)}: an expert of your own has "
            f"{', '.join(_OF_EXPERT)}, see {_PROTOCOL}."
        )
    if not isinstance(expert.name, str):
        raise ValueError(f"{here} an expert whose name={shown(expert.name)} must be a string.")
    for name in ("usual_share", "score_unit"):
        value = getattr(expert, name)
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not is_number or not 0.0 < value < np.inf:
            raise ValueError(
                f"{here} {shown(expert.name)}, whose {name}={shown(value)} must be a finite number "
                f"above 0."
            )


def check_fitted(found: Any, name: str, points: Points, problem: Problem, *, numbers: bool) -> None:
    """Raise if what ``fit`` of an expert returned cannot be mixed.

    Parameters
    ----------
    found : object
        What was returned.
    name : str
        The name of the expert.
    points : Points
        All points.
    problem : Problem
        The given labels.
    numbers : bool
        Whether labels are numbers, and answers estimates of them.
    """
    needed = _OF_FITTED if numbers else (*_OF_FITTED, _OF_CLASSES)
    missing = [part for part in needed if not hasattr(found, part)]
    if missing:
        raise ValueError(
            f"fit of the expert {shown(name)} returned {shown(found)} without "
            f"{', '.join(missing)}: see FittedExpert in {_PROTOCOL}."
        )
    nodes = problem.nodes
    parts = {
        "leave_one_out": (found.leave_one_out, len(nodes)),
        "at_nodes for one node": (found.at_nodes(points, nodes[:1]), 1),
    }
    for part, (answers, n) in parts.items():
        where = f"{part} of the expert {shown(name)}"
        if not numbers:
            _check_array(where, answers, (n, problem.labels.shape[1]))
        elif not isinstance(answers, Estimate):
            raise ValueError(f"{where} must be an Estimate of {_PROTOCOL}, got {shown(answers)}.")
        else:
            _check_array(f"values in {where}", answers.values, (n,))
            _check_array(f"variances in {where}", answers.variances, (n,))


def _check_array(where: str, answers: Any, shape: tuple[int, ...]) -> None:
    if not isinstance(answers, np.ndarray) or answers.shape != shape:
        got = f"shape {answers.shape}" if isinstance(answers, np.ndarray) else shown(answers)
        what = "a given label" if len(shape) == 1 else "a given label, and a column a class"
        raise ValueError(f"{where} must be an array of shape {shape}, a row {what}; got {got}.")
    if answers.dtype.kind not in "fiu" or not np.isfinite(answers).all():
        raise ValueError(f"{where} must hold finite numbers.")
