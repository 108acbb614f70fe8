"""Columns of frames as plain arrays.

pandas is imported only to create its objects; frames passed by users are read by their own methods.
"""

from __future__ import annotations

import datetime
import importlib
import re
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray

# Types of columns, by their names in pandas. Times are stored as whole numbers of their unit,
# periods as their numbers, texts and all others as objects.
NUMBERS = frozenset(
    {"bool", "float32", "float64"} | {f"{u}int{k}" for u in ("", "u") for k in (8, 16, 32, 64)}
)
OBJECTS = frozenset({"object", "str", "string"})
_ZONE = r"UTC[+-]\d\d:\d\d|(?!dateutil/)[A-Za-z][\w+-]{0,40}(?:/[\w+-]{1,40}){0,3}"
TIMES = re.compile(
    rf"(?P<kind>datetime64|timedelta64)\[(?P<unit>s|ms|us|ns)(?:, (?P<zone>{_ZONE}))?\]", re.ASCII
)
PERIODS = re.compile(r"period\[(?P<frequency>[A-Za-z0-9-]{1,20})\]")


@dataclass(frozen=True, eq=False)
class FrameColumn(Value):
    """A column of a frame, or a level of its index.

    Attributes
    ----------
    dtype : str
        Its type.
    values : ndarray of shape (n,)
        Numbers, or Python objects.
    """

    dtype: str
    values: AnyArray

    @classmethod
    def of(cls, index: Any) -> Self:
        """Return a column from a pandas index.

        Extension types of pandas are converted to the types of their values.
        """
        dtype = str(index.dtype)
        if hasattr(index, "categories"):
            return cls.of(index.astype(index.categories.dtype))
        if dtype in NUMBERS:
            return cls(dtype, np.asarray(index))
        zone = getattr(index.dtype, "tz", None)
        if zone is not None:
            name, unit = _name_of_zone(zone), index.dtype.unit
            naive = index.tz_convert("UTC").tz_localize(None)
            return cls(f"datetime64[{unit}, {name}]", np.asarray(naive).view(np.int64))
        if TIMES.fullmatch(dtype):
            return cls(dtype, np.asarray(index).view(np.int64))
        if PERIODS.fullmatch(dtype):
            return cls(dtype, np.asarray(index.asi8))
        nullable = getattr(index.dtype, "numpy_dtype", None)
        if nullable is not None and not index.hasnans:
            return cls.of(index.astype(nullable))
        objects = index.to_numpy(dtype=object)
        return cls(dtype if dtype in OBJECTS else "object", _plain_objects(objects))

    def joined(self, other: Self) -> Self:
        """Return the column with more values of the same type appended."""
        return type(self)(self.dtype, np.concatenate([self.values, other.values]))

    def at(self, places: AnyArray | slice) -> Self:
        """Return the column at some places, or where a mask is true."""
        return type(self)(self.dtype, self.values[places])


def as_pandas(column: FrameColumn) -> Any:
    """Return a column as a pandas index."""
    pandas = importlib.import_module("pandas")
    dtype, values = column.dtype, column.values
    times, periods = TIMES.fullmatch(dtype), PERIODS.fullmatch(dtype)
    try:
        if periods is not None:
            return pandas.PeriodIndex.from_ordinals(values, freq=periods["frequency"])
        if times is None:
            return pandas.Index(values, dtype=dtype)
        found = pandas.Index(values.view(f"{times['kind']}[{times['unit']}]"))
        zone = times["zone"]
        return found if zone is None else found.tz_localize("UTC").tz_convert(zone)
    except (KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(
            f"The index of the rows is of type {shown(dtype)}, which pandas {pandas.__version__} "
            f"cannot make on this computer: read transduction_ and given_, which are arrays."
        ) from error


def _name_of_zone(zone: datetime.tzinfo) -> str:
    """Return the name of a time zone; UTC if it has none, which denotes the same times."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    if name is None and isinstance(zone, datetime.timezone):
        name = str(zone)
    return name if name is not None and re.fullmatch(_ZONE, name, re.ASCII) else "UTC"


def _plain_objects(objects: AnyArray) -> AnyArray:
    """Return objects with NumPy scalars and missing values of pandas converted to Python's."""
    if all(type(value) is str for value in objects):
        return objects
    plain = np.empty(len(objects), dtype=object)
    for place, value in enumerate(objects):
        if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
            plain[place] = value.item()
        else:
            plain[place] = None if type(value).__name__ in ("NAType", "NaTType") else value
    return plain
