"""The table of known classes: nothing else is ever written or built.

Files name classes of this table. Nothing is imported by a name that stands in a file. A class is
added with one entry; an entry that gains a field, or a new entry, raises the version of the format
in ``header.py``.
"""

from __future__ import annotations

from typing import Any

from lapoleaf.io import known_ensembles, known_estimators, known_forests, known_points
from lapoleaf.io.entry import Entry

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *known_points.ENTRIES,
        *known_forests.ENTRIES,
        *known_ensembles.ENTRIES,
        *known_estimators.ENTRIES,
    )
}
_BY_CLASS = {entry.kind: entry for entry in ENTRIES.values()}


def entry_of(value: Any) -> Entry | None:
    """Give the entry of an object's class; subclasses are classes of their own."""
    return _BY_CLASS.get(type(value))


def models() -> list[str]:
    """Name the classes whose objects can be saved on their own."""
    return sorted(entry.name for entry in ENTRIES.values() if entry.on_its_own)
