"""Estimators, and what only they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation import Propagation
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import BoolArray
from lapoleaf.estimators import LaPOLeaFClassifier, LaPOLeaFRegressor, LoDOG
from lapoleaf.estimators.base import ForestEstimator, reach
from lapoleaf.estimators.choosing import CANDIDATES, Problem
from lapoleaf.estimators.labels import ClassLabels
from lapoleaf.estimators.mixing import Mixture
from lapoleaf.estimators.numbers import Target
from lapoleaf.io.entry import Entry
from lapoleaf.io.fields import Fields, is_plain
from lapoleaf.io.known_ensembles import (
    Landmarks,
    check_forests,
    check_left_out,
    refuse_parts_without_rows,
)
from lapoleaf.io.known_points import n_columns
from lapoleaf.io.stored_parts import (
    OtherForests,
    RidgeParts,
    SparseRows,
    TrendParts,
    rows_left_out,
    trends_of,
)

_FOREST = ("n_features_in_", "forest_", "ids_", "_nodes", "_distances", "_left_out")
_PROPAGATING = (*_FOREST, "forests_", "_problems", "_results", "_errors", "chosen_", "_weight")
# What estimators have that rows have joined or left, from version 4 on.
_GROWN = ("changed_", "_next_id")
# What version 1 knew nothing of: parameters, and fields in their stored form.
_PARAMETERS_OF_1 = {"n_forests": 1, "ridge": None}
_FIELDS_OF_1 = {"_left_out": None, "forests_": None}
# What is chosen for parts that not every model has.
_CHOSEN_FOR_PARTS = (
    frozenset[str](),
    frozenset({"class_mass", "ridge_share", "sharpness"}),
    frozenset({"forest_share"}),
)


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
    inside = tree.node_of >= 0
    nodes = fields.places("_nodes", tree.n_rows, 0, tree.n_nodes)
    if not np.array_equal(nodes[inside], tree.node_of[inside]):
        fields.refuse("_nodes", "the nodes that rows are in")
    if fields.amounts("_distances", tree.n_rows)[inside].any():
        fields.refuse("_distances", "0 for rows that are in a node")
    check_left_out(fields, forest)
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
    check_forests(fields, forest)
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
    known = [{*CANDIDATES, "loss", *more} for more in _CHOSEN_FOR_PARTS]
    if chosen.keys() not in known or not all(map(_is_chosen, chosen.values())):
        fields.refuse("chosen_", "the parameters that can be chosen")
    _check_weight(fields, forest.tree)
    _check_growth(fields)
    return forest


def _check_weight(fields: Fields, tree: LeadingTree) -> None:
    """Check that rows weigh what their nodes do: rows that leave take their weight along."""
    weight, inside = fields.amounts("_weight", tree.n_rows), tree.node_of >= 0
    if not np.array_equal(weight > 0, inside):
        fields.refuse("_weight", "0 where a row is in no node, and only there")
    total = np.bincount(tree.node_of[inside], weight[inside], tree.n_nodes)
    if not np.allclose(total, tree.population, rtol=1e-6, atol=0.0):
        fields.refuse("_weight", "the weights that nodes are the sum of")


def _check_growth(fields: Fields) -> None:
    """Check what estimators have that rows have joined or left."""
    ids = fields.values["ids_"]
    if "_next_id" in fields and fields.whole("_next_id", 0) <= ids[-1]:
        fields.refuse("_next_id", "above all ids")
    if "changed_" in fields:
        changed = fields.array("changed_", "i8", None)
        if not (np.diff(changed) > 0).all() or not np.isin(changed, ids).all():
            fields.refuse("changed_", "ids, ascending")


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
    _check_labelled(fields, labels.given[:, None])
    fields.floats("label_distributions_", n_rows, k)
    fields.floats("confidence_", n_rows)
    if np.shape(fields.values["transduction_"]) != (n_rows,):
        fields.refuse("transduction_", f"classes of {n_rows} rows")
    _check_mixture(fields, k)


def _check_labelled(fields: Fields, given: BoolArray) -> None:
    """Check that nodes were given labels where their rows were, (n_rows, n_problems)."""
    node_of = fields.values["forest_"].tree.node_of
    for column, problem in zip(given.T, fields.values["_problems"], strict=True):
        labelled = np.zeros(len(problem.count), dtype=bool)
        labelled[node_of[column & (node_of >= 0)]] = True
        if not np.array_equal(labelled, problem.count > 0):
            fields.refuse("_problems", "of labels where rows were given some")


def _check_mixture(fields: Fields, k: int) -> None:
    """Check what is mixed for ``k`` classes: a mixture with many forests and with a ridge."""
    ridge = fields.values["_ridge"]
    if fields.values["_mixture"] is None:
        if ridge is not None or fields.values["forests_"] is not None:
            fields.refuse("_mixture", "there with a ridge or many forests")
        return
    if len(fields.instance("_mixture", Mixture).mass) != k:
        fields.refuse("_mixture", f"of {k} classes")
    _check_parts(fields)
    if ridge is None:
        return
    n_given = int((fields.values["_problems"][0].count > 0).sum())
    if fields.instance("_ridge", RidgeParts).leave_one_out.shape != (n_given, k):
        fields.refuse("_ridge", f"a ridge of {n_given} labels and {k} classes")


def _check_parts(fields: Fields) -> None:
    """Check what all models with parts beside a single forest have."""
    if fields.values["_errors"] is None:
        fields.refuse("_results", "exact, with parts that need it")
    refuse_parts_without_rows(fields, fields.values["forest_"])


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
    _check_labelled(fields, ~np.isnan(targets.reshape(n_rows, -1)))
    if ("transduction_std_" in fields) != (fields.values["_errors"] is not None):
        fields.refuse("_results", "with variances if exact, else without")
    if "transduction_std_" in fields:
        fields.floats("transduction_std_", *shape)
    if fields.version > 1:
        fields.floats("transduction_", *shape)
        fields.floats("_node_std", fields.values["forest_"].tree.n_nodes, n_targets)
    _check_trends(fields)


def _check_trends(fields: Fields) -> None:
    """Check the trends of all targets, if there are any."""
    if fields.values["forests_"] is not None or fields.values["_models"] is not None:
        _check_parts(fields)
    if fields.values["_models"] is None:
        return
    trends, problems = fields.instances("_models", TrendParts), fields.values["_problems"]
    if len(trends) != len(problems):
        fields.refuse("_models", f"trends of {len(problems)} targets")
    for trend, problem in zip(trends, problems, strict=True):
        if len(trend.leave_one_out) != (problem.count > 0).sum():
            fields.refuse("_models", "trends of the given targets")


def _check_clustering(fields: Fields) -> None:
    _check_forest(fields)


def _of_forest(model: ForestEstimator, stored: Fields) -> dict[str, Any]:
    tree: LeadingTree = model.forest_.tree
    rows = stored.values["_left_out"]
    return {
        "tree_": tree,
        "bandwidth_": tree.bandwidth,
        "build_report_": tree.report,
        "_left_out": rows.matrix() if isinstance(rows, SparseRows) else rows,
    }


def _of_propagating(model: Any, stored: Fields) -> dict[str, Any]:
    others: OtherForests | None = stored.values["forests_"]
    plain = model.forest_
    return {
        **_of_forest(model, stored),
        "forests_": [plain] if others is None else others.with_plain(plain),
    }


def _of_classifier(model: Any, stored: Fields) -> Mapping[str, Any]:
    ridge: RidgeParts | None = stored.values["_ridge"]
    if ridge is not None:
        landmarks = Landmarks(model.tree_.points).at(stored, "_ridge", ridge.nodes)
        model._ridge = ridge.with_points(landmarks)
    return {
        **_of_propagating(model, stored),
        "classes_": model._labels.classes,
        "given_": model._labels.given,
        "_reach": reach(model.forest_),
        "_answers": np.asarray(model.label_distributions_[model._first_rows()]),
    }


def _of_regressor(model: Any, stored: Fields) -> Mapping[str, Any]:
    model.__dict__.update(_of_propagating(model, stored))
    model._models = _targets(model, stored)
    columns = (len(model._targets), len(model._models))
    if stored.version == 1:
        model._answer_nodes()
        model.transduction_ = model._in_shape(model._node_values[model._nodes])
    else:
        rows = model._first_rows()
        model._node_values = np.asarray(model.transduction_.reshape(columns)[rows])
    return {"given_": ~np.isnan(model._targets)}


def _targets(model: Any, stored: Fields) -> list[Target]:
    """Put the targets of a regressor together."""
    pairs = list(zip(model._problems, model._results, strict=True))
    trends: list[TrendParts] | None = stored.values["_models"]
    if trends is None:
        return [Target(*pair, None, 1.0) for pair in pairs]
    landmarks = Landmarks(model.tree_.points)
    found = [(t, landmarks.at(stored, "_models", t.nodes)) for t in trends]
    return [
        Target(*pair, trend.with_points(points), trend.forest_share)
        for pair, (trend, points) in zip(pairs, found, strict=True)
    ]


def _of_clustering(model: Any, stored: Fields) -> Mapping[str, Any]:
    return {
        **_of_forest(model, stored),
        "labels_": model.forest_.tree_of[model._nodes],
        "n_clusters_": model.forest_.n_trees,
        "cluster_centers_indices_": model._first_rows()[model.forest_.roots],
    }


def _packed_classifier(model: Any) -> Mapping[str, Any]:
    ridge = model._ridge
    if ridge is not None:
        ridge = RidgeParts.of(ridge, model.tree_.points, model._problems[0])
    return {**_packed_propagating(model), "_ridge": ridge}


def _packed_regressor(model: Any) -> Mapping[str, Any]:
    trends = trends_of(model._models, model.tree_.points)
    return {**_packed_propagating(model), "_models": trends}


def _packed_propagating(model: Any) -> dict[str, Any]:
    return {**_packed_forest(model), "forests_": OtherForests.of(model.forests_)}


def _packed_forest(model: Any) -> dict[str, Any]:
    return {"_left_out": rows_left_out(model._left_out)}


def _upgrading(
    parameters: Mapping[str, Any], values: Mapping[str, Any]
) -> Callable[[Fields], Fields]:
    """Give what completes fields of version 1 by parameters and values that it did not have."""

    def upgrade(stored: Fields) -> Fields:
        complete = {**stored.values, **values} if stored.values else {}
        return Fields(stored.owner, complete, {**stored.parameters, **parameters}, stored.version)

    return upgrade


def estimator(
    kind: type[ForestEstimator],
    fields: tuple[str, ...],
    check: Callable[[Fields], None],
    follows: Callable[[Any, Fields], Mapping[str, Any]],
    **more: Any,
) -> Entry:
    """Make the entry of an estimator: ``check`` its fields, and all else ``follows``."""

    def build(stored: Fields) -> ForestEstimator:
        model = kind(**stored.parameters)
        if stored.values:
            check(stored)
            model.__dict__.update(stored.values)
            model.tree_ = model.forest_.tree
            model.__dict__.update(follows(model, stored))
        return model

    return Entry(
        kind, fields, build, **{"optional": ("feature_names_in_",), **more}, on_its_own=True
    )


ENTRIES = (
    Entry(Problem, ("labels", "count", "disagreement"), _problem),
    Entry(ClassLabels, ("classes", "codes", "missing"), _class_labels),
    estimator(
        LaPOLeaFClassifier,
        (
            *_PROPAGATING,
            "_mixture",
            "_ridge",
            "_labels",
            "label_distributions_",
            "confidence_",
            "transduction_",
        ),
        _check_classifier,
        _of_classifier,
        optional=("feature_names_in_", *_GROWN),
        pack=_packed_classifier,
        added=("_left_out", "forests_", "_mixture", "_ridge"),
        upgrade=_upgrading(
            {**_PARAMETERS_OF_1, "class_prior": None},
            {**_FIELDS_OF_1, "_mixture": None, "_ridge": None},
        ),
    ),
    estimator(
        LaPOLeaFRegressor,
        (*_PROPAGATING, "_models", "_targets", "_node_std", "transduction_"),
        _check_regressor,
        _of_regressor,
        optional=("feature_names_in_", "transduction_std_", *_GROWN),
        pack=_packed_regressor,
        added=("_left_out", "forests_", "_models", "_node_std", "transduction_"),
        upgrade=_upgrading(_PARAMETERS_OF_1, {**_FIELDS_OF_1, "_models": None}),
    ),
    estimator(
        LoDOG,
        _FOREST,
        _check_clustering,
        _of_clustering,
        pack=_packed_forest,
        added=("_left_out",),
        upgrade=_upgrading({}, {"_left_out": None}),
    ),
)
