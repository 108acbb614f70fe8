"""Entries of the table: the fields of a class, and how objects are encoded and built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from lapoleaf._lazy import Value, computed_once
from lapoleaf._messages import shown
from lapoleaf.io.checks import Check, Field
from lapoleaf.io.errors import LoadError


@dataclass(frozen=True)
class Entry:
    """How objects of a class are stored and restored.

    Attributes
    ----------
    kind : type
        The class. Its name stands in files.
    fields : mapping of str to check
        What is stored, and what each must be. Checks run in this order.
    build : callable, default=None
        Makes an object from its checked fields, raising where they do not fit each other; by
        default the class itself does.
    read : callable, default=None
        Returns the fields of an object; by default they are attributes of it.
    optional : frozenset of str, default=frozenset()
        Fields that not every object has.
    on_its_own : bool, default=False
        Whether a file may hold such an object alone.
    shared : bool, default=False
        Whether several objects may hold the same one. Only if the cost of checking those does not
        depend on its size, so that a small file cannot take long to read.
    grows : bool, default=False
        Whether another thread may modify an object while it is stored, such as a map of rows, in
        which case a copy is stored.
    """

    kind: type[Any]
    fields: Mapping[str, Check]
    build: Callable[[Mapping[str, Any]], Any] | None = None
    read: Callable[[Any], Mapping[str, Any]] | None = None
    optional: frozenset[str] = field(default_factory=frozenset)
    on_its_own: bool = False
    shared: bool = False
    grows: bool = False

    @property
    def name(self) -> str:
        """Name of the class."""
        return self.kind.__name__

    @property
    def parameter_names(self) -> frozenset[str] | None:
        """Names of the parameters of an estimator; None for other objects."""
        return None

    def parameters_of(self, value: Any) -> dict[str, Any]:
        """Return the parameters of an estimator; other objects have none."""
        return {}

    def parts_of(self, value: Any) -> Mapping[str, Any]:
        """Return the fields of an object."""
        if self.read is not None:
            return self.read(value)
        return {name: getattr(value, name) for name in self.fields}

    def built(self, parts: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
        """Make an object of its fields, checking all of them."""
        self._check(parts)
        return self.kind(**parts) if self.build is None else self.build(parts)

    def _check(self, parts: Mapping[str, Any]) -> None:
        unknown = parts.keys() - self.fields.keys()
        if unknown:
            raise LoadError(f"{self.name} has no field {shown(min(unknown)[:40])}")
        missing = self.fields.keys() - self.optional - parts.keys()
        if missing:
            raise LoadError(f"{self.name} lacks the field {shown(min(missing))}")
        lengths: dict[str, int] = {}
        for name, check in self.fields.items():
            if name in parts:
                check(Field(f"{self.name}.{name}", parts[name], lengths))

    def compared(self, value: Any) -> Mapping[str, Any]:
        """Return the values that must be equal in an object and in its restored form."""
        return attributes(value)

    def verify(self, value: Any, parts: Mapping[str, Any]) -> None:
        """Build an object from its parts at once, and compare: raise if anything differs.

        This ensures that every file can be loaded, and that it is complete.
        """
        try:
            built = self.built(parts, self.parameters_of(value))
        except LoadError as error:
            raise ValueError(f"{self.name} cannot be saved: {error}.") from error
        found, expected = self.compared(value), self.compared(built)
        for name in sorted({*found, *expected}):
            if name not in expected:
                raise unknown_attribute(self.name, name)
            if name not in found or not same(found[name], expected[name]):
                raise ValueError(
                    f"{self.name} cannot be saved: its attribute {shown(name)} does not fit the "
                    f"rest of it any more. Fit or build it again, or keep it with pickle or joblib."
                )


@dataclass(frozen=True)
class ParametersEntry(Entry):
    """Entry of an object with scikit-learn parameters."""

    @property
    def parameter_names(self) -> frozenset[str]:
        """Names of the parameters."""
        return frozenset(self.kind().get_params(deep=False))

    def parameters_of(self, value: Any) -> dict[str, Any]:
        """Return the parameters as they are now."""
        parameters: dict[str, Any] = value.get_params(deep=False)
        return parameters


def unknown_attribute(owner: str, name: str) -> ValueError:
    """Return the error for an attribute that is in no entry."""
    return ValueError(
        f"{owner} cannot be saved: its attribute {shown(name)} is not part of the model. Delete "
        f"it, or keep the model with pickle or joblib."
    )


def attributes(value: Any) -> dict[str, Any]:
    """Return all attributes except cached ones."""
    if not hasattr(value, "__dict__"):
        return {}
    kind = type(value)
    found = {
        name: attribute
        for name, attribute in vars(value).items()
        if not isinstance(getattr(kind, name, None), cached_property | computed_once)
        and not name.startswith("_lock_of_")
    }
    # The pickled state of a value is the stored one.
    return {**found, **value.__getstate__()} if isinstance(value, Value) else found


def same(first: Any, second: Any) -> bool:
    """Whether two values are bitwise identical."""
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if isinstance(first, sp.csr_matrix):
        parts = ("shape", "indptr", "indices", "data")
        return all(same(getattr(first, part), getattr(second, part)) for part in parts)
    if isinstance(first, np.ndarray):
        return (
            first.dtype == second.dtype
            and first.shape == second.shape
            and bool(np.array_equal(first, second, equal_nan=first.dtype.kind == "f"))
        )
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    if isinstance(first, float):
        return first == second or (first != first and second != second)
    if attributes(first):
        return same(attributes(first), attributes(second))
    return bool(first == second)
