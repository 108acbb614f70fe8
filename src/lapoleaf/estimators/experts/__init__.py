"""Experts: methods that learn from the given labels alone, mixed with the forests.

A new expert is a class with the methods of :class:`Expert` and a row in one of the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    "checked_experts",
]

CLASS_EXPERTS: Mapping[str, Expert] = {KernelRidge.name: KernelRidge()}
NUMBER_EXPERTS: Mapping[str, Expert] = {Trend.name: Trend()}


def checked_experts(experts: Any, table: Mapping[str, Expert]) -> tuple[Expert, ...]:
    """Return the experts that a parameter asks for, or raise for what is none.

    Parameters
    ----------
    experts : object
        The parameter.
    table : mapping
        The experts there are, by name.
    """
    if experts is None:
        return ()
    if isinstance(experts, str) and experts == "auto":
        return tuple(table.values())
    raise ValueError(
        f"experts={experts!r} must be 'auto', as far as leave-one-out says that they help, or None."
    )
