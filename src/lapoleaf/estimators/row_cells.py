"""Names and cells of rows, for explanations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lapoleaf._encoding import library_of, read_frame
from lapoleaf._points.dense import DensePoints
from lapoleaf.estimators.cells import Cells
from lapoleaf.estimators.frame_columns import as_pandas
from lapoleaf.estimators.row_index import RowIndex
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.scaling import Scaling


def name_of_row(index: RowIndex | None, place: int) -> str | None:
    """Return the name of a row in its frame; None if it has none, or its name is its number.

    Parameters
    ----------
    index : RowIndex or None
        The index of the rows.
    place : int
        The number of the row, -1 for a new one.
    """
    if index is None or not index.parts or place < 0:
        return None
    which = 0 if index.part_of is None else int(index.part_of[place])
    if index.part_of is not None:
        place_in_part = int(np.count_nonzero(index.part_of[:place] == which))
    else:
        place_in_part = place
    columns = index.parts[which].columns
    names = [as_pandas(column.at(slice(place_in_part, place_in_part + 1)))[0] for column in columns]
    if len(names) == 1 and not isinstance(names[0], str) and names[0] == place:
        return None
    return ", ".join(map(str, names))


def cells_of_row(
    rows: Rows, names: Sequence[str] | None, place: int, scaling: Scaling | None = None
) -> dict[str, Any]:
    """Return the cells of a row that came in a frame, an empty dict for other rows.

    Parameters
    ----------
    rows : Rows
        The rows.
    names : sequence of str or None
        Names of the columns, where they have some.
    place : int
        The number of the row.
    scaling : Scaling or None
        Scaling of the columns, which is undone: cells are in their original units.
    """
    index = rows.frame_index
    if index is not None and index.cells is not None:
        return index.cells.row(place)
    points, node = rows.points, int(rows.node_of[place])
    # Other kinds of points hold transformed values, not those of the frame.
    if names is None or node < 0 or not isinstance(points, DensePoints) or points.kind.unit_rows:
        return {}
    if len(names) != len(points.columns):
        return {}
    cells = points.columns[:, node]
    cells = cells if scaling is None else scaling.undo(cells)
    return dict(zip(map(str, names), cells.tolist(), strict=True))


def cells_of_new(X: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """Return the cells of a new row, an empty dict if columns have no names.

    Parameters
    ----------
    X : frame or array of one row
        The row.
    names : sequence of str or None
        Names of the columns, where they have some.
    """
    if names is None:
        return {}
    if library_of(X) is not None:
        return Cells.of(read_frame(X)).row(0)
    if not isinstance(X, np.ndarray):
        return {}
    return dict(zip(map(str, names), X[0].tolist(), strict=True))
