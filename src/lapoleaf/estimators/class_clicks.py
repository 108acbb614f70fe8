"""Fast update of classes after a few labels have changed, with all choices kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._parallel import for_each_block
from lapoleaf._propagation import Propagation
from lapoleaf._propagation.changes import changed_nodes, labels_after_changes
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.class_labelling import ClassLabelling
from lapoleaf.estimators.experts import FittedExpert
from lapoleaf.estimators.mixture import Mixture
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.rows import Rows

# Labels are propagated in full after this number of changes, to limit rounding errors, and when
# more nodes than this change at once, since that is faster.
_MAX_CHANGES, _MAX_NODES = 64, 3
# Rows mixed at a time.
_ROWS_AT_A_TIME = 8192


def changed_propagation(
    rows: Rows, before: ClassLabelling, problem: Problem, threads: int
) -> Propagation | None:
    """Return the forests' labels after a few given labels have changed.

    Without leave-one-out and variances, which :func:`completed_propagation` adds.

    Parameters
    ----------
    rows : Rows
        The rows.
    before : ClassLabelling
        The labels so far.
    problem : Problem
        The given labels of nodes now.
    threads : int
        Number of threads.

    Returns
    -------
    Propagation or None
        None where labels should be propagated in full.
    """
    if before.n_changes >= _MAX_CHANGES:
        return None
    given, new = (before.problem.labels, before.problem.count), (problem.labels, problem.count)
    if len(changed_nodes(*given, *new)) > _MAX_NODES:
        return None
    mu = before.result.settings.mu
    labels = labels_after_changes(rows.stack, before.result.labels, given, new, mu, threads)
    if labels is None:
        return None
    return replace(
        before.result, labels=labels, leave_one_out=None, precision=None, others=None, sigma2=None
    )


def completed_propagation(quick: Propagation, full: Propagation) -> Propagation:
    """Return a fast propagation completed with leave-one-out and variances."""
    return replace(full, labels=quick.labels)


def mixed_answers(
    mixture: Mixture,
    problem: Problem,
    labels: FloatArray,
    scores: Sequence[FloatArray],
    *,
    keeps_labels: bool,
    threads: int,
) -> FloatArray:
    """Return the probabilities (n_nodes, K) of all nodes; given labels may be kept.

    Parameters
    ----------
    mixture : Mixture
        How the parts are mixed.
    problem : Problem
        The given labels of nodes.
    labels : ndarray of shape (n_nodes, K)
        Labels by the forests.
    scores : sequence of ndarray of shape (n_nodes, K)
        Scores of the experts.
    keeps_labels : bool
        Whether nodes keep the labels they were given.
    threads : int
        Number of threads.
    """
    answers = np.empty(labels.shape)

    def fill(some: slice) -> None:
        answers[some] = mixture.probabilities(labels[some], [score[some] for score in scores])

    for_each_block(fill, list(gen_batches(len(labels), _ROWS_AT_A_TIME)), threads)
    if keeps_labels:
        answers[problem.nodes] = problem.labels[problem.nodes]
    return answers


def scores_at_all(
    rows: Rows, mixture: Mixture, experts: Sequence[FittedExpert], threads: int
) -> list[FloatArray]:
    """Return the scores (n_nodes, K) of the experts that have a share in the mixture.

    Parameters
    ----------
    rows : Rows
        The rows.
    mixture : Mixture
        How the parts are mixed.
    experts : sequence of FittedExpert
        The experts, with the values they cache between updates.
    threads : int
        Number of threads.
    """
    nothing = np.broadcast_to(0.0, (rows.n_nodes, len(mixture.mass)))
    return [
        _at_all(expert, rows, threads) if share > 0 else nothing
        for share, expert in zip(mixture.shares, experts, strict=True)
    ]


def _at_all(expert: Any, rows: Rows, threads: int) -> FloatArray:
    if hasattr(expert, "at_all"):
        found: FloatArray = expert.at_all(threads)
    else:
        found = expert.at_nodes(rows.points, threads=threads)
    return found
