"""Fitting of plans to columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from lapoleaf._encoding.blocks import are_frequent
from lapoleaf._encoding.cells import BooleanCells, Cells, DateCells, NumberCells, StringCells
from lapoleaf._encoding.guessing import date_format, is_id, kind_of
from lapoleaf._encoding.number_forms import form_of, number_in
from lapoleaf._encoding.plans import ColumnPlan, LeftOut, Strings, Text
from lapoleaf._encoding.plans.category import learn_boolean, learn_category, truths_of
from lapoleaf._encoding.plans.date import dates_of, learn_date
from lapoleaf._encoding.plans.number import learn_number, numbers_of
from lapoleaf._encoding.plans.vectors import learn_vectors
from lapoleaf._encoding.reading import read_cells
from lapoleaf._encoding.text import (
    TextVectors,
    function_vectors,
    is_installed,
    learn_ngrams,
    static_vectors,
)
from lapoleaf._messages import shown

TextEncoder: TypeAlias = "str | Callable[[list[str]], Any]"
TEXT_ENCODERS = ("auto", "wordllama", "tfidf")


def learn_column(column: Any, name: str, kind: str | None, text_encoder: TextEncoder) -> ColumnPlan:
    """Return the plan of a column.

    Parameters
    ----------
    column : pandas.Series
        The column.
    name : str
        Its name.
    kind : str or None
        Its kind; guessed if None.
    text_encoder : str or callable
        The encoder of texts.
    """
    if kind == "ignore":
        return LeftOut(name, int(column.isna().sum()), "as asked for")
    cells = read_cells(column, name)
    n_missing = int(cells.missing.sum())
    if n_missing == len(cells.missing):
        return LeftOut(name, n_missing, "no value")
    distinct = cells.as_strings().strings
    if len(distinct) < 2:
        if not are_frequent(cells.missing):
            return LeftOut(name, n_missing, "constant")
        return learn_category(name, cells.as_strings())
    if kind is None and is_id(cells, name):
        return LeftOut(name, n_missing, "an id, different in every row")
    return _LEARNT[kind or kind_of(cells)](name, cells, text_encoder)


def _number(name: str, cells: Cells, _: TextEncoder) -> ColumnPlan:
    form = "plain"
    if isinstance(cells, StringCells):
        found = form_of(cells.strings)
        if found is None:
            _refuse_ambiguous(name, cells)
        form = found or "plain"
    numbers = numbers_of(cells, form, name)
    if isinstance(cells, NumberCells):
        return learn_number(name, cells)
    return _unless_constant(name, NumberCells(numbers), form)


def _unless_constant(name: str, cells: NumberCells, form: str) -> ColumnPlan:
    """Return a plan of numbers, unless all are equal in different notations."""
    held = cells.values[~cells.missing]
    if held.min() == held.max():
        return LeftOut(name, int(cells.missing.sum()), "constant")
    return learn_number(name, cells, form)


def _refuse_ambiguous(name: str, cells: StringCells) -> None:
    """Raise if commas may be decimal commas or separate thousands."""
    forms = ("decimal comma", "comma groups")
    if all(number_in(text, form) is not None for form in forms for text in cells.strings):
        example = next((text for text in cells.strings if "," in text), cells.strings[0])
        raise ValueError(
            f"Column {shown(name)} holds {shown(example)}, whose comma may be a decimal comma or "
            f"separate thousands: turn the column into numbers first."
        )


def _boolean(name: str, cells: Cells, _: TextEncoder) -> ColumnPlan:
    truths = BooleanCells(truths_of(cells, name))
    if np.ptp(truths.values[~truths.missing]) == 0:
        return LeftOut(name, int(truths.missing.sum()), "constant")
    return learn_boolean(name, truths)


def _category(name: str, cells: Cells, _: TextEncoder) -> ColumnPlan:
    return learn_category(name, cells.as_strings())


def _date(name: str, cells: Cells, _: TextEncoder) -> ColumnPlan:
    if isinstance(cells, StringCells):
        form = date_format(cells)
        if form is None:
            raise ValueError(
                f"Column {shown(name)} cannot be read as dates, of which {shown(cells.strings[0])} "
                f"is the first: no format fits all of them. Use pandas.to_datetime first."
            )
        cells = dates_of(cells, form, name)
    elif isinstance(cells, DateCells):
        form = None
    else:
        raise ValueError(f"Column {shown(name)} holds numbers: use pandas.to_datetime first.")
    held = cells.ticks[~cells.missing]
    if held.min() == held.max():
        return LeftOut(name, int(cells.missing.sum()), "constant")
    return learn_date(name, cells, form)


def _ngrams_of(cells: StringCells) -> TextVectors:
    return learn_ngrams(cells.strings, np.bincount(cells.codes[~cells.missing]))


def _string(name: str, cells: Cells, _: TextEncoder) -> ColumnPlan:
    strings = cells.as_strings()
    return learn_vectors(Strings, name, strings, _ngrams_of(strings))


def _text(name: str, cells: Cells, text_encoder: TextEncoder) -> ColumnPlan:
    strings = cells.as_strings()
    if callable(text_encoder):
        vectors = function_vectors(text_encoder, strings.strings)
    elif text_encoder == "tfidf" or (text_encoder == "auto" and not is_installed()):
        vectors = _ngrams_of(strings)
    else:
        vectors = static_vectors()
    return learn_vectors(Text, name, strings, vectors)


_LEARNT: dict[str, Callable[[str, Cells, TextEncoder], ColumnPlan]] = {
    "number": _number,
    "boolean": _boolean,
    "category": _category,
    "date": _date,
    "string": _string,
    "text": _text,
}
