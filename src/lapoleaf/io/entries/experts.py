"""Fitted experts. A new one is one more entry, in the tuple of what it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._decision_trees import Entries, RandomTrees
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf.estimators.experts import (
    Estimate,
    FittedDiscriminants,
    FittedNumberTrees,
    FittedRidge,
    FittedTrees,
    FittedTrend,
)
from lapoleaf.estimators.experts.kept import KeptExpert
from lapoleaf.estimators.experts.trend import Kernel, Model
from lapoleaf.io.checks import (
    amounts,
    array,
    ascending,
    floats,
    instance,
    number,
    places,
    real,
    refuse,
    subclass,
    whole,
)
from lapoleaf.io.entry import Entry

# Maximum number of kernels, so that a small file cannot take long to read.
_MOST_KERNELS = 1000
_OF_TREND = ("nodes", "points", "unit", "center", "spread", "noise", "scale", "coefficients",
             "inverse")  # fmt: skip
_OF_NUMBER_TREES = ("points", "trees", "entries", "center", "factor", "residual")


def _check_landmarks(owner: str, parts: Mapping[str, Any]) -> None:
    """Check that landmarks are some of the points."""
    nodes, points = parts["nodes"], parts["points"]
    if not len(nodes) or nodes[-1] >= points.n:
        refuse(f"{owner}.nodes", f"nodes from 0 to {points.n - 1}")


def _ridge(parts: Mapping[str, Any]) -> FittedRidge:
    _check_landmarks("FittedRidge", parts)
    return FittedRidge(**parts)


def _entries(parts: Mapping[str, Any]) -> Entries:
    start, column, count, k = (parts[name] for name in ("start", "column", "count", "n_columns"))
    if len(start) != len(count) + 1 or not (count > 0).all():
        refuse("Entries.count", "a weight above 0 for every row")
    if start[0] != 0 or start[-1] != len(column) or (start[1:] < start[:-1]).any():
        refuse("Entries.start", f"from 0 to {len(column)}, ascending")
    if len(column) and not 0 <= column.min() <= column.max() < k:
        refuse("Entries.column", f"from 0 to {k - 1}")
    return Entries(**parts)


def _random_trees(parts: Mapping[str, Any]) -> RandomTrees:
    """Check that every path ends at a leaf: children come after their parents."""
    feature, first, size = parts["feature"], parts["first"].astype(np.int64), parts["size"]
    n_nodes, n_members = len(feature), len(parts["members"])
    splits = np.flatnonzero(feature >= 0)
    leaves = np.flatnonzero(feature < 0)
    if not ((first[splits] > splits) & (first[splits] < n_nodes - 1)).all():
        refuse("RandomTrees.first", "children that come after their parents")
    members = size[leaves].astype(np.int64)
    inside = (first[leaves] >= 0) & (members > 0) & (first[leaves] <= n_members - members)
    if not inside.all() or members.sum() != n_members or size[splits].any():
        refuse("RandomTrees.size", "the numbers of members of the leaves")
    return RandomTrees(**parts)


def _trees(parts: Mapping[str, Any]) -> FittedTrees:
    _check_trees("FittedTrees", parts)
    entries = parts["entries"]
    if entries.n_columns != parts["leave_one_out"].shape[1] or (entries.amount < 0).any():
        refuse("FittedTrees.entries", "amounts of all classes that are not negative")
    return FittedTrees(**parts)


def _number_trees(parts: Mapping[str, Any]) -> FittedNumberTrees:
    _check_trees("FittedNumberTrees", parts)
    if parts["entries"].n_columns != 1:
        refuse("FittedNumberTrees.entries", "those of one target")
    return FittedNumberTrees(
        leave_one_out=Estimate(parts["values_without"], parts["variances_without"]),
        **{name: parts[name] for name in _OF_NUMBER_TREES},
    )


def _number_trees_parts(trees: FittedNumberTrees) -> Mapping[str, Any]:
    return {
        **{name: getattr(trees, name) for name in _OF_NUMBER_TREES},
        "values_without": trees.leave_one_out.values,
        "variances_without": trees.leave_one_out.variances,
    }


def _check_trees(owner: str, parts: Mapping[str, Any]) -> None:
    """Check that the columns and rows that trees refer to exist."""
    trees, entries, points = parts["trees"], parts["entries"], parts["points"]
    if not len(trees.roots):
        refuse(f"{owner}.trees", "one tree or more")
    if trees.feature.size and trees.feature.max() >= len(points.columns):
        refuse(f"{owner}.trees", f"those of {len(points.columns)} columns")
    members = trees.members
    if members.size and not 0 <= members.min() <= members.max() < len(entries.count):
        refuse(f"{owner}.trees", f"those of {len(entries.count)} rows")


def _kept(parts: Mapping[str, Any]) -> KeptExpert:
    learnt, points, nodes = parts["learnt"], parts["points"], parts["nodes"]
    if learnt.points is not points:
        refuse("KeptExpert.learnt", "an expert of the same points")
    answers = learnt.leave_one_out
    if len(answers.values if isinstance(answers, Estimate) else answers) != len(nodes):
        refuse("KeptExpert.nodes", "the nodes that the expert has learnt from")
    for name in ("nodes", "given"):
        if not len(parts[name]) or parts[name][-1] >= points.n:
            refuse(f"KeptExpert.{name}", f"nodes from 0 to {points.n - 1}")
    return KeptExpert(**parts)


def _discriminants(parts: Mapping[str, Any]) -> FittedDiscriminants:
    if len(parts["units"]) != len(parts["points"].columns):
        refuse("FittedDiscriminants.units", f"those of {len(parts['points'].columns)} columns")
    if not (parts["units"] > 0).all():
        refuse("FittedDiscriminants.units", "above 0")
    return FittedDiscriminants(**parts)


def _trend(parts: Mapping[str, Any]) -> FittedTrend:
    _check_landmarks("FittedTrend", parts)
    if len(parts["kernels"]) > _MOST_KERNELS:
        refuse("FittedTrend.kernels", f"at most {_MOST_KERNELS}")
    if len(parts["models"]) > _MOST_KERNELS:
        refuse("FittedTrend.models", f"at most {_MOST_KERNELS}")
    return FittedTrend(
        models=tuple(
            Model(evidence, Kernel(*kernel), noise, scale)
            for evidence, *kernel, noise, scale in parts["models"].tolist()
        ),
        kernels=tuple(Kernel(*numbers) for numbers in parts["kernels"].tolist()),
        leave_one_out=Estimate(parts["values_without"], parts["variances_without"]),
        **{name: parts[name] for name in _OF_TREND},
    )


def _trend_parts(trend: FittedTrend) -> Mapping[str, Any]:
    return {
        **{name: getattr(trend, name) for name in _OF_TREND},
        "models": np.array(
            [(m.evidence, *m.kernel, m.noise, m.scale) for m in trend.models], dtype=np.float64
        ).reshape(-1, 6),
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
    Entry(
        FittedTrees,
        {
            "points": subclass(DensePoints),
            "trees": instance(RandomTrees),
            "entries": instance(Entries),
            "leave_one_out": floats(None, "classes"),
        },
        build=_trees,
    ),
    Entry(
        FittedDiscriminants,
        {
            "points": subclass(DensePoints),
            "center": floats("columns"),
            "units": floats("columns"),
            "weights": floats("columns", "classes"),
            "offsets": floats("classes"),
            "leave_one_out": floats(None, "classes"),
        },
        build=_discriminants,
    ),
)
OF_TREES = (
    Entry(
        Entries,
        {
            "start": array("i8", None),
            "column": array("i8", "entries"),
            "amount": floats("entries"),
            "count": amounts("rows"),
            "n_columns": whole(1),
        },
        build=_entries,
    ),
    Entry(
        RandomTrees,
        {
            "feature": array("i4", "nodes"),
            "roots": places("trees", "nodes"),
            "threshold": floats("nodes"),
            "first": array("i8", "nodes"),
            "size": array("i4", "nodes"),
            "members": array("i4", None),
        },
        build=_random_trees,
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
            "models": floats("models", 6),
            "kernels": floats("kernels", 3),
            "coefficients": floats("landmarks", "kernels"),
            "inverse": floats("landmarks", "landmarks"),
            "values_without": floats("given"),
            "variances_without": floats("given"),
        },
        build=_trend,
        read=_trend_parts,
    ),
    Entry(
        FittedNumberTrees,
        {
            "points": subclass(DensePoints),
            "trees": instance(RandomTrees),
            "entries": instance(Entries),
            "center": real,
            "factor": number,
            "residual": number,
            "values_without": floats("given"),
            "variances_without": amounts("given"),
        },
        build=_number_trees,
        read=_number_trees_parts,
    ),
)
KEPT = Entry(
    KeptExpert,
    {
        "learnt": instance(FittedTrees, FittedDiscriminants, FittedNumberTrees),
        "points": subclass(DensePoints),
        "nodes": ascending("learnt"),
        "given": ascending("given"),
    },
    build=_kept,
)
ENTRIES = (*OF_TREES, *OF_CLASSES, *OF_NUMBERS, KEPT)
