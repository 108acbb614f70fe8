"""Consistency of rows, given labels, choices and labelling.

Each of them was checked separately. Here lengths are compared, and dependencies between parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._typing import BoolArray
from lapoleaf.estimators.experts.kept import KeptExpert
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.settings_search import ForestChoices
from lapoleaf.estimators.state import Fitted
from lapoleaf.io.checks import refuse
from lapoleaf.io.entries.points import n_bytes

# Maximum size of all landmarks, so that a small file cannot exhaust memory.
_MOST_LANDMARK_BYTES = 2**30
# Tolerance of sums of shares.
_ROUNDING = 1e-9


def check_class_labelling(owner: str, fitted: Fitted[Any, Any]) -> None:
    """Raise unless a classifier with these values can predict."""
    rows, given = fitted.rows, fitted.given
    _check_rows(owner, fitted)
    if len(given.codes) != len(rows.ids):
        refuse(f"{owner}.given", f"labels of {len(rows.ids)} rows")
    if fitted.labelled is None:
        return
    choices: Any = fitted.choices
    labelling = fitted.labelling
    n, k = rows.n_nodes, given.k
    if labelling.answers.shape != (n, k):
        refuse(f"{owner}.labelling", f"the classes of {n} nodes")
    _check_propagation(owner, rows, labelling, k, given.given)
    one_forest = isinstance(choices, ForestChoices)
    solver = fitted.method.parameters["solver"] if one_forest else "exact"
    _check_solver(owner, labelling.result, solver)
    _check_experts(owner, rows, labelling.experts, [labelling.problem] * len(labelling.experts))
    if any(not _is_of_classes(expert, k) for expert in labelling.experts):
        refuse(f"{owner}.labelling", f"with experts of {k} classes")
    if one_forest:
        if len(choices.settings) != 1 or labelling.mixture is not None or labelling.experts:
            refuse(f"{owner}.labelling", "that of one forest")
    else:
        _check_mixture(owner, choices, labelling, k)


def _check_mixture(owner: str, choices: Any, labelling: Any, k: int) -> None:
    mixture = choices.mixture
    if labelling.mixture is not mixture or len(mixture.mass) != k:
        refuse(f"{owner}.labelling", f"mixed as was chosen, for {k} classes")
    if not len(mixture.shares) == len(choices.experts) == len(labelling.experts):
        refuse(f"{owner}.choices", "with a share for every expert")


def check_number_labelling(owner: str, fitted: Fitted[Any, Any]) -> None:
    """Raise unless a regressor with these values can predict."""
    rows, given = fitted.rows, fitted.given
    _check_rows(owner, fitted)
    if len(given.values) != len(rows.ids):
        refuse(f"{owner}.given", f"targets of {len(rows.ids)} rows")
    if fitted.labelled is None:
        return
    choices: Any = fitted.choices
    labelling = fitted.labelling
    targets, n_targets = labelling.targets, given.n_targets
    if labelling.values.shape != (rows.n_nodes, n_targets):
        refuse(f"{owner}.labelling", f"{n_targets} numbers of {rows.n_nodes} nodes")
    one_forest = isinstance(choices, ForestChoices)
    if len(choices.settings if one_forest else choices.mu) != n_targets:
        refuse(f"{owner}.choices", f"those of {n_targets} targets")
    solver = fitted.method.parameters["solver"] if one_forest else "exact"
    if {labelling.std is None, labelling.errors is None} != {solver != "exact"}:
        refuse(f"{owner}.labelling", "with variances by the exact solver, else without")
    for target, column in zip(targets, given.columns.T, strict=True):
        _check_propagation(owner, rows, target, 1, ~np.isnan(column))
        _check_solver(owner, target.result, solver)
    for target, errors in zip(targets, labelling.errors or (), strict=labelling.errors is not None):
        if len(errors) != len(target.given):
            refuse(f"{owner}.labelling", "with an error for every given target")
    pairs = [(expert, target.problem) for target in targets for expert in target.experts]
    if one_forest and pairs:
        refuse(f"{owner}.labelling", "that of one forest")
    _check_experts(owner, rows, [expert for expert, _ in pairs], [given for _, given in pairs])
    for target in targets:
        _check_shares(owner, target)
    if not one_forest:
        names = tuple(tuple(expert.name for expert in t.experts) for t in targets)
        shares = tuple(target.expert_shares for target in targets)
        if (choices.experts, choices.expert_shares) != (names, shares):
            refuse(f"{owner}.choices", "the experts and shares that answers are mixed from")


def _check_shares(owner: str, target: Any) -> None:
    if len(target.expert_shares) != len(target.experts):
        refuse(f"{owner}.labelling", "with a share for every expert")
    if not abs(sum(target.expert_shares) + target.forest_share - 1.0) < _ROUNDING:
        refuse(f"{owner}.labelling", "with shares of experts and forests that are 1 together")


def _check_rows(owner: str, fitted: Fitted[Any, Any]) -> None:
    random = len(fitted.rows.forests) - 1
    if random and "n_forests" not in fitted.method.parameters:
        refuse(f"{owner}.rows", "those of one forest")


def _check_propagation(
    owner: str, rows: Rows, labelling: Any, columns: int, given: BoolArray
) -> None:
    """Check one problem and its result; ``given`` are the rows that have a label."""
    problem, result, shape = labelling.problem, labelling.result, (rows.n_nodes, columns)
    if problem.labels.shape != shape or result.labels.shape != shape:
        refuse(f"{owner}.labelling", f"labels of shape {shape}")
    if len(result.lender) != rows.forest.n_trees:
        refuse(f"{owner}.labelling", f"that of {rows.forest.n_trees} trees")
    labelled = np.zeros(rows.n_nodes, dtype=bool)
    labelled[rows.node_of[given & (rows.node_of >= 0)]] = True
    if not np.array_equal(labelled, problem.count > 0):
        refuse(f"{owner}.labelling", "of labels where rows were given some")


def _check_solver(owner: str, result: Any, solver: str) -> None:
    if result.settings.solver != solver or (result.precision is None) != (solver != "exact"):
        refuse(f"{owner}.labelling", "by the solver of the parameters, with all that it computes")


def _check_experts(owner: str, rows: Rows, experts: Any, problems: Any) -> None:
    """Check that experts have learnt the given labels, at some of the points."""
    total = 0
    for expert, problem in zip(experts, problems, strict=True):
        if expert.points is not rows.points:
            refuse(f"{owner}.labelling", "with experts of the same points")
        is_kept = isinstance(expert, KeptExpert)
        learnt = expert.given if is_kept else _first(expert.leave_one_out)
        if len(learnt) != len(problem.nodes) or (is_kept and (learnt != problem.nodes).any()):
            refuse(f"{owner}.labelling", "with experts of the given labels")
        if hasattr(expert, "nodes") and not is_kept:
            total += n_bytes(rows.points, expert.nodes)
    if total > max(_MOST_LANDMARK_BYTES, n_bytes(rows.points, np.arange(rows.n_nodes))):
        refuse(f"{owner}.labelling", f"with landmarks of at most {_MOST_LANDMARK_BYTES} bytes")


def _is_of_classes(expert: Any, k: int) -> bool:
    """Whether an expert answers with scores of k classes."""
    answers = (expert.learnt if isinstance(expert, KeptExpert) else expert).leave_one_out
    return isinstance(answers, np.ndarray) and answers.shape[1] == k


def _first(answers: Any) -> Any:
    """Return the scores of an expert for classes, the values of one for numbers."""
    return answers if isinstance(answers, np.ndarray) else answers.values
