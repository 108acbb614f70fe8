"""Trees, forests and propagations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._points import Points
from lapoleaf._propagation import Propagation, Settings
from lapoleaf._propagation.solve import check_settings
from lapoleaf._tree import BuildReport, LeadingTree
from lapoleaf.io.entry import Entry
from lapoleaf.io.fields import Fields, is_plain

# What only an approximate build has: version 2 of the format did not know it.
_CHECKED = ("n_checked", "neighbours_found", "leaders_found", "density_error")


def _report(fields: Fields) -> BuildReport:
    seconds = fields.mapping("seconds")
    if not all(is_plain(value) for value in seconds.values()):
        fields.refuse("seconds", "seconds of named stages")
    checked = {}
    if fields.values.keys() & set(_CHECKED):
        checked = {name: fields.number(name) for name in _CHECKED[1:]}
        checked["n_checked"] = fields.whole("n_checked", 1)
    return BuildReport(fields.text("build"), fields.text("metric"), seconds, **checked)


def _report_fields(report: BuildReport) -> Mapping[str, Any]:
    known = {"build": report.build, "metric": report.metric, "seconds": report.seconds}
    found = {name: getattr(report, name) for name in _CHECKED}
    return known if report.n_checked is None else {**known, **found}


def _tree(fields: Fields) -> LeadingTree:
    points, report = fields.values["points"], fields.values["report"]
    if not (points is None or isinstance(points, Points)):
        fields.refuse("points", "points")
    if report is not None:
        fields.instance("report", BuildReport)
    if fields.values["bandwidth"] is not None:
        fields.number("bandwidth")
    if fields.values["scale"] is not None:
        fields.floats("scale", None)
    for name in ("density", "delta", "population"):
        fields.floats(name, None)
    for name in ("parent", "node_of"):
        fields.array(name, "i8", None)
    # The class checks that there is one root, and a leader ahead of everybody it leads.
    tree = LeadingTree(**fields.values)
    if points is not None and points.n != tree.n_nodes:
        fields.refuse("points", f"the tree's {tree.n_nodes} nodes, not {points.n}")
    return tree


def _forest(fields: Fields) -> LeadingForest:
    tree = fields.instance("tree", LeadingTree)
    roots = fields.places("roots", None, 0, tree.n_nodes)
    objective = fields.values["objective"]
    if objective is not None:
        fields.floats("objective", tree.n_nodes)
    return LeadingForest(tree, roots, objective=objective)


def _forest_fields(forest: LeadingForest) -> Mapping[str, Any]:
    points = forest.tree.points
    if forest.distance is not None and (points is None or forest.distance != points.pairs):
        raise ValueError(
            f"distance={forest.distance!r} cannot be saved: a file that is safe to load holds no "
            f"functions. Build the tree from data, or keep the forest with pickle."
        )
    return {"tree": forest.tree, "roots": forest.roots, "objective": forest.objective}


def _settings(fields: Fields) -> Settings:
    settings = Settings(**fields.values)
    check_settings(settings)
    return settings


def _propagation(fields: Fields) -> Propagation:
    labels = fields.values["labels"]
    columns = (None,) if isinstance(labels, np.ndarray) and labels.ndim == 2 else ()
    shape = fields.floats("labels", None, *columns).shape
    fields.instance("settings", Settings)
    fields.number("noise")
    lender = fields.array("lender", "i8", None)
    fields.places("lender", None, 0, len(lender))
    known = [fields.values[name] for name in ("leave_one_out", "precision", "others", "sigma2")]
    if any(value is not None for value in known):
        fields.floats("leave_one_out", *shape)
        fields.floats("precision", shape[0])
        fields.floats("others", shape[0])
        sigma2 = fields.values["sigma2"]
        if not isinstance(sigma2, np.float64):
            fields.floats("sigma2", *shape[1:])
    return Propagation(**fields.values)


ENTRIES = (
    Entry(
        BuildReport,
        ("build", "metric", "seconds"),
        _report,
        optional=_CHECKED,
        read=_report_fields,
        shared=True,
    ),
    Entry(
        LeadingTree,
        (
            "density",
            "delta",
            "parent",
            "population",
            "bandwidth",
            "node_of",
            "scale",
            "points",
            "report",
        ),
        _tree,
        on_its_own=True,
    ),
    Entry(
        LeadingForest,
        ("tree", "roots", "objective"),
        _forest,
        read=_forest_fields,
        on_its_own=True,
    ),
    Entry(Settings, ("solver", "mu", "weights", "coupling", "pull"), _settings, shared=True),
    Entry(
        Propagation,
        (
            "labels",
            "settings",
            "lender",
            "leave_one_out",
            "precision",
            "others",
            "noise",
            "sigma2",
        ),
        _propagation,
        on_its_own=True,
    ),
)
