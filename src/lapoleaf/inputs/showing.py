"""Cells of a row, formatted for display."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf.inputs.typed import written

if TYPE_CHECKING:
    import pandas as pd


def shown_cells(frame: pd.DataFrame, row: int) -> dict[str, Any]:
    """Return the cells of a row by their columns: numbers, strings, booleans; None for missing.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows.
    row : int
        Number of the row.
    """
    return {
        str(name): _shown_cell(frame.iloc[row, place]) for place, name in enumerate(frame.columns)
    }


def _shown_cell(cell: Any) -> Any:
    pandas = imported("pandas")
    if cell is None or cell is pandas.NaT or cell is pandas.NA or cell != cell:
        return None
    if isinstance(cell, np.floating):
        # With the digits of its own precision.
        cell = float(str(cell))
    if isinstance(cell, np.generic):
        cell = cell.item()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        # Integers with missing values are stored as floats.
        return int(cell)
    if isinstance(cell, str | bool | int | float):
        return cell
    return written(cell)
