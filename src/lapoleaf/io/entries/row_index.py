"""The index and the cells of the frames that rows came in.

Python objects are stored as one concatenated text, with the end and the kind of each.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._typing import AnyArray
from lapoleaf.estimators.cells import Cells
from lapoleaf.estimators.frame_columns import NUMBERS, OBJECTS, PERIODS, TIMES, FrameColumn
from lapoleaf.estimators.row_index import MAX_PARTS, IndexPart, RowIndex
from lapoleaf.io.checks import (
    Field,
    array,
    flag,
    instance,
    nullable,
    one_of,
    plain,
    refuse,
    text,
    tuple_of,
)
from lapoleaf.io.entry import Entry

_TRUTHS = {"True": True, "False": False}
# Maximum number of digits of an integer, since parsing is quadratic.
_MAX_DIGITS = 40


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError("too many digits")
    return int(digits)


class _Kind(NamedTuple):
    """A kind of objects: its type, and its conversion to and from text."""

    kind: type
    written: Callable[[Any], str]
    read: Callable[[str], Any]


# Indices of kinds are stored in files, so new ones are added at the end.
_KINDS = (
    _Kind(str, str, str),
    _Kind(int, str, _whole),
    _Kind(float, float.hex, float.fromhex),
    _Kind(bool, str, _TRUTHS.__getitem__),
    _Kind(type(None), lambda _: "", lambda _: None),
    _Kind(datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
)
_PLACES = {kind.kind: place for place, kind in enumerate(_KINDS)}


@dataclass(frozen=True, eq=False)
class ObjectTexts:
    """Python objects as texts.

    Attributes
    ----------
    characters : ndarray of uint8
        All texts, one after the other, in UTF-8.
    ends : ndarray of int64 of shape (n,)
        Where the text of every object ends, in characters.
    kinds : ndarray of uint8 of shape (n,)
        The kind of every object.
    """

    characters: AnyArray
    ends: AnyArray
    kinds: AnyArray

    @classmethod
    def of(cls, objects: AnyArray) -> ObjectTexts:
        """Return the stored form of objects; raise for unsupported types."""
        found = {type(value) for value in objects}
        unknown = found - _PLACES.keys()
        if unknown:
            kind = min(kind.__name__ for kind in unknown)
            raise ValueError(
                f"The index of the rows cannot be saved: it holds a value of type {kind}. Fit on a "
                f"frame whose index is of texts, numbers or times, or keep the model with pickle."
            )
        if found <= {str}:
            kinds, texts = np.zeros(len(objects), dtype=np.uint8), objects.tolist()
        else:
            kinds = np.array([_PLACES[type(value)] for value in objects], dtype=np.uint8)
            texts = [_written(value) for value in objects]
        encoded = "".join(texts).encode("utf-8", "surrogatepass")
        ends = np.cumsum(list(map(len, texts)), dtype=np.int64)
        return cls(np.frombuffer(encoded, dtype=np.uint8), ends, kinds)

    def objects(self) -> AnyArray:
        """Return the objects; raise for invalid texts."""
        everything = self.characters.tobytes().decode("utf-8", "surrogatepass")
        if len(self.ends) and self.ends[-1] != len(everything):
            raise ValueError("texts end elsewhere")
        found = np.empty(len(self.ends), dtype=object)
        ends = self.ends.tolist()
        texts = [everything[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        if self.kinds.any():
            pairs = zip(self.kinds.tolist(), texts, strict=True)
            found[:] = [_KINDS[kind].read(text) for kind, text in pairs]
        else:
            found[:] = texts
        return found


def _written(value: Any) -> str:
    text = _KINDS[_PLACES[type(value)]].written(value)
    if type(value) is int and len(text) > _MAX_DIGITS:
        raise ValueError(
            f"The index of the rows cannot be saved: it holds a number of more than {_MAX_DIGITS} "
            f"digits. Keep the model with pickle."
        )
    return text


def _texts(parts: Mapping[str, Any]) -> ObjectTexts:
    ends, kinds = parts["ends"], parts["kinds"]
    if ends.size and (ends[0] < 0 or (np.diff(ends) < 0).any()):
        refuse("ObjectTexts.ends", "in order and not negative")
    if kinds.size and kinds.max() >= len(_KINDS):
        refuse("ObjectTexts.kinds", f"from 0 to {len(_KINDS) - 1}")
    if not ends.size and parts["characters"].size:
        refuse("ObjectTexts.characters", "empty where there is no object")
    return ObjectTexts(**parts)


def _column_parts(column: FrameColumn) -> Mapping[str, Any]:
    objects = column.dtype in OBJECTS
    return {
        "dtype": column.dtype,
        "values": ObjectTexts.of(column.values) if objects else column.values,
    }


def _column(parts: Mapping[str, Any]) -> FrameColumn:
    dtype, values = parts["dtype"], parts["values"]
    name = "FrameColumn.values"
    if dtype in OBJECTS:
        instance(ObjectTexts)(Field(name, values, {}))
        return FrameColumn(dtype, _objects(dtype, values))
    if dtype in NUMBERS:
        wanted = np.dtype(dtype).str[1:]
    elif TIMES.fullmatch(dtype) or PERIODS.fullmatch(dtype):
        wanted = "i8"
    else:
        refuse("FrameColumn.dtype", "a type that the index of a frame can have")
    array(wanted, None)(Field(name, values, {}))
    return FrameColumn(dtype, values)


def _objects(dtype: str, texts: ObjectTexts) -> AnyArray:
    known = np.isin(texts.kinds, [_PLACES[kind] for kind in (str, float, type(None))])
    if dtype != "object" and not known.all():
        refuse("FrameColumn.values", "texts, or missing")
    try:
        return texts.objects()
    except (KeyError, ValueError, OverflowError):
        refuse("FrameColumn.values", "objects of the kinds that are named")


def _part(parts: Mapping[str, Any]) -> IndexPart:
    columns, is_multi = parts["columns"], parts["is_multi"]
    if not columns or (len(columns) > 1 and not is_multi):
        refuse("IndexPart.columns", "one, or those of several levels")
    if len({len(column.values) for column in columns}) != 1:
        refuse("IndexPart.columns", "of the same length")
    return IndexPart(columns, is_multi)


def _index(parts: Mapping[str, Any]) -> RowIndex:
    entries, part_of = parts["parts"], parts["part_of"]
    if (parts["container"] == "pandas") != bool(entries) or len(entries) > MAX_PARTS:
        refuse("RowIndex.parts", f"at most {MAX_PARTS}, and those of pandas")
    if (part_of is not None) != (len(entries) > 1):
        refuse("RowIndex.part_of", "there if there are several parts, and only then")
    if part_of is not None:
        counts = np.bincount(part_of, minlength=len(entries))
        if counts.tolist() != [len(part) for part in entries]:
            refuse("RowIndex.part_of", "as many rows of every part as it has entries")
    cells = parts["cells"]
    if cells is not None and entries and len(cells) != sum(map(len, entries)):
        refuse("RowIndex.cells", "those of all rows")
    return RowIndex(parts["container"], parts["names"], entries, part_of, cells)


def _cells(parts: Mapping[str, Any]) -> Cells:
    names, columns = parts["names"], parts["columns"]
    if not columns or len(names) != len(columns) or len(set(names)) != len(names):
        refuse("Cells.names", "different names, one for every column")
    if len({len(column.values) for column in columns}) != 1:
        refuse("Cells.columns", "of the same length")
    return Cells(names, columns)


def _anything(field: Field) -> None:
    """Accept anything, since the class checks it later."""


@dataclass(frozen=True)
class _ComparedByParts(Entry):
    """An entry whose objects are equal if their stored fields are."""

    def compared(self, value: Any) -> Mapping[str, Any]:
        """Return the fields."""
        return self.parts_of(value)


ENTRIES = (
    Entry(
        ObjectTexts,
        {
            "characters": array("u1", None),
            "ends": array("i8", "objects"),
            "kinds": array("u1", "objects"),
        },
        build=_texts,
    ),
    _ComparedByParts(
        FrameColumn,
        {"dtype": text, "values": _anything},
        build=_column,
        read=_column_parts,
    ),
    _ComparedByParts(
        IndexPart,
        {"columns": tuple_of(instance(FrameColumn)), "is_multi": flag},
        build=_part,
    ),
    _ComparedByParts(
        Cells,
        {"names": tuple_of(text), "columns": tuple_of(instance(FrameColumn))},
        build=_cells,
    ),
    _ComparedByParts(
        RowIndex,
        {
            "container": one_of("pandas", "polars"),
            "names": tuple_of(plain),
            "parts": tuple_of(instance(IndexPart)),
            "part_of": nullable(array("u1", None)),
            "cells": nullable(instance(Cells)),
        },
        build=_index,
    ),
)
