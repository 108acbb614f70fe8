"""What the table of known classes says of a class, and how an object is taken apart by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from lapoleaf._points import Points
from lapoleaf.io.errors import LoadError
from lapoleaf.io.fields import Fields


@dataclass(frozen=True)
class Entry:
    """How objects of one class are stored and built again.

    Attributes
    ----------
    kind : type
        The class. Its name stands in files.
    fields : tuple of str
        Attributes that are written; for an estimator, those it has when fitted.
    build : callable
        Makes an object from its :class:`Fields`, checking them.
    optional : tuple of str, default=()
        Attributes that are written if they are there.
    read : callable, default=None
        Gives the fields of an object, where they are not attributes of it.
    pack : callable, default=None
        Gives the stored form of those fields that are not written as they are.
    added : tuple of str, default=()
        Fields that version 1 of the format did not have.
    upgrade : callable, default=None
        Makes fields and parameters of version 1 complete.
    on_its_own : bool, default=False
        Whether a file may hold such an object alone.
    shared : bool, default=False
        Whether several objects may hold the same one. Only where checking those does not depend on
        its size: else a small file could keep a reader busy for long.
    """

    kind: type[Any]
    fields: tuple[str, ...]
    build: Callable[[Fields], Any]
    optional: tuple[str, ...] = ()
    read: Callable[[Any], Mapping[str, Any]] | None = None
    on_its_own: bool = False
    shared: bool = False
    pack: Callable[[Any], Mapping[str, Any]] | None = None
    added: tuple[str, ...] = ()
    upgrade: Callable[[Fields], Fields] | None = None

    @property
    def name(self) -> str:
        """Name of the class."""
        return self.kind.__name__

    @property
    def is_estimator(self) -> bool:
        """Whether objects have parameters."""
        return issubclass(self.kind, BaseEstimator)

    @property
    def parameter_names(self) -> frozenset[str]:
        """Names of an estimator's parameters."""
        return frozenset(self.kind().get_params(deep=False)) if self.is_estimator else frozenset()

    def parameters_of(self, model: Any) -> dict[str, Any]:
        """Give the parameters of an estimator; other objects have none."""
        return model.get_params(deep=False) if self.is_estimator else {}

    def parts_of(self, value: Any) -> Mapping[str, Any]:
        """Give the fields of an object; none of an estimator that is not fitted."""
        if self.read is not None:
            return self.read(value)
        _complete(value)
        attributes = _attributes(value, self.parameters_of(value))
        if self.is_estimator and not attributes:
            return {}
        missing = [name for name in self.fields if name not in attributes]
        if missing:
            why = f"it has no {missing[0]!r}. Fit it again first."
            raise ValueError(f"{self.name} cannot be saved: {_reason(value, missing[0]) or why}")
        packed = {**attributes, **(self.pack(value) if self.pack else {})}
        return {n: packed[n] for n in (*self.fields, *self.optional) if n in attributes}

    def fields_in(self, version: int) -> frozenset[str]:
        """Name the fields that a version of the format has."""
        return frozenset(self.fields) - (frozenset(self.added) if version == 1 else frozenset())

    def built(self, stored: Fields) -> Any:
        """Make an object from what a file of any version says of it."""
        if stored.version == 1 and self.upgrade is not None:
            stored = self.upgrade(stored)
        return self.build(stored)

    def verify(self, value: Any, parts: Mapping[str, Any]) -> None:
        """Build an object from its parts at once, and compare: raise if anything differs.

        So no file is written that cannot be loaded, and nothing is left out that does not follow
        from what is written.
        """
        parameters = self.parameters_of(value)
        try:
            built = self.build(Fields(self.name, parts, parameters))
        except LoadError as error:
            raise ValueError(f"{self.name} cannot be saved: {error}.") from error
        found, expected = _attributes(value, parameters), _attributes(built, parameters)
        for name in sorted({*found, *expected}):
            if name not in expected:
                raise ValueError(
                    f"{self.name} cannot be saved: its attribute {name!r} is not part of the "
                    f"model. Delete it, or keep the model with pickle or joblib."
                )
            if name not in found or not same(found[name], expected[name]):
                raise ValueError(
                    f"{self.name} cannot be saved: its attribute {name!r} does not fit the rest "
                    f"of it any more. Fit or build it again, or keep it with pickle or joblib."
                )


def _complete(value: Any) -> None:
    """Let an estimator that has grown compute what it computes when it is asked for."""
    settle = getattr(value, "_settle", None)
    if settle is not None:
        settle()


def _reason(value: Any, name: str) -> str | None:
    """Give what an estimator itself says of an attribute that it cannot have yet."""
    try:
        getattr(value, name)
    except NotFittedError as error:
        return str(error)
    except AttributeError:
        pass
    return None


def _attributes(value: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Give all attributes but parameters and those that are computed when first asked for."""
    kind = type(value)
    left_out = {*parameters, *getattr(kind, "_NOT_KEPT", ())}
    return {
        name: attribute
        for name, attribute in vars(value).items()
        if name not in left_out and not isinstance(getattr(kind, name, None), cached_property)
    }


def same(first: Any, second: Any) -> bool:
    """Say whether two values are the same to the last bit."""
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
    if is_dataclass(first) or isinstance(first, Points):
        mine, other = _attributes(first, {}), _attributes(second, {})
        return mine.keys() == other.keys() and all(same(mine[name], other[name]) for name in mine)
    return bool(first == second)
