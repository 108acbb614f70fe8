"""Estimators, and what only they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lapoleaf.estimators import LaPOLeaFClassifier, LaPOLeaFRegressor, LoDOG
from lapoleaf.estimators.base import ForestEstimator, reach
from lapoleaf.estimators.choosing import CANDIDATES, Problem
from lapoleaf.estimators.labels import ClassLabels
from lapoleaf.forest import LeadingForest
from lapoleaf.persistence.entry import Entry
from lapoleaf.persistence.fields import Fields, is_plain
from lapoleaf.persistence.known_points import n_columns
from lapoleaf.propagation import Propagation
from lapoleaf.tree import LeadingTree

_FOREST = ("n_features_in_", "forest_", "ids_", "_nodes", "_distances")
_PROPAGATING = (*_FOREST, "_problems", "_results", "_errors", "chosen_", "_weight")


def _problem(fields: Fields) -> Problem:
    count = fields.amounts("count", None)
    labels = fields.floats("labels", len(count), None)
    return Problem(labels, count, float(fields.number("disagreement")))


def _class_labels(fields: Fields) -> ClassLabels:
    classes = fields.values["classes"]
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not len(classes):
        fields.refuse("classes", "a list of classes")
    if classes.dtype.kind not in "biufUS" or not (classes[1:] > classes[:-1]).all():
        fields.refuse("classes", "sorted, each class once")
    codes = fields.places("codes", None, -1, len(classes))
    if not is_plain(fields.values["missing"]):
        fields.refuse("missing", "a single value")
    return ClassLabels(classes, codes, fields.values["missing"])


def _check_forest(fields: Fields) -> LeadingForest:
    """Check what every estimator has: a forest of rows, and a node that answers for each row."""
    forest = fields.instance("forest_", LeadingForest)
    tree = forest.tree
    if tree.points is None or tree.bandwidth is None:
        fields.refuse("forest_", "built from data")
    if fields.whole("n_features_in_", 1) != n_columns(tree.points):
        fields.refuse("n_features_in_", f"{n_columns(tree.points)}, as in the data")
    rows = np.bincount(tree.node_of[tree.node_of >= 0], minlength=tree.n_nodes)
    if not rows.all():
        fields.refuse("forest_", "of nodes that have rows")
    if not (np.diff(fields.array("ids_", "i8", tree.n_rows)) > 0).all():
        fields.refuse("ids_", "ascending")
    fields.places("_nodes", tree.n_rows, 0, tree.n_nodes)
    fields.amounts("_distances", tree.n_rows)
    if "feature_names_in_" in fields:
        _check_names(fields)
    return forest


def _check_names(fields: Fields) -> None:
    names = fields.array("feature_names_in_", "O", fields.values["n_features_in_"])
    if not all(type(name) is str for name in names):
        fields.refuse("feature_names_in_", "texts")


def _check_propagations(fields: Fields, columns: list[int]) -> LeadingForest:
    """Check what estimators with labels have: for each of several targets, so many columns."""
    forest = _check_forest(fields)
    n = forest.tree.n_nodes
    problems = fields.instances("_problems", Problem)
    results = fields.instances("_results", Propagation)
    if len(problems) != len(columns) or len(results) != len(columns):
        fields.refuse("_results", f"{len(columns)}, with a problem for each")
    for problem, result, width in zip(problems, results, columns, strict=True):
        if problem.labels.shape != (n, width) or not problem.count.any():
            fields.refuse("_problems", f"labels of {n} nodes, with {width} columns")
        if result.labels.shape != (n, width) or len(result.lender) != forest.n_trees:
            fields.refuse("_results", f"labels of {n} nodes, with {width} columns")
    _check_errors(fields, [int((problem.count > 0).sum()) for problem in problems])
    chosen = fields.mapping("chosen_")
    if chosen.keys() != {*CANDIDATES, "loss"} or not all(map(_is_chosen, chosen.values())):
        fields.refuse("chosen_", "the parameters that can be chosen")
    fields.amounts("_weight", forest.tree.n_rows)
    return forest


def _is_chosen(value: Any) -> bool:
    """Say whether a value is a single one, or a list of one for each target."""
    return all(map(is_plain, value)) if isinstance(value, list) else is_plain(value)


def _check_errors(fields: Fields, given: list[int]) -> None:
    """Check the errors of given labels: there with the exact solver, for every given node."""
    errors = fields.values["_errors"]
    exact = {result.settings.solver == "exact" for result in fields.values["_results"]}
    known = {result.precision is not None for result in fields.values["_results"]}
    if exact | known | {errors is not None} not in ({True}, {False}):
        fields.refuse("_results", "with variances if exact, else without")
    if errors is None:
        return
    if not isinstance(errors, list) or len(errors) != len(given):
        fields.refuse("_errors", f"{len(given)} lists of numbers")
    for each, length in zip(errors, given, strict=True):
        Fields(fields.owner, {"_errors": each}).floats("_errors", length)


def _check_classifier(fields: Fields) -> None:
    labels = fields.instance("_labels", ClassLabels)
    k = len(labels.classes)
    n_rows = _check_propagations(fields, [k]).tree.n_rows
    if len(labels.codes) != n_rows:
        fields.refuse("_labels", f"labels of {n_rows} rows")
    fields.floats("label_distributions_", n_rows, k)
    fields.floats("confidence_", n_rows)
    if np.shape(fields.values["transduction_"]) != (n_rows,):
        fields.refuse("transduction_", f"classes of {n_rows} rows")


def _check_regressor(fields: Fields) -> None:
    targets = fields.values["_targets"]
    several = (None,) if isinstance(targets, np.ndarray) and targets.ndim == 2 else ()
    shape = fields.floats("_targets", None, *several).shape
    if np.isinf(targets).any():
        fields.refuse("_targets", "finite or NaN")
    n_targets = shape[1] if several else 1
    n_rows = _check_propagations(fields, [1] * n_targets).tree.n_rows
    if shape[0] != n_rows:
        fields.refuse("_targets", f"targets of {n_rows} rows")
    if ("transduction_std_" in fields) != (fields.values["_errors"] is not None):
        fields.refuse("_results", "with variances if exact, else without")
    if "transduction_std_" in fields:
        fields.floats("transduction_std_", *shape)


def _check_clustering(fields: Fields) -> None:
    _check_forest(fields)


def _of_forest(model: ForestEstimator) -> dict[str, Any]:
    tree: LeadingTree = model.forest_.tree
    return {"tree_": tree, "bandwidth_": tree.bandwidth}


def _of_classifier(model: Any) -> Mapping[str, Any]:
    return {
        **_of_forest(model),
        "classes_": model._labels.classes,
        "given_": model._labels.given,
        "_reach": reach(model.forest_),
    }


def _of_regressor(model: Any) -> Mapping[str, Any]:
    return {
        **_of_forest(model),
        "given_": ~np.isnan(model._targets),
        "transduction_": model._values_at(model._nodes),
    }


def _of_clustering(model: Any) -> Mapping[str, Any]:
    return {
        **_of_forest(model),
        "labels_": model.forest_.tree_of[model._nodes],
        "n_clusters_": model.forest_.n_trees,
        "cluster_centers_indices_": model._first_rows()[model.forest_.roots],
    }


def estimator(
    kind: type[ForestEstimator],
    fields: tuple[str, ...],
    check: Callable[[Fields], None],
    follows: Callable[[Any], Mapping[str, Any]],
    optional: tuple[str, ...] = ("feature_names_in_",),
) -> Entry:
    """Make the entry of an estimator: ``check`` its fields, and all else ``follows``."""

    def build(stored: Fields) -> ForestEstimator:
        model = kind(**stored.parameters)
        if stored.values:
            check(stored)
            model.__dict__.update(stored.values)
            model.tree_ = model.forest_.tree
            model.__dict__.update(follows(model))
        return model

    return Entry(kind, fields, build, optional, on_its_own=True)


ENTRIES = (
    Entry(Problem, ("labels", "count", "disagreement"), _problem),
    Entry(ClassLabels, ("classes", "codes", "missing"), _class_labels),
    estimator(
        LaPOLeaFClassifier,
        (*_PROPAGATING, "_labels", "label_distributions_", "confidence_", "transduction_"),
        _check_classifier,
        _of_classifier,
    ),
    estimator(
        LaPOLeaFRegressor,
        (*_PROPAGATING, "_targets"),
        _check_regressor,
        _of_regressor,
        ("feature_names_in_", "transduction_std_"),
    ),
    estimator(LoDOG, _FOREST, _check_clustering, _of_clustering),
)
