"""The fields of a stored object, each taken out with a check of what it must be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np

from lapoleaf._numbers import is_real
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.io.errors import LoadError
from lapoleaf.io.header import VERSION

_T = TypeVar("_T")


class Fields:
    """What a file says of one object.

    Parameters
    ----------
    owner : str
        Name of the object's class.
    values : mapping of str to object
        The fields.
    parameters : dict of str to object, default=None
        The parameters, if it is an estimator.
    version : int
        Version of the format that they were written in.
    """

    def __init__(
        self,
        owner: str,
        values: Mapping[str, Any],
        parameters: dict[str, Any] | None = None,
        version: int = VERSION,
    ) -> None:
        self.owner = owner
        self.values = values
        self.parameters = parameters or {}
        self.version = version

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def refuse(self, name: str, wanted: str) -> NoReturn:
        """Raise because a field is not what it must be."""
        raise LoadError(f"{self.owner}.{name} must be {wanted}")

    def instance(self, name: str, kind: type[_T]) -> _T:
        """Give an object of the class ``kind``."""
        value = self.values[name]
        if type(value) is not kind:
            self.refuse(name, f"a {kind.__name__}")
        return value

    def instances(self, name: str, kind: type[_T]) -> list[_T]:
        """Give a list of at least one object of the class ``kind``."""
        values = self.values[name]
        if not isinstance(values, list) or not values:
            self.refuse(name, f"a list of {kind.__name__} objects")
        if any(type(value) is not kind for value in values):
            self.refuse(name, f"a list of {kind.__name__} objects")
        return values

    def text(self, name: str) -> str:
        """Give a text."""
        return self.instance(name, str)

    def whole(self, name: str, low: int) -> int:
        """Give a whole number of at least ``low``."""
        value = self.instance(name, int)
        if value < low:
            self.refuse(name, f"at least {low}")
        return value

    def number(self, name: str) -> Any:
        """Give a number that is finite and not negative."""
        value = self.values[name]
        if not is_real(value) or not 0 <= value < math.inf:
            self.refuse(name, "a number that is finite and not negative")
        return value

    def real(self, name: str) -> Any:
        """Give a number that is only computed with."""
        value = self.values[name]
        if not is_real(value):
            self.refuse(name, "a number")
        return value

    def mapping(self, name: str) -> dict[str, Any]:
        """Give a dict."""
        return self.instance(name, dict)

    def array(self, name: str, kinds: str, *shape: int | None) -> AnyArray:
        """Give an array.

        Parameters
        ----------
        name : str
            The field.
        kinds : str
            Types it may have, as in ``"f4 f8"``.
        *shape : int or None
            Its shape; None where any length will do.
        """
        value = self.values[name]
        if not isinstance(value, np.ndarray) or value.dtype.str[1:] not in kinds.split():
            self.refuse(name, f"an array of type {kinds}")
        lengths = zip(value.shape, shape, strict=False)
        if value.ndim != len(shape) or any(b is not None and a != b for a, b in lengths):
            self.refuse(name, f"of shape {shape}, not {value.shape}")
        return value

    def floats(self, name: str, *shape: int | None) -> FloatArray:
        """Give an array of float64; its numbers are not looked at."""
        return self.array(name, "f8", *shape)

    def amounts(self, name: str, *shape: int | None) -> FloatArray:
        """Give an array of float64 that are finite and not negative."""
        values = self.array(name, "f8", *shape)
        if not (np.isfinite(values) & (values >= 0)).all():
            self.refuse(name, "finite and not negative")
        return values

    def places(self, name: str, length: int | None, low: int, end: int) -> IntArray:
        """Give a vector of int64 from ``low`` to ``end - 1``: something is indexed with them."""
        values = self.array(name, "i8", length)
        if values.size and not (values.min() >= low and values.max() < end):
            self.refuse(name, f"from {low} to {end - 1}")
        return values


def is_plain(value: Any) -> bool:
    """Say whether a value is a single one: None, true or false, a number, text, bytes, NA."""
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        return True
    return type(value).__name__ in ("NAType", "NaTType")
