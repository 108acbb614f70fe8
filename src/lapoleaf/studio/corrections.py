"""Rows that were corrected since a project was open: their labels go with them."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import AnyArray, BoolArray
from lapoleaf.inputs.row_keys import RowKeys
from lapoleaf.studio.project import Project

# With fewer rows that are the same, it is another table.
_MIN_SHARE_OF_SAME = 0.5
_Bounds = tuple[int | None, int | None, int]


def follow_corrections(project: Project, keys: RowKeys) -> int:
    """Let labels follow rows whose cells have changed, and return how many rows these are.

    Rows with names are found by these. Others are recognised by their cells: a row with new cells
    is taken for an earlier one if it stands between the same rows.

    Parameters
    ----------
    project : Project
        The file, which has the digests of all rows when it was open last.
    keys : RowKeys
        What rows are recognised by now.
    """
    if keys.names is not None:
        return 0
    before = project.digests()
    corrected: dict[int, int] = {}
    if before is not None and not np.array_equal(before, keys.digests):
        corrected = corrected_rows(before, keys.digests)
        earlier = RowKeys(before, None)
        project.rename_keys([(earlier.of(old), keys.of(new)) for old, new in corrected.items()])
    return len(corrected)


def corrected_rows(before: AnyArray, now: AnyArray) -> dict[int, int]:
    """Return where rows are now whose cells have changed: between the same rows as before.

    Parameters
    ----------
    before, now : ndarray of uint64
        Digests of all rows, in order.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.studio.corrections import corrected_rows
    >>> corrected_rows(np.array([5, 6, 7, 8]), np.array([4, 5, 9, 7, 8]))
    {1: 2}
    """
    gone, new = ~np.isin(before, now), ~np.isin(now, before)
    if gone.mean() > 1 - _MIN_SHARE_OF_SAME:
        return {}
    earlier, later = _runs(before, gone), _runs(now, new)
    return {
        first + step: later[bounds] + step
        for bounds, first in earlier.items()
        if bounds in later
        for step in range(bounds[2])
    }


def _runs(digests: AnyArray, chosen: BoolArray) -> dict[_Bounds, int]:
    """Return where runs of chosen rows begin, by the rows around them and their length."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
    found: dict[_Bounds, int] = {}
    for begin, end in edges.reshape(-1, 2).tolist():
        left = int(digests[begin - 1]) if begin else None
        right = int(digests[end]) if end < len(digests) else None
        found[left, right, end - begin] = begin
    return found
