"""Exact labels of a forest, with variances and leave-one-out."""

from __future__ import annotations

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation.cut_forest import CutForest
from lapoleaf._propagation.exact import ExactSolver, label_scale
from lapoleaf._propagation.result import Propagation, Settings
from lapoleaf._typing import FloatArray, IntArray


def exact_labels(
    forest: LeadingForest, labels: FloatArray, count: FloatArray, settings: Settings
) -> Propagation:
    """Propagate label vectors (n_nodes, K) exactly."""
    solver = ExactSolver.on(forest, count, settings)
    used = (count > 0) & (solver.others > 0)
    if settings.coupling > 0.0:
        lender: IntArray = np.arange(forest.n_trees)
        solution = solver.solve(labels)
        without = solver.leave_one_out(labels)
    else:
        cut = CutForest(forest, solver, count > 0)
        solver, lender = cut.solver, cut.lender
        solution = cut.solve(labels)
        without = cut.leave_one_out(labels, solution)
        used = used & ~cut.alone
    noise = 0.5 / settings.mu
    return Propagation(
        labels=solution,
        settings=settings,
        lender=lender,
        leave_one_out=without,
        precision=solver.precision,
        others=solver.others,
        noise=noise,
        sigma2=label_scale(
            labels[used] - without[used], 1.0 / solver.others[used] + noise / count[used]
        ),
    )
