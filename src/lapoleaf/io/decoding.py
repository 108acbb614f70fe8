"""Decoding of headers to validated objects; names cannot refer to code."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray
from lapoleaf._version import __version__
from lapoleaf.io.encoding import LARGEST, MOST_NAMES, N_KEYS, SCALARS
from lapoleaf.io.entry import Entry
from lapoleaf.io.errors import LoadError
from lapoleaf.io.table import ENTRIES

_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Decoder:
    """Builds the objects of a file.

    Parameters
    ----------
    arrays : callable
        Returns the array with a number.
    n_arrays : int
        Number of arrays.
    supplied : mapping of str to object
        Functions that files do not hold, by their names; None for those that were not passed.
    """

    def __init__(
        self,
        arrays: Callable[[int], AnyArray],
        n_arrays: int,
        supplied: Mapping[str, Any],
    ) -> None:
        self._arrays = arrays
        self._supplied = supplied
        self._objects: list[Any] = []
        self._named = Counter[int]()
        self._unused = {("array", number) for number in range(n_arrays)}
        self._tags: dict[str, Callable[[Any], Any]] = {
            "array": self._array,
            "bytes": bytes.fromhex,
            "dict": self._dict,
            "float": _FLOATS.__getitem__,
            "mixed": self._mixed,
            "numpy": self._numpy,
            "object": self._reference,
            "pandas": _pandas_missing,
            "random": self._random,
            "strings": self._strings,
            "supplied": self._function,
            "tuple": self._tuple,
        }

    def model(self, model: Any, objects: list[Any]) -> Any:
        """Build the model of a file from its description and the objects in it."""
        for number, encoded in enumerate(objects):
            self._objects.append(self._object(encoded))
            self._unused.add(("object", number))
        built = self._object(model)
        if not ENTRIES[type(built).__name__].on_its_own:
            raise LoadError(f"it holds a {type(built).__name__}, which is only part of a model")
        if self._unused:
            tag, number = min(self._unused)
            raise LoadError(f"{tag} {number} of it belongs to nothing")
        return built

    def _object(self, encoded: Any) -> Any:
        entry = _entry_named(encoded)
        parameters = self._dict(encoded.get("parameters", {}))
        return entry.built(self._dict(encoded["fields"]), parameters)

    def value(self, encoded: Any) -> Any:
        """Decode any value."""
        if isinstance(encoded, list):
            return [self.value(item) for item in encoded]
        if isinstance(encoded, dict):
            if len(encoded) != 1 or encoded.keys() - self._tags.keys():
                raise LoadError("its header holds a value of an unknown kind")
            ((tag, content),) = encoded.items()
            return self._tags[tag](content)
        if type(encoded) is int and not -LARGEST < encoded < LARGEST:
            raise LoadError("its header holds a number that is too large")
        return encoded

    def _array(self, number: Any) -> AnyArray:
        if type(number) is not int or number < 0:
            raise LoadError("its header names an array that is not there")
        self._unused.discard(("array", number))
        self._named[number] += 1
        if self._named[number] > MOST_NAMES:
            raise LoadError(f"its header names array {number} too often")
        return self._arrays(number)

    def _reference(self, number: Any) -> Any:
        if type(number) is not int or not 0 <= number < len(self._objects):
            raise LoadError("its header names an object that is not there")
        found = self._objects[number]
        shared = ENTRIES[type(found).__name__].shared
        if not shared and ("object", number) not in self._unused:
            raise LoadError(f"its header names object {number} too often")
        self._unused.discard(("object", number))
        return found

    def _function(self, name: Any) -> Any:
        if not isinstance(name, str) or name not in self._supplied:
            _refuse_content("supplied")
        function = self._supplied[name]
        if function is None:
            raise LoadError(
                f"its {name} is a function, which files do not hold: pass the same function, as in "
                f"load(path, {name}=function)"
            )
        return function

    def _dict(self, content: Any) -> dict[str, Any]:
        if not isinstance(content, dict):
            _refuse_content("dict")
        return {key: self.value(item) for key, item in content.items()}

    def _tuple(self, content: Any) -> tuple[Any, ...]:
        if not isinstance(content, list):
            _refuse_content("tuple")
        return tuple(self.value(content))

    def _numpy(self, content: Any) -> np.generic:
        name, encoded = content
        kind, python = SCALARS[name]
        value = self.value(encoded)
        if type(value) is not python:
            _refuse_content("numpy")
        return kind(value)

    def _strings(self, content: Any) -> AnyArray:
        texts = self._array(content)
        if texts.dtype.kind != "U" or texts.ndim != 1:
            _refuse_content("strings")
        return texts.astype(object)

    def _mixed(self, content: Any) -> AnyArray:
        encoded, number = content
        values, codes = self.value(encoded), self._array(number)
        if codes.dtype != np.int64 or codes.ndim != 1 or codes.min(initial=0) < 0:
            _refuse_content("mixed")
        table = np.empty(len(values), dtype=object)
        for k, value in enumerate(values):
            table[k] = value
        return table[codes]

    def _random(self, content: Any) -> np.random.RandomState:
        number, place, has_gauss, gauss = content
        keys = self._array(number)
        if keys.dtype != np.uint32 or keys.shape != (N_KEYS,) or not keys.any():
            _refuse_content("random")
        whole = type(place) is int and type(has_gauss) is int and type(gauss) is float
        if not (whole and 0 <= place <= N_KEYS and has_gauss in (0, 1)):
            _refuse_content("random")
        state = np.random.RandomState(0)
        state.set_state(("MT19937", keys, place, has_gauss, gauss))
        return state


def _entry_named(encoded: Any) -> Entry:
    """Return the entry of the class that an object names."""
    name = encoded.get("class") if isinstance(encoded, dict) else None
    entry = ENTRIES.get(name) if isinstance(name, str) else None
    if entry is None:
        raise LoadError(
            f"it holds an object of class {_short(name)}, which lapoleaf {__version__} does not "
            f"know"
        )
    has_parameters = entry.parameter_names is not None
    if encoded.keys() != {"class", "fields", *(["parameters"] if has_parameters else [])}:
        raise LoadError(f"its header describes a {entry.name} in an unknown way")
    return entry


def _pandas_missing(name: Any) -> Any:
    if name not in ("NA", "NaT"):
        _refuse_content("pandas")
    try:
        return getattr(importlib.import_module("pandas"), name)
    except ImportError as error:
        raise LoadError(f"its missing label is pandas.{name}: install pandas") from error


def _refuse_content(tag: str) -> NoReturn:
    raise LoadError(f"its header holds a value that is not of kind {shown(tag)}")


def _short(name: Any) -> str:
    return repr(str(name)[:40])
