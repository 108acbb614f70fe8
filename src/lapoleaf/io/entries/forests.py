"""Trees, forests and propagations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._messages import shown
from lapoleaf._points import Points
from lapoleaf._propagation import Propagation, Settings
from lapoleaf._propagation.solve import check_settings
from lapoleaf._tree import BuildReport, LeadingTree
from lapoleaf.io.checks import (
    Field,
    array,
    floats,
    instance,
    is_plain,
    mapping,
    nullable,
    number,
    places,
    refuse,
    subclass,
    text,
    whole,
)
from lapoleaf.io.entry import Entry

# Fields that only the exact solver computes.
_EXACT = ("leave_one_out", "precision", "others", "sigma2")


def _seconds(field: Field) -> None:
    mapping(field)
    if not all(is_plain(value) for value in field.value.values()):
        field.refuse("seconds of named stages")


def _tree(parts: Mapping[str, Any]) -> LeadingTree:
    # The class checks that there is one root, and a leader ahead of every node that it leads.
    tree = LeadingTree(**parts)
    points = parts["points"]
    if points is not None and points.n != tree.n_nodes:
        refuse("LeadingTree.points", f"the tree's {tree.n_nodes} nodes, not {points.n}")
    return tree


def _forest(parts: Mapping[str, Any]) -> LeadingForest:
    tree, roots = parts["tree"], parts["roots"]
    if len(roots) and not (roots.min() >= 0 and roots.max() < tree.n_nodes):
        refuse("LeadingForest.roots", f"from 0 to {tree.n_nodes - 1}")
    return LeadingForest(tree, roots, objective=parts["objective"])


def _forest_parts(forest: LeadingForest) -> Mapping[str, Any]:
    points = forest.tree.points
    if forest.distance is not None and (points is None or forest.distance != points.pairs):
        raise ValueError(
            f"distance={shown(forest.distance)} cannot be saved: a file that is safe to load "
            f"holds no functions. Build the tree from data, or keep the forest with pickle."
        )
    return {"tree": forest.tree, "roots": forest.roots, "objective": forest.objective}


def _settings(parts: Mapping[str, Any]) -> Settings:
    settings = Settings(**parts)
    check_settings(settings)
    return settings


def _labels(field: Field) -> None:
    """Check labels of nodes: numbers, or vectors of them."""
    columns = ("columns",) if np.ndim(field.value) == 2 else ()
    floats("nodes", *columns)(field)


def _sigma2(field: Field) -> None:
    if not isinstance(field.value, np.float64):
        floats("columns")(field)


def _propagation(parts: Mapping[str, Any]) -> Propagation:
    if len({parts[name] is None for name in _EXACT}) > 1:
        refuse("Propagation.precision", "there with all else that the exact solver computes")
    without, sigma2 = parts["leave_one_out"], parts["sigma2"]
    if without is not None and without.shape != parts["labels"].shape:
        refuse("Propagation.leave_one_out", f"of shape {parts['labels'].shape}")
    if sigma2 is not None and np.shape(sigma2) != parts["labels"].shape[1:]:
        refuse("Propagation.sigma2", f"of shape {parts['labels'].shape[1:]}")
    return Propagation(**parts)


def _any(field: Field) -> None:
    """Accept anything, since the class checks it."""


ENTRIES = (
    Entry(
        BuildReport,
        {
            "build": text,
            "metric": text,
            "seconds": _seconds,
            "n_checked": nullable(whole(1)),
            "neighbours_found": nullable(number),
            "leaders_found": nullable(number),
            "density_error": nullable(number),
        },
        shared=True,
    ),
    Entry(
        LeadingTree,
        {
            "density": floats("nodes"),
            "delta": floats("nodes"),
            "parent": array("i8", "nodes"),
            "population": floats("nodes"),
            "bandwidth": nullable(number),
            "node_of": array("i8", None),
            "scale": nullable(floats("nodes")),
            "points": nullable(subclass(Points)),
            "report": nullable(instance(BuildReport)),
        },
        build=_tree,
        on_its_own=True,
    ),
    Entry(
        LeadingForest,
        {
            "tree": instance(LeadingTree),
            "roots": array("i8", None),
            "objective": nullable(floats(None)),
        },
        build=_forest,
        read=_forest_parts,
        on_its_own=True,
    ),
    Entry(
        Settings,
        dict.fromkeys(("solver", "mu", "weights", "coupling", "pull"), _any),
        build=_settings,
        shared=True,
    ),
    Entry(
        Propagation,
        {
            "labels": _labels,
            "settings": instance(Settings),
            "lender": places("trees", "trees"),
            "leave_one_out": nullable(_labels),
            "precision": nullable(floats("nodes")),
            "others": nullable(floats("nodes")),
            "noise": number,
            "sigma2": nullable(_sigma2),
        },
        build=_propagation,
        on_its_own=True,
    ),
)
