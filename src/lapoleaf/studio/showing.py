"""What a page shows of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset

_LONGEST_TEXT = 20_000
_LONGEST_CELL = 2_000
_MOST_CELLS = 500


def shown_row(data: Dataset, row: int) -> dict[str, Any]:
    """Return what to show of a row: cells, a text or a picture.

    Pictures are named by nothing but the number of the row.

    Parameters
    ----------
    data : Dataset
        The rows.
    row : int
        Number of the row.
    """
    found = data.show(row)
    if "picture" in found:
        return {"kind": "picture"}
    cells = _cells(found.get("cells", {}))
    # Of many columns the first ones are shown, and the page tells how many there are.
    several = {"cells": cells, "n_cells": len(found.get("cells", {}))}
    if "text" in found:
        text = {"kind": "text", "text": _cut(str(found["text"]), _LONGEST_TEXT)}
        return {**text, **several} if cells else text
    return {"kind": "cells", **several}


def _cells(cells: dict[str, Any]) -> list[list[str]]:
    return [[str(name), _written(cell)] for name, cell in list(cells.items())[:_MOST_CELLS]]


def _written(cell: Any) -> str:
    if cell is None:
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else _cut(str(cell), _LONGEST_CELL)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]} ..."


def name_of_row(data: Dataset, row: int) -> str:
    """Return what a row is called: its id or file, else its number from 1."""
    if data.id is not None or data.kind == "images":
        return str(data.names[row])
    return str(row + 1)
