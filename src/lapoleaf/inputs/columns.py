"""Roles of the columns of a table: labels, ids, texts, or ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lapoleaf._messages import shown
from lapoleaf.inputs.tables import Table

# Prefix of the columns that the command writes, which are not read again.
OWN_PREFIX = "lapoleaf_"
_USUAL_LABEL = "label"
_MOST_NAMES = 12


@dataclass(frozen=True)
class Columns:
    """Roles of the columns of a table.

    Attributes
    ----------
    label, id : str or None
        Columns of labels and of names of rows.
    ignored : tuple of str
        Columns that rows are not compared by.
    kinds : mapping of str to str
        Kinds of columns set by the user.
    own : tuple of str
        Columns that an earlier run of the command wrote; they are left out.
    """

    label: str | None
    id: str | None
    ignored: tuple[str, ...]
    kinds: Mapping[str, str]
    own: tuple[str, ...] = ()


def checked_columns(table: Table, asked: Mapping[str, Any]) -> Columns:
    """Return the roles of columns; raise for columns that do not exist.

    Parameters
    ----------
    table : Table
        The table.
    asked : mapping
        Parameters of :func:`~lapoleaf.inputs.read`: ``label``, ``id``, ``ignore``, ``text``,
        ``missing`` and ``kinds``.
    """
    names = [str(name) for name in table.frame.columns]
    for parameter, value in asked.items():
        single = parameter in ("label", "id")
        if parameter == "missing" and not isinstance(value, Mapping):
            continue
        for name in [value] if single and value is not None else (value or ()):
            if name not in names:
                known = ", ".join(map(repr, names[:_MOST_NAMES])) + ", ..." * (
                    len(names) > _MOST_NAMES
                )
                raise ValueError(
                    f"{parameter}={shown(name)}: {table.name} has no such column; its columns "
                    f"are {known}."
                )
            _check_unique(table, name, parameter)
    label, ids, ignored = asked["label"], asked["id"], asked["ignore"]
    if label is None and _USUAL_LABEL in names and _USUAL_LABEL not in (*ignored, ids):
        label = _USUAL_LABEL
    if label is not None and label in (ids, *ignored, *asked["text"]):
        raise ValueError(f"label={shown(label)} cannot be an id, a text or ignored, too.")
    kinds = {**dict.fromkeys(asked["text"], "text"), **(asked["kinds"] or {})}
    kinds = {name: kind for name, kind in kinds.items() if name not in (label, ids, *ignored)}
    asked_for = (label, ids, *ignored, *kinds)
    own = [name for name in names if name.startswith(OWN_PREFIX) and name not in asked_for]
    return Columns(label, ids, tuple(ignored), kinds, tuple(own))


def _check_unique(table: Table, name: str, parameter: str) -> None:
    """Raise if a column name is ambiguous because the header has it twice."""
    header = [] if table.layout is None else [cell.strip() for cell in table.layout.header]
    places = [str(place) for place, cell in enumerate(header, 1) if cell == name]
    if len(places) > 1:
        raise ValueError(
            f"{parameter}={shown(name)}: {table.name} has several columns {shown(name)} "
            f"({', '.join(places)}): rename all but one."
        )
