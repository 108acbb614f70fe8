"""Entries of table encoders and plans of columns."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding import (
    Boolean,
    Category,
    Date,
    LeftOut,
    Number,
    Strings,
    TableEncoder,
    TablePlan,
    Text,
)
from lapoleaf._encoding.cells import ZONE_PATTERN
from lapoleaf._encoding.number_forms import FORMS
from lapoleaf._encoding.plans.date import CYCLES
from lapoleaf._encoding.text import FunctionVectors, NgramVectors, StaticVectors
from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf.io.checks import (
    Check,
    Field,
    array,
    flag,
    floats,
    instance,
    mapping,
    nullable,
    number,
    one_of,
    refuse,
    share,
    text,
    tuple_of,
    whole,
)
from lapoleaf.io.entry import Entry, ParametersEntry, unknown_attribute
from lapoleaf.io.errors import LoadError

_PLANS = (Boolean, Category, Date, LeftOut, Number, Strings, Text)
_OUTPUT = "_sklearn_output_config"
_DESCRIBED = ("n_features_in_", "feature_names_in_", _OUTPUT)
_LONGEST_NGRAM = 4
# Maximum number of columns of a function, each of which has a name.
_MOST_COLUMNS = 2**16
_DATE_FORMAT = re.compile(r"(?:%[A-Za-z]|[A-Za-z0-9 ,.:/+\-]){1,64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def _positive(field: Field) -> None:
    if not is_real(field.value) or not 0 < field.value < math.inf:
        field.refuse("a positive number")


def _finite(field: Field) -> None:
    if not is_real(field.value) or not math.isfinite(field.value):
        field.refuse("a finite number")


def _like(pattern: re.Pattern[str]) -> Check:
    """Return a check for a text of a certain look."""

    def check(field: Field) -> None:
        text(field)
        if not pattern.fullmatch(field.value):
            field.refuse(f"a text like {pattern.pattern}")

    return check


def _ascending_texts(length: str | None) -> Check:
    """Return a check for different texts in order."""
    shaped = array("O", length)

    def check(field: Field) -> None:
        shaped(field)
        texts = field.value.tolist()
        if not all(type(value) is str for value in texts):
            field.refuse("texts")
        if any(first >= second for first, second in itertools.pairwise(texts)):
            field.refuse("ascending, each text once")

    return check


def _ngrams(field: Field) -> None:
    _ascending_texts("ngrams")(field)
    if not all(0 < len(ngram) <= _LONGEST_NGRAM for ngram in field.value.tolist()):
        field.refuse(f"texts of at most {_LONGEST_NGRAM} characters")


def _finite_floats(*shape: str) -> Check:
    shaped = floats(*shape)

    def check(field: Field) -> None:
        shaped(field)
        if not np.isfinite(field.value).all():
            field.refuse("finite")

    return check


def _origin(field: Field) -> None:
    if type(field.value) is not int or not -(2**62) < field.value < 2**62:
        field.refuse("a whole number of microseconds")


def _function(field: Field) -> None:
    if not callable(field.value):
        field.refuse("a function")


def _names(field: Field) -> None:
    array("O", None)(field)
    if not all(type(name) is str for name in field.value.tolist()):
        field.refuse("texts")


def _output(field: Field) -> None:
    mapping(field)
    known = ("default", "pandas", "polars", None)
    if field.value.keys() != {"transform"} or field.value["transform"] not in known:
        field.refuse("the container that transform returns")


def _date(parts: Mapping[str, Any]) -> Date:
    cycles, scales = parts["cycles"], parts["scales"]
    if list(cycles) != [cycle for cycle in CYCLES if cycle in cycles]:
        refuse("Date.cycles", f"some of {list(CYCLES)}, in this order")
    if len(scales) - len(cycles) not in (1, 2):
        refuse("Date.scales", "a factor for every part")
    return Date(**parts)


def _functions(parts: Mapping[str, Any]) -> FunctionVectors:
    if parts["columns"] > _MOST_COLUMNS:
        refuse("FunctionVectors.columns", f"at most {_MOST_COLUMNS}")
    return FunctionVectors(**parts)


@dataclass(frozen=True)
class EncoderEntry(ParametersEntry):
    """Entry of an encoder, which has all of its fields, or none if it is unfitted."""

    def parts_of(self, value: Any) -> Mapping[str, Any]:
        """Return the fields of an encoder; those of a fit only if it is fitted."""
        unknown = vars(value).keys() - {*self.parameter_names, *_DESCRIBED, "plan_"}
        if unknown:
            raise unknown_attribute(self.name, min(unknown))
        return {name: vars(value)[name] for name in self.fields if name in vars(value)}

    def built(self, parts: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
        """Return an encoder from its validated parameters and fields."""
        unknown = parameters.keys() - self.parameter_names
        if unknown:
            raise LoadError(f"{self.name} has no parameter {shown(min(unknown)[:40])}")
        encoder = self.kind(**parameters)
        self._check(parts)
        fitted = [name for name in parts if name != _OUTPUT]
        if fitted:
            _check_fit(self.name, parts)
        vars(encoder).update(parts)
        return encoder

    def compared(self, value: Any) -> Mapping[str, Any]:
        """Return the fields: an encoder holds nothing else that is stored."""
        return self.parts_of(value)


def _check_fit(owner: str, parts: Mapping[str, Any]) -> None:
    """Check that fitted fields are complete, and of the same columns."""
    if not {"plan_", "n_features_in_"} <= parts.keys():
        refuse(f"{owner}.plan_", "there with n_features_in_")
    names = [plan.name for plan in parts["plan_"].columns]
    if parts["n_features_in_"] != len(names):
        refuse(f"{owner}.n_features_in_", f"{len(names)}, as in its plan")
    if parts.get("feature_names_in_", np.array(names, dtype=object)).tolist() != names:
        refuse(f"{owner}.feature_names_in_", "the names of its plan")


_OF_COLUMN: dict[str, Check] = {"name": text, "n_missing": whole(0)}
_OF_VECTORS: dict[str, Check] = {
    **_OF_COLUMN,
    "vectors": instance(FunctionVectors, NgramVectors, StaticVectors),
    "scale": _positive,
}

ENTRIES = (
    Entry(
        NgramVectors,
        {
            "ngrams": _ngrams,
            "idf": _finite_floats("ngrams"),
            "projection": _finite_floats("ngrams", "columns"),
        },
    ),
    Entry(StaticVectors, {"digest": _like(_DIGEST)}),
    Entry(FunctionVectors, {"text_encoder": _function, "columns": whole(1)}, build=_functions),
    Entry(LeftOut, {**_OF_COLUMN, "reason": text}),
    Entry(
        Number,
        {
            **_OF_COLUMN,
            "form": one_of(*FORMS),
            "duration": flag,
            "unit": _positive,
            "mean": _finite,
            "std": _positive,
            "median": _finite,
            "mark": number,
        },
    ),
    Entry(Boolean, {**_OF_COLUMN, "mean": share, "scale": _positive}),
    Entry(Category, {**_OF_COLUMN, "categories": _ascending_texts(None), "scale": _positive}),
    Entry(
        Date,
        {
            **_OF_COLUMN,
            "form": nullable(_like(_DATE_FORMAT)),
            "zone": nullable(_like(ZONE_PATTERN)),
            "origin": _origin,
            "mean": _finite,
            "cycles": tuple_of(one_of(*CYCLES)),
            "scales": _finite_floats("parts"),
        },
        build=_date,
    ),
    Entry(Strings, _OF_VECTORS),
    Entry(Text, _OF_VECTORS),
    Entry(TablePlan, {"columns": tuple_of(instance(*_PLANS))}),
    EncoderEntry(
        TableEncoder,
        {
            "n_features_in_": whole(1),
            "feature_names_in_": _names,
            "plan_": instance(TablePlan),
            _OUTPUT: _output,
        },
        optional=frozenset({"n_features_in_", "feature_names_in_", "plan_", _OUTPUT}),
        on_its_own=True,
    ),
)
