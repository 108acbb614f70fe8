"""Experts: methods that learn from the given labels alone, mixed with the forests.

A new expert is a class with the methods of :class:`Expert` and a row in one of the tables.
"""

from __future__ import annotations

from collections.abc import Mapping

from lapoleaf.estimators.experts.kernel_ridge import FittedRidge, KernelRidge
from lapoleaf.estimators.experts.protocol import Estimate, Expert, FittedExpert
from lapoleaf.estimators.experts.trend import FittedTrend, Trend

__all__ = [
    "CLASS_EXPERTS",
    "NUMBER_EXPERTS",
    "Estimate",
    "Expert",
    "FittedExpert",
    "FittedRidge",
    "FittedTrend",
    "KernelRidge",
    "Trend",
]

CLASS_EXPERTS: Mapping[str, Expert] = {KernelRidge.name: KernelRidge()}
NUMBER_EXPERTS: Mapping[str, Expert] = {Trend.name: Trend()}
