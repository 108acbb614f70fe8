"""Encoding of objects as values of JSON, with tags for other types, and arrays.

Every JSON object in a value is a tag with one content: ``{"array": 3}`` is the fourth array of the
file, ``{"object": 1}`` its second object, ``{"float": "nan"}`` a number JSON cannot write.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray
from lapoleaf.io.arrays import is_storable
from lapoleaf.io.entry import Entry
from lapoleaf.io.table import entry_of, models

# The types of single NumPy values by their names in files, and the Python type of each.
SCALARS: dict[str, tuple[type[np.generic], type]] = {
    "bool": (np.bool_, bool),
    "int8": (np.int8, int),
    "int16": (np.int16, int),
    "int32": (np.int32, int),
    "int64": (np.int64, int),
    "uint8": (np.uint8, int),
    "uint16": (np.uint16, int),
    "uint32": (np.uint32, int),
    "uint64": (np.uint64, int),
    "float16": (np.float16, float),
    "float32": (np.float32, float),
    "float64": (np.float64, float),
    "str": (np.str_, str),
    "bytes": (np.bytes_, bytes),
}
LARGEST = 2**64
# Maximum number of references to an array: an argument of a metric is in the estimator and in its
# points. More references would let a small file use much memory.
MOST_NAMES = 2
# Numbers in the state of a RandomState.
N_KEYS = 624
# Functions that are passed to load, by parameter.
SUPPLIED = ("text_encoder",)
_DEEPEST = 8

_SCALAR_NAMES = {kind: name for name, (kind, _) in SCALARS.items()}
_INSTEAD = {
    "metric": "Name a metric, or pass the distances with metric='precomputed'",
    "cost": "Name a cost, or set the number of trees",
}


class Encoder:
    """Collects the objects and arrays of a model.

    Shared objects are stored once, if the table allows sharing.

    Parameters
    ----------
    omitted : tuple of type
        Objects of these classes are stored as None.

    Attributes
    ----------
    objects : list of dict
        Encoded objects; an object comes after those it holds.
    arrays : list of ndarray
        Arrays.
    """

    def __init__(self, omitted: tuple[type, ...] = ()) -> None:
        self.omitted = omitted
        self.objects: list[dict[str, Any]] = []
        self.arrays: list[AnyArray] = []
        # By identity. The values are referenced, so that no identity is reused.
        self._seen: dict[int, tuple[Any, dict[str, int]]] = {}

    def model(self, model: Any) -> dict[str, Any]:
        """Encode a model, the object that holds all others."""
        entry = entry_of(model)
        if entry is None or not entry.on_its_own:
            raise TypeError(
                f"model is a {type(model).__name__}, which lapoleaf.save does not know: it saves "
                f"{', '.join(models())}. For others, and for pipelines, use joblib or skops."
            )
        return self._object(model, entry)

    def _object(self, value: Any, entry: Entry) -> dict[str, Any]:
        value = copy.copy(value) if entry.grows else value
        encoded: dict[str, Any] = {"class": entry.name}
        if entry.parameter_names is not None:
            parameters = entry.parameters_of(value).items()
            encoded["parameters"] = {name: self.value(part, name) for name, part in parameters}
        parts = entry.parts_of(value)
        encoded["fields"] = {name: self.value(part, name) for name, part in parts.items()}
        entry.verify(value, parts)
        return encoded

    def value(self, value: Any, place: str, depth: int = 0) -> Any:
        """Encode any value; ``place`` is its name in errors."""
        if depth > _DEEPEST:
            raise ValueError(f"{place} cannot be saved: it is nested too deeply.")
        if isinstance(value, self.omitted):
            return None
        if type(value) in (list, tuple, dict):
            return self._container(value, place, depth)
        entry = entry_of(value)
        if entry is not None:
            return self._known(value, entry)
        if type(value) in (np.ndarray, np.memmap):
            return self._array(value, place)
        if type(value) is np.random.RandomState:
            return self._random(value, place)
        return _single(value, place)

    def _random(self, value: np.random.RandomState, place: str) -> dict[str, Any]:
        """Encode a generator of random numbers by its state."""
        state = value.get_state(legacy=False)
        if state["bit_generator"] != "MT19937":
            raise ValueError(
                f"{place} cannot be saved: it is a RandomState of another kind than usual. Use a "
                f"whole number."
            )
        inner = state["state"]
        return {
            "random": [
                self._add(inner["key"]), int(inner["pos"]), int(state["has_gauss"]),
                float(state["gauss"]),
            ]
        }  # fmt: skip

    def _container(self, value: Any, place: str, depth: int) -> Any:
        if type(value) is dict:
            if not all(type(key) is str for key in value):
                raise ValueError(f"{place} cannot be saved: its keys must be strings.")
            items = {k: self.value(v, f"{place}[{shown(k)}]", depth + 1) for k, v in value.items()}
            return {"dict": items}
        parts = [self.value(part, f"{place}[{k}]", depth + 1) for k, part in enumerate(value)]
        return {"tuple": parts} if type(value) is tuple else parts

    def _known(self, value: Any, entry: Entry) -> dict[str, Any]:
        """Encode an object of the table, once if it may be shared."""
        if id(value) not in self._seen:
            self.objects.append(self._object(value, entry))
            number = len(self.objects) - 1
            if not entry.shared:
                return {"object": number}
            self._seen[id(value)] = (value, {"object": number})
        return self._seen[id(value)][1]

    def _array(self, array: AnyArray, place: str) -> dict[str, Any]:
        if id(array) in self._seen:
            # The second reference; for a third one it is stored again.
            return self._seen.pop(id(array))[1]
        if array.dtype.kind == "O" and array.ndim == 1:
            return self._array_of_objects(array, place)
        if not is_storable(array):
            raise ValueError(
                f"{place} cannot be saved: it is an array of {array.dtype}. Use numbers of up to "
                f"64 bits, booleans or strings."
            )
        self._seen[id(array)] = (array, {"array": self._add(array)})
        return self._seen[id(array)][1]

    def _add(self, array: AnyArray) -> int:
        self.arrays.append(array)
        return len(self.arrays) - 1

    def _array_of_objects(self, array: AnyArray, place: str) -> dict[str, Any]:
        """Encode an array of Python objects: as texts, or by the few different values it has."""
        objects = array.tolist()
        if all(type(value) is str for value in objects):
            texts = np.array(objects, dtype=np.str_)
            if texts.tolist() != objects:
                raise ValueError(f"{place} cannot be saved: a string in it ends with a zero byte.")
            return {"strings": self._add(texts)}
        # By name, because NaN is not equal to itself.
        names = [(type(value), repr(value)) for value in objects]
        values = dict(zip(names, objects, strict=True))
        numbers = {name: number for number, name in enumerate(values)}
        codes = self._add(np.array([numbers[name] for name in names], dtype=np.int64))
        return {"mixed": [[_single(value, place) for value in values.values()], codes]}


def _single(value: Any, place: str) -> Any:
    """Encode a single value."""
    kind = type(value)
    if value is None or kind in (bool, str) or (kind is int and -LARGEST < value < LARGEST):
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind in _SCALAR_NAMES:
        return {"numpy": [_SCALAR_NAMES[kind], _single(value.item(), place)]}
    if kind.__module__.startswith("pandas.") and kind.__name__ in ("NAType", "NaTType"):
        return {"pandas": kind.__name__.removesuffix("Type")}
    if callable(value) and place in SUPPLIED:
        return {"supplied": place}
    if callable(value):
        raise ValueError(
            f"{place}={shown(value)} cannot be saved: a file that is safe to load holds no "
            f"functions. {_INSTEAD.get(place, 'Use something else')}, or keep the model with "
            f"pickle."
        )
    raise ValueError(
        f"{place}={shown(value)} cannot be saved: it is of type {kind.__name__}. Files hold "
        f"numbers, strings, lists, dicts and arrays; pickle keeps the rest."
    )
