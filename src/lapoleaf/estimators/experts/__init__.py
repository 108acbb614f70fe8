"""Experts: methods that learn from the given labels alone, mixed with the forests.

A new expert is a class with the methods of :class:`Expert` and a row in one of the tables.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapoleaf.estimators.experts.discriminants import Discriminants, FittedDiscriminants
from lapoleaf.estimators.experts.extra_trees import ExtraTrees, FittedTrees
from lapoleaf.estimators.experts.kernel_ridge import FittedRidge, KernelRidge
from lapoleaf.estimators.experts.number_trees import FittedNumberTrees, NumberTrees
from lapoleaf.estimators.experts.protocol import Estimate, Expert, FittedExpert, usual_weights
from lapoleaf.estimators.experts.trend import FittedTrend, Trend

__all__ = [
    "CLASS_EXPERTS",
    "NUMBER_EXPERTS",
    "Discriminants",
    "Estimate",
    "Expert",
    "ExtraTrees",
    "FittedDiscriminants",
    "FittedExpert",
    "FittedNumberTrees",
    "FittedRidge",
    "FittedTrees",
    "FittedTrend",
    "KernelRidge",
    "NumberTrees",
    "Trend",
    "usual_weights",
]

CLASS_EXPERTS: Mapping[str, Expert] = {
    KernelRidge.name: KernelRidge(),
    ExtraTrees.name: ExtraTrees(),
    Discriminants.name: Discriminants(),
}
NUMBER_EXPERTS: Mapping[str, Expert] = {Trend.name: Trend(), NumberTrees.name: NumberTrees()}
