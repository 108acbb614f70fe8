"""Checks of single fields: conditions that entries of the table place on values.

A check is a function of a :class:`Field` that raises if its value is invalid. Shapes are given by
numbers, names and None: lengths of the same name must be equal in one object.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np

from lapoleaf._numbers import is_real
from lapoleaf.io.errors import LoadError

Length: TypeAlias = "int | str | None"


def refuse(name: str, wanted: str) -> NoReturn:
    """Raise for an invalid field, such as ``"Problem.count"``."""
    raise LoadError(f"{name} must be {wanted}")


@dataclass(frozen=True)
class Field:
    """A field of a stored object.

    Attributes
    ----------
    name : str
        The class and the field, as in ``"Problem.count"``.
    value : object
        Its value.
    lengths : dict of str to int
        Named lengths of the object so far; checks add to it.
    """

    name: str
    value: Any
    lengths: dict[str, int]

    def refuse(self, wanted: str) -> NoReturn:
        """Raise for an invalid value."""
        refuse(self.name, wanted)

    def part(self, value: Any) -> Field:
        """Return a part of the value as a field."""
        return Field(self.name, value, self.lengths)

    def has_length(self, found: int, wanted: Length) -> bool:
        """Whether a length is the one that is wanted."""
        if isinstance(wanted, str):
            wanted = self.lengths.setdefault(wanted, found)
        return wanted is None or found == wanted


Check: TypeAlias = Callable[[Field], None]


def instance(*kinds: type) -> Check:
    """Return a check for an object of one of some classes; subclasses are other classes."""

    def check(field: Field) -> None:
        if type(field.value) not in kinds:
            field.refuse(f"a {' or '.join(kind.__name__ for kind in kinds)}")

    return check


def subclass(kind: type) -> Check:
    """Return a check for an object of a class or its subclasses."""

    def check(field: Field) -> None:
        if not isinstance(field.value, kind):
            field.refuse(f"a {kind.__name__}")

    return check


text, flag, mapping = instance(str), instance(bool), instance(dict)


def nullable(check: Check) -> Check:
    """Return a check that accepts None, or what another check accepts."""

    def check_or_none(field: Field) -> None:
        if field.value is not None:
            check(field)

    return check_or_none


def tuple_of(check: Check, length: Length = None) -> Check:
    """Return a check for a tuple whose parts pass another check."""

    def check_all(field: Field) -> None:
        if type(field.value) is not tuple or not field.has_length(len(field.value), length):
            field.refuse("a tuple of the right length")
        for value in field.value:
            check(field.part(value))

    return check_all


def one_of(*values: str) -> Check:
    """Return a check for one of some texts."""

    def check(field: Field) -> None:
        if type(field.value) is not str or field.value not in values:
            field.refuse(f"one of {sorted(values)}")

    return check


def whole(low: int) -> Check:
    """Return a check for a whole number of at least ``low`` that fits into 62 bits."""

    def check(field: Field) -> None:
        if type(field.value) is not int or not low <= field.value < 2**62:
            field.refuse(f"a whole number of at least {low}")

    return check


def number(field: Field) -> None:
    """Check a number that is finite and not negative."""
    if not is_real(field.value) or not 0 <= field.value < math.inf:
        field.refuse("a number that is finite and not negative")


def share(field: Field) -> None:
    """Check a number from 0 to 1."""
    if not is_real(field.value) or not 0 <= field.value <= 1:
        field.refuse("a number from 0 to 1")


def real(field: Field) -> None:
    """Check a number without further conditions."""
    if not is_real(field.value):
        field.refuse("a number")


def plain(field: Field) -> None:
    """Check a single value: None, true or false, a number, text, bytes, NA."""
    if not is_plain(field.value):
        field.refuse("a single value")


def is_plain(value: Any) -> bool:
    """Whether a value is a single one."""
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic):
        return True
    return type(value).__name__ in ("NAType", "NaTType")


def array(kinds: str, *shape: Length) -> Check:
    """Return a check for an array.

    Parameters
    ----------
    kinds : str
        Types it may have, as in ``"f4 f8"``.
    *shape : int, str or None
        Its shape: numbers, names of lengths, and None where any length will do.
    """

    def check(field: Field) -> None:
        value = field.value
        if not isinstance(value, np.ndarray) or value.dtype.str[1:] not in kinds.split():
            field.refuse(f"an array of type {kinds}")
        lengths = zip(value.shape, shape, strict=False)
        if value.ndim != len(shape) or not all(field.has_length(*pair) for pair in lengths):
            field.refuse(f"of shape {shape}, not {value.shape}")

    return check


def floats(*shape: Length) -> Check:
    """Return a check for an array of float64 with any values."""
    return array("f8", *shape)


def amounts(*shape: Length) -> Check:
    """Return a check for an array of float64 that are finite and not negative."""
    shaped = array("f8", *shape)

    def check(field: Field) -> None:
        shaped(field)
        if not (np.isfinite(field.value) & (field.value >= 0)).all():
            field.refuse("finite and not negative")

    return check


def places(shape: Length, end: str, low: int = 0) -> Check:
    """Return a check for a vector of int64 from ``low`` up to a named length.

    They are used as indices. The name must be defined by an earlier field.
    """
    shaped = array("i8", shape)

    def check(field: Field) -> None:
        shaped(field)
        values, most = field.value, field.lengths[end]
        if values.size and not (values.min() >= low and values.max() < most):
            field.refuse(f"from {low} to {most - 1}")

    return check


def ascending(shape: Length) -> Check:
    """Return a check for a vector of int64, none negative, each larger than the one before."""
    shaped = array("i8", shape)

    def check(field: Field) -> None:
        shaped(field)
        values = field.value
        if values.size and (values[0] < 0 or not (np.diff(values) > 0).all()):
            field.refuse("ascending and not negative")

    return check
