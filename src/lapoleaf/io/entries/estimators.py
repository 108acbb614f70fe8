"""Estimators: their parameters, and the values they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding import TableEncoder
from lapoleaf._messages import shown
from lapoleaf.estimators import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
)
from lapoleaf.estimators.base import ForestEstimator
from lapoleaf.estimators.class_ensemble import ClassChoices
from lapoleaf.estimators.class_labelling import ClassLabelling
from lapoleaf.estimators.class_labels import ClassLabels
from lapoleaf.estimators.number_ensemble import NumberChoices
from lapoleaf.estimators.number_labelling import NumberLabelling
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.scaling import RankScaling, StandardScaling
from lapoleaf.estimators.settings_search import ForestChoices
from lapoleaf.estimators.state import Fitted, SinceChoice, State
from lapoleaf.estimators.targets import Targets
from lapoleaf.io.checks import (
    Field,
    array,
    ascending,
    instance,
    mapping,
    nullable,
    refuse,
    tuple_of,
    whole,
)
from lapoleaf.io.consistency import check_class_labelling, check_number_labelling
from lapoleaf.io.entries.points import n_columns
from lapoleaf.io.entry import ParametersEntry, same, unknown_attribute
from lapoleaf.io.errors import LoadError

_COLUMNS = ("n_features_in_", "feature_names_in_", "encoder_", "scaling_")
# Callbacks are not part of the fitted state.
_NOT_STORED = ("_skl_callbacks",)


@dataclass(frozen=True)
class EstimatorEntry(ParametersEntry):
    """Entry of an estimator, which has all of its fields, or none if it is unfitted."""

    def parts_of(self, value: Any) -> Mapping[str, Any]:
        """Return the fields of an estimator; none if it is not fitted."""
        held = {*self.parameters_of(value), *_COLUMNS, *_NOT_STORED, "_state", "_rows"}
        unknown = vars(value).keys() - held
        if unknown:
            raise unknown_attribute(self.name, min(unknown))
        if not value.__sklearn_is_fitted__():
            return {}
        described = {name: vars(value)[name] for name in _COLUMNS if name in vars(value)}
        return {**described, **super().parts_of(value)}

    def built(self, parts: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
        """Return an estimator from its validated parameters and fields."""
        unknown = parameters.keys() - self.parameter_names
        if unknown:
            raise LoadError(f"{self.name} has no parameter {shown(min(unknown)[:40])}")
        model = self.kind(**parameters)
        if not parts:
            return model
        self._check(parts)
        width, encoder = n_columns(parts["rows"].points), parts.get("encoder_")
        scaling = parts.get("scaling_")
        if scaling is not None and scaling.n_columns != width:
            refuse(f"{self.name}.scaling_", f"one of {width} columns")
        if encoder is not None:
            _check_encoder(self.name, encoder, width)
            width = len(encoder.plan_.columns)
        if parts["n_features_in_"] != width:
            refuse(f"{self.name}.n_features_in_", f"{width}, as in the data")
        if len(parts.get("feature_names_in_", range(width))) != width:
            refuse(f"{self.name}.feature_names_in_", f"names of {width} columns")
        described = {name: parts[name] for name in _COLUMNS if name in parts}
        vars(model).update({**described, **self.learnt(model, parts)})
        return model

    def learnt(self, model: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fitted attributes."""
        return {"_rows": parts["rows"]}

    def compared(self, value: Any) -> Mapping[str, Any]:
        """Return the fields: an estimator holds nothing else that is stored."""
        return self.parts_of(value)


