"""Rows by their ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._typing import IntArray


def rows_of_ids(ids: Any, known: IntArray, see: str = "ids_") -> IntArray:
    """Return the rows of ids.

    Parameters
    ----------
    ids : int or array-like of shape (m,)
        The ids, each once.
    known : ndarray of shape (n_rows,)
        The ids of all rows, ascending.
    see : str, default="ids_"
        The attribute that lists them, for messages.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._tree.ids import rows_of_ids
    >>> rows_of_ids([7, 3], np.array([0, 3, 7]))
    array([2, 1])
    """
    wanted = np.atleast_1d(np.asarray(ids))
    if wanted.ndim != 1:
        raise ValueError(
            f"ids must be one id or a list of ids, got shape {wanted.shape}: see {see}."
        )
    if wanted.dtype.kind in "iuf":
        unknown = ~np.isin(wanted, known)
    else:
        # One by one, since an array would convert numbers beside a string to strings.
        values = [ids] if np.ndim(ids) == 0 else list(ids)
        unknown = np.array([not is_real(value) or value not in known for value in values])
    if unknown.any():
        place = int(np.flatnonzero(unknown)[0])
        value = ids if np.ndim(ids) == 0 else list(ids)[place]
        value = value.item() if isinstance(value, np.generic) else value
        raise ValueError(f"ids holds {shown(value)}, which is not the id of a row: see {see}.")
    numbers, counts = np.unique(wanted, return_counts=True)
    if (counts > 1).any():
        twice = numbers[counts > 1][0].item()
        raise ValueError(f"ids holds {shown(twice)} more than once: give each id once.")
    return np.searchsorted(known, wanted)
