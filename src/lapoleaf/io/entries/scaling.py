"""Scalings of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf.estimators.scaling import RankScaling, StandardScaling
from lapoleaf.io.checks import Check, Field, ascending, floats, refuse
from lapoleaf.io.entry import Entry


def _finite(*shape: str) -> Check:
    """Return a check for an array of float64 that are finite."""
    shaped = floats(*shape)

    def check(field: Field) -> None:
        shaped(field)
        if not np.isfinite(field.value).all():
            field.refuse("finite")

    return check


def _positive(*shape: str) -> Check:
    """Return a check for an array of float64 that are finite and positive."""
    finite = _finite(*shape)

    def check(field: Field) -> None:
        finite(field)
        if not (field.value > 0).all():
            field.refuse("positive")

    return check


def _ranks(parts: Mapping[str, Any]) -> RankScaling:
    """Return a scaling by ranks whose numbers and ranks ascend within every column."""
    start, n_columns = parts["start"], len(parts["unit"])
    if len(start) != n_columns + 1 or start[0] != 0 or start[-1] != len(parts["knots"]):
        refuse("RankScaling.start", f"where the numbers of {n_columns} columns begin and end")
    within = np.ones(len(parts["knots"]), dtype=bool)
    within[start[:-1]] = False
    for name in ("knots", "ranks"):
        if not (np.diff(parts[name]) > 0)[within[1:]].all():
            refuse(f"RankScaling.{name}", "ascending within every column")
    return RankScaling(**parts)


ENTRIES = (
    Entry(
        StandardScaling,
        {
            "unit": _positive("columns"),
            "centre": _finite("columns"),
            "scale": _positive("columns"),
        },
    ),
    Entry(
        RankScaling,
        {
            "unit": _positive("columns"),
            "start": ascending(None),
            "knots": _finite("knots"),
            "ranks": _finite("knots"),
        },
        build=_ranks,
    ),
)