@dataclass(frozen=True)
class LabellingEntry(EstimatorEntry):
    """Entry of an estimator with labels.

    Attributes
    ----------
    consistent : callable
        Raises where rows, given labels, choices and labelling do not fit each other.
    """

    consistent: Callable[[str, Fitted[Any, Any]], None] = check_class_labelling

    def learnt(self, model: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the state; the method follows from the parameters."""
        at_call = {**model.get_params(deep=False), **parts["parameters_at_call"]}
        if parts["parameters_at_call"].keys() - self.parameter_names:
            refuse(f"{self.name}.parameters_at_call", "parameters that it has")
        choices, labelling = parts["choices"], parts["labelling"]
        if (choices is None) != (labelling is None):
            refuse(f"{self.name}.labelling", "there with what was chosen for it")
        method = self.kind(**at_call)._method()
        labelled = None if labelling is None else (choices, labelling)
        since = None if parts["since_choice"] is None else SinceChoice(*parts["since_choice"])
        fitted = Fitted(method, parts["rows"], parts["given"], labelled, since=since)
        self.consistent(self.name, fitted)
        if fitted.given.are_there(fitted.rows.weight) != (labelled is not None):
            refuse(f"{self.name}.labelling", "there if there are labels, and only then")
        changed = parts["changed"]
        if changed is not None and not np.isin(changed, fitted.rows.ids).all():
            refuse(f"{self.name}.changed", "ids of rows")
        return {"_state": State(fitted, None, changed)}


def _parts(model: ForestEstimator[Any, Any]) -> Mapping[str, Any]:
    """Return the values an estimator holds, and the parameters that it had when it was fitted."""
    fitted, now = model._fitted, model.get_params(deep=False)
    at_call = fitted.method.parameters
    return {
        "parameters_at_call": {k: v for k, v in at_call.items() if not same(v, now[k])},
        "rows": fitted.rows,
        "given": fitted.given,
        "choices": fitted.choices if fitted.has_labels else None,
        "labelling": fitted.complete_labelling if fitted.has_labels else None,
        "since_choice": None if fitted.since is None else tuple(fitted.since),
        "changed": model.changed_ if model._state.has_changed else None,
    }


def _check_encoder(name: str, encoder: TableEncoder, width: int) -> None:
    if len(encoder.plan_.feature_names) != width:
        refuse(f"{name}.encoder_", f"one that makes {width} columns")


def _names(field: Field) -> None:
    array("O", None)(field)
    if not all(type(name) is str for name in field.value):
        field.refuse("texts")


def _since_choice(field: Field) -> None:
    """Check the changes of labels since the last choice: two numbers."""
    value = field.value
    if type(value) is not tuple or len(value) != len(SinceChoice._fields):
        field.refuse("two whole numbers")
    tuple_of(whole(0))(field)


def _rows_of_clustering(model: LoDOG) -> Mapping[str, Any]:
    return {"rows": model._rows}


def _with_labels(
    kind: type[ForestEstimator[Any, Any]],
    given: type,
    choices: type,
    labelling: type,
    consistent: Callable[[str, Fitted[Any, Any]], None],
) -> LabellingEntry:
    """Return the entry of an estimator with labels, by the classes of the values it holds."""
    is_ensemble = issubclass(kind, LaPOLeaFClassifier | LaPOLeaFRegressor)
    fields = {
        **DESCRIBED,
        **(_OF_ROWS if is_ensemble else {}),
        "parameters_at_call": mapping,
        "rows": instance(Rows),
        "given": instance(given),
        "choices": nullable(instance(choices)),
        "labelling": nullable(instance(labelling)),
        "since_choice": nullable(_since_choice),
        "changed": nullable(ascending(None)),
    }
    return LabellingEntry(
        kind, fields, read=_parts, optional=OPTIONAL, on_its_own=True, consistent=consistent
    )


OPTIONAL = frozenset({"feature_names_in_"})
DESCRIBED = {"n_features_in_": whole(1), "feature_names_in_": _names}
_OF_ROWS = {
    "encoder_": nullable(instance(TableEncoder)),
    "scaling_": nullable(instance(StandardScaling, RankScaling)),
}
_OF_CLASSES = (ClassLabelling, check_class_labelling)
_OF_NUMBERS = (NumberLabelling, check_number_labelling)

ENTRIES = (
    _with_labels(LeadingForestClassifier, ClassLabels, ForestChoices, *_OF_CLASSES),
    _with_labels(LaPOLeaFClassifier, ClassLabels, ClassChoices, *_OF_CLASSES),
    _with_labels(LeadingForestRegressor, Targets, ForestChoices, *_OF_NUMBERS),
    _with_labels(LaPOLeaFRegressor, Targets, NumberChoices, *_OF_NUMBERS),
    EstimatorEntry(
        LoDOG,
        {**DESCRIBED, "rows": instance(Rows)},
        read=_rows_of_clustering,
        optional=OPTIONAL,
        on_its_own=True,
    ),
)
