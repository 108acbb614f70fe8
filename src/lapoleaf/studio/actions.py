"""What a person can do, each as one change that can be undone."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import IntArray
from lapoleaf.studio.state import CLEARED, Change, Check, ClassInfo, State

# Colours that hold for the colour-blind, on light and dark: Okabe and Ito's but black, then each
# the one that differs most from those before, also to people without red, green or blue cones
# (tests/studio/test_palette.py); the same as in page/js/palette.js.
PALETTE = (
    *("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#894024"),
    *("#ade492", "#5b40bf", "#b676ff", "#00edbf", "#bfa452", "#645252", "#a40089", "#c8c8e4"),
)
# N and U are for "next" and "undo".
KEYS = tuple("123456789abcdefghijklmopqrstvwxyz")
MOST_CLASSES = 60_000
_LONGEST_NAME = 200
_COLOUR = re.compile("#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Action:
    """Something a person did.

    Attributes
    ----------
    kind : str
        Which of the kinds it is.
    text : str
        What was done, in a few words.
    change : Change
        What it changes.
    """

    kind: str
    text: str
    change: Change


@dataclass(frozen=True)
class Context:
    """What actions are checked against.

    Attributes
    ----------
    state : State
        What was done so far.
    next_id : int
        Number of the next class.
    shown : mapping of int to int
        Classes that were shown for rows of the random check, before an answer.
    """

    state: State
    next_id: int
    shown: Mapping[int, int]


def make_action(body: Mapping[str, Any], context: Context) -> Action:
    """Return the action that a request asks for, or raise ValueError.

    Parameters
    ----------
    body : mapping
        With ``kind`` and what belongs to it.
    context : Context
        What it is checked against.
    """
    kind = body.get("kind")
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise ValueError(f"kind={shown(kind)} must be one of {', '.join(_KINDS)}, undo or redo.")
    return make(body, context)


def labelled(state: State, rows: IntArray, labels: IntArray) -> Change:
    """Return the change that gives labels to rows; those that have them already are left out."""
    before = state.given[rows]
    changed = (before != labels) & ~((before < 0) & (labels < 0))
    rows = rows[changed]
    return Change(rows=rows, before=before[changed], after=labels[changed])


def _label(body: Mapping[str, Any], context: Context) -> Action:
    state = context.state
    rows = _rows(body, len(state.given))
    number = body.get("class")
    label = CLEARED if number is None else _class(body, "class", state).id
    change = labelled(state, rows, np.full(len(rows), label, dtype=np.int64))
    what = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    if label == CLEARED:
        return Action("label", f"take back the label of {what}", change)
    return Action("label", f"label {what} as {state.classes[label].name}", change)


def _answer_check(body: Mapping[str, Any], context: Context) -> Action:
    state = context.state
    row = int(_rows({"rows": [body.get("row")]}, len(state.given))[0])
    info = _class(body, "class", state)
    if row not in context.shown:
        raise ValueError(f"row={row} is not in the random check: ask for its queue first.")
    if state.given[row] >= 0:
        raise ValueError(f"row={row} has a label already: it cannot be checked.")
    change = labelled(state, np.array([row]), np.array([info.id]))
    shown_class = body.get("shown", context.shown[row])
    if type(shown_class) is not int:
        raise ValueError(f"shown={shown(shown_class)} must be the id of a class.")
    change = replace(change, check=Check(shown_class, info.id, row))
    return Action("answer_check", f"check 1 row: {info.name}", change)


def _add_class(body: Mapping[str, Any], context: Context) -> Action:
    state = context.state
    info = new_class(body.get("name"), body.get("colour"), state, context.next_id)
    return Action("add_class", f"add class {info.name}", Change(classes={info.id: (None, info)}))


def new_class(name: Any, colour: Any, state: State, number: int) -> ClassInfo:
    """Return a new class with a colour and a key that no other has, as far as there are some."""
    if len(state.classes) >= MOST_CLASSES:
        raise ValueError(f"there are {MOST_CLASSES:,} classes already: no more can be added.")
    name = _name(name, state)
    taken = {info.colour for info in state.classes.values()}
    free = [value for value in PALETTE if value not in taken]
    if colour is None:
        colour = free[0] if free else PALETTE[number % len(PALETTE)]
    taken_keys = {info.key for info in state.classes.values()}
    free_keys = [key for key in KEYS if key not in taken_keys]
    return ClassInfo(number, name, _colour(colour), _key_of(name, free_keys))


def _key_of(name: str, free: list[str]) -> str:
    """Return the key of a class: 7 for one that is called 7, whatever comes before it."""
    if name.lower() in free:
        return name.lower()
    # Classes called 0 or 12 leave the digits to those that are called so.
    letters = [key for key in free if key.isalpha()] if name.isdecimal() else []
    return next(iter([*letters, *free]), "")


def in_order(names: Iterable[str]) -> list[str]:
    """Return names of classes in the order in which they get keys.

    Those that are keys themselves come first, so that no other class takes these. The others are
    sorted, numbers in them by value.

    Examples
    --------
    >>> from lapoleaf.studio.actions import in_order
    >>> in_order(["0", "fig 10", "2", "1", "fig 9", "Apple"])
    ['1', '2', '0', 'Apple', 'fig 9', 'fig 10']
    """
    return sorted(set(names), key=_place_of_name)


def _place_of_name(name: str) -> tuple[bool, list[Any], str]:
    parts: list[Any] = re.split(r"([0-9]+)", name.casefold())
    parts[1::2] = map(int, parts[1::2])
    return name.lower() not in KEYS, parts, name


def _rename_class(body: Mapping[str, Any], context: Context) -> Action:
    info = _class(body, "class", context.state)
    new = replace(info, name=_name(body.get("name"), context.state, besides=info.id))
    change = Change(classes={info.id: (info, new)})
    return Action("rename_class", f"rename class {info.name} to {new.name}", change)


def _recolour_class(body: Mapping[str, Any], context: Context) -> Action:
    info = _class(body, "class", context.state)
    new = replace(info, colour=_colour(body.get("colour")))
    change = Change(classes={info.id: (info, new)})
    return Action("recolour_class", f"recolour class {info.name}", change)


def _merge_classes(body: Mapping[str, Any], context: Context) -> Action:
    state = context.state
    info, into = _class(body, "from", state), _class(body, "into", state)
    if info.id == into.id:
        raise ValueError(f"from and into are both {info.id}: name two classes.")
    change = replace(_moved(state, info, into.id), merged=(info.id, into.id))
    return Action("merge_classes", f"merge class {info.name} into {into.name}", change)


def _delete_class(body: Mapping[str, Any], context: Context) -> Action:
    info = _class(body, "class", context.state)
    change = _moved(context.state, info, CLEARED)
    return Action("delete_class", f"delete class {info.name}", change)


def _moved(state: State, info: ClassInfo, label: int) -> Change:
    """Return the change that removes a class, whose rows get another label or none."""
    rows = np.flatnonzero(state.given == info.id)
    return Change(
        rows=rows,
        before=state.given[rows],
        after=np.full(len(rows), label, dtype=np.int64),
        lost={key: (info.id, label) for key, number in state.lost.items() if number == info.id},
        classes={info.id: (info, None)},
    )


def _set_confidence(body: Mapping[str, Any], context: Context) -> Action:
    value: Any = body.get("value")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= 1:
        raise ValueError(f"value={shown(value)} must be a probability from 0 to 1.")
    change = Change(confidence=(context.state.confidence, float(value)))
    return Action("set_confidence", f"ask for a confidence of {value:.0%}", change)


_KINDS: dict[str, Callable[[Mapping[str, Any], Context], Action]] = {
    "label": _label,
    "answer_check": _answer_check,
    "add_class": _add_class,
    "rename_class": _rename_class,
    "recolour_class": _recolour_class,
    "merge_classes": _merge_classes,
    "delete_class": _delete_class,
    "set_confidence": _set_confidence,
}


def _rows(body: Mapping[str, Any], n_rows: int) -> IntArray:
    """Return the rows of a request, each once, in order."""
    rows = body.get("rows")
    if not isinstance(rows, list) or not rows:
        raise ValueError("rows must be a list of numbers of rows, at least one.")
    if len(rows) > n_rows:
        raise ValueError(f"rows names {len(rows):,} rows, but there are {n_rows:,}.")
    for row in rows:
        if type(row) is not int or not 0 <= row < n_rows:
            raise ValueError(f"row={shown(row)} must be a number from 0 to {n_rows - 1}.")
    return np.unique(np.array(rows, dtype=np.int64))


def _class(body: Mapping[str, Any], name: str, state: State) -> ClassInfo:
    number = body.get(name)
    info = state.classes.get(number) if type(number) is int else None
    if info is None:
        raise ValueError(f"{name}={shown(number)} is the id of no class.")
    return info


def _name(name: Any, state: State, besides: int | None = None) -> str:
    """Return the name of a class, or raise for what is none or is taken."""
    if not isinstance(name, str):
        raise ValueError(f"name={shown(name)} must be the name of a class.")
    name = str(unicodedata.normalize("NFC", name)).strip()
    if not name or len(name) > _LONGEST_NAME:
        raise ValueError(f"name={shown(name)} must have 1 to {_LONGEST_NAME} characters.")
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise ValueError(f"name={shown(name)} holds a character that cannot be shown.")
    for info in state.classes.values():
        if info.name == name and info.id != besides:
            raise ValueError(f"name={shown(name)} is the name of a class already.")
    return str(name)


def _colour(colour: Any) -> str:
    if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
        raise ValueError(f"colour={shown(colour)} must be written as #rrggbb.")
    return str(colour).lower()
