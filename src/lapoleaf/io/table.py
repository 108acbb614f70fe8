"""The table of classes that can be saved and loaded.

Files refer to classes by their names in this table, and nothing is imported by a name in a file. A
class is added by one entry.
"""

from __future__ import annotations

from typing import Any

from lapoleaf.io.entries import (
    encoding,
    estimators,
    experts,
    forests,
    labels,
    layout,
    points,
    row_index,
    rows,
    scaling,
)
from lapoleaf.io.entry import Entry

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *points.ENTRIES,
        *forests.ENTRIES,
        *row_index.ENTRIES,
        *rows.ENTRIES,
        *experts.ENTRIES,
        *labels.ENTRIES,
        *encoding.ENTRIES,
        *scaling.ENTRIES,
        *estimators.ENTRIES,
        *layout.ENTRIES,
    )
}
_BY_CLASS = {entry.kind: entry for entry in ENTRIES.values()}


def entry_of(value: Any) -> Entry | None:
    """Return the entry of an object's class; subclasses are classes of their own."""
    return _BY_CLASS.get(type(value))


def models() -> list[str]:
    """Return the names of the classes whose objects can be saved on their own."""
    return sorted(entry.name for entry in ENTRIES.values() if entry.on_its_own)
