"""Fitted experts. A new one is one more entry, in the tuple of what it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._points import Points
from lapoleaf.estimators.experts import Estimate, FittedRidge, FittedTrend
from lapoleaf.estimators.experts.trend import Kernel
from lapoleaf.io.checks import ascending, floats, real, refuse, subclass
from lapoleaf.io.entry import Entry

# No trend has as many: a small file must not keep a reader busy.
_MOST_KERNELS = 1000
_OF_TREND = ("nodes", "points", "unit", "center", "spread", "noise", "scale", "coefficients",
             "inverse")  # fmt: skip


def _check_landmarks(owner: str, parts: Mapping[str, Any]) -> None:
    """Check that landmarks are some of the points."""
    nodes, points = parts["nodes"], parts["points"]
    if not len(nodes) or nodes[-1] >= points.n:
        refuse(f"{owner}.nodes", f"nodes from 0 to {points.n - 1}")


def _ridge(parts: Mapping[str, Any]) -> FittedRidge:
    _check_landmarks("FittedRidge", parts)
    return FittedRidge(**parts)


def _trend(parts: Mapping[str, Any]) -> FittedTrend:
    _check_landmarks("FittedTrend", parts)
    if len(parts["kernels"]) > _MOST_KERNELS:
        refuse("FittedTrend.kernels", f"at most {_MOST_KERNELS}")
    return FittedTrend(
        kernels=tuple(Kernel(*numbers) for numbers in parts["kernels"].tolist()),
        leave_one_out=Estimate(parts["values_without"], parts["variances_without"]),
        **{name: parts[name] for name in _OF_TREND},
    )


def _trend_parts(trend: FittedTrend) -> Mapping[str, Any]:
    return {
        **{name: getattr(trend, name) for name in _OF_TREND},
        "kernels": np.array(trend.kernels, dtype=np.float64).reshape(-1, 3),
        "values_without": trend.leave_one_out.values,
        "variances_without": trend.leave_one_out.variances,
    }


OF_CLASSES = (
    Entry(
        FittedRidge,
        {
            "nodes": ascending("landmarks"),
            "points": subclass(Points),
            "width": real,
            "ridge": real,
            "coefficients": floats("landmarks", "classes"),
            "offset": floats("classes"),
            "leave_one_out": floats(None, "classes"),
        },
        build=_ridge,
    ),
)
OF_NUMBERS = (
    Entry(
        FittedTrend,
        {
            "nodes": ascending("landmarks"),
            "points": subclass(Points),
            "unit": real,
            "center": real,
            "spread": real,
            "noise": real,
            "scale": real,
            "kernels": floats("kernels", 3),
            "coefficients": floats("landmarks", "kernels"),
            "inverse": floats("landmarks", "landmarks"),
            "values_without": floats("given"),
            "variances_without": floats("given"),
        },
        build=_trend,
        read=_trend_parts,
    ),
)
ENTRIES = (*OF_CLASSES, *OF_NUMBERS)
