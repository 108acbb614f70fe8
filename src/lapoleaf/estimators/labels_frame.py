"""Labels of all rows as a frame, with the index of the input."""

from __future__ import annotations

import importlib
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.estimators.frame_columns import as_pandas
from lapoleaf.estimators.row_index import IndexPart, RowIndex
from lapoleaf.estimators.rows import Rows


class LabelsFrameMixin:
    """Mixin for estimators whose labels can be read as a frame."""

    _labelled: Any

    @abstractmethod
    def _columns_of_labels(self, fitted: Any) -> dict[str, AnyArray]:
        """Return the columns of the frame of labels."""

    def labels_frame(self) -> Any:
        """Return the labels of all rows as a frame, with the index of the input.

        Rows added by ``partial_fit`` follow; those removed by :meth:`forget` are left out. Index
        entries may repeat. Rows passed as an array have their ids as index. If the frames of
        several calls name index levels differently, the names of the first are used.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            One row for every row of the model, with the columns ``label`` (``transduction_``),
            ``confidence`` and ``given``, and for numbers ``std``. The confidence of a class is its
            probability. That of a number is the share of the variance of the given numbers that is
            explained at the row, ``max(0, 1 - std**2 / variance)``: 1 where the number is known,
            0 where nothing better than their mean is. Where all given numbers are equal it is 1 if
            the standard deviation is 0, else 0. The three stages have no variance: both columns are
            NaN. With several targets there is a column for each, ``label_0``, ``label_1`` and so
            on. A model that was fitted on a frame of polars, which has no index, returns one with
            ``ids_`` in a first column, ``id``; all others return pandas.

        Examples
        --------
        >>> import pandas as pd
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = pd.DataFrame({"size": [0.0, 1.0, 7.0, 8.0]}, index=["ant", "bee", "cow", "dog"])
        >>> model = LaPOLeaFClassifier().fit(X, ["small", None, None, "large"])
        >>> model.labels_frame()[["label", "given"]]
             label  given
        ant  small   True
        bee  small  False
        cow  large  False
        dog  large   True
        """
        fitted = self._labelled
        return frame_of_rows(fitted.rows, self._columns_of_labels(fitted))


def frame_of_rows(rows: Rows, columns: Mapping[str, AnyArray]) -> Any:
    """Return columns as a frame of the library of the input; pandas for arrays.

    Parameters
    ----------
    rows : Rows
        The rows.
    columns : mapping of str to ndarray of shape (n_rows,)
        The columns.
    """
    return indexed_frame(rows.frame_index, rows.ids, columns)


def indexed_frame(index: RowIndex | None, ids: IntArray, columns: Mapping[str, AnyArray]) -> Any:
    """Return columns as a frame with an index.

    Parameters
    ----------
    index : RowIndex or None
        The index of the frame that the rows came in, None for an array.
    ids : ndarray of shape (n_rows,)
        Ids of the rows, for those without an index.
    columns : mapping of str to ndarray of shape (n_rows,)
        The columns.
    """
    if index is not None and index.container == "polars":
        return _imported("polars").DataFrame({"id": ids, **_polars_columns(columns)})
    pandas = _imported("pandas")
    named: Any = ids if index is None else pandas_index(index)
    return pandas.DataFrame(dict(columns), index=named)


def _imported(library: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError as error:
        raise ImportError(
            f"labels_frame needs {library}: install it, or read transduction_ and given_, which "
            f"are arrays."
        ) from error


def _polars_columns(columns: Mapping[str, AnyArray]) -> dict[str, Any]:
    """Return columns for polars, with texts and mixed values as lists."""
    return {
        name: values.tolist() if values.dtype.kind in "OUS" else values
        for name, values in columns.items()
    }


def pandas_index(index: RowIndex) -> Any:
    """Return a pandas index; entries of several types are concatenated as by pandas."""
    first, *others = map(_part, index.parts)
    found = first.append(others) if others else first
    if index.part_of is not None:
        found = found.take(np.argsort(np.argsort(index.part_of, kind="stable"), kind="stable"))
    return found.set_names(index.names) if found.nlevels == len(index.names) else found


def _part(part: IndexPart) -> Any:
    levels = [as_pandas(column) for column in part.columns]
    return _imported("pandas").MultiIndex.from_arrays(levels) if part.is_multi else levels[0]


def explained_share(std: FloatArray, values: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the explained share of the variance of the given numbers for every row.

    ``max(0, 1 - std**2 / variance)``. Where all given numbers are equal, 1 if the standard
    deviation is 0 as well, and 0 otherwise; NaN where the standard deviation is not known.

    Parameters
    ----------
    std : ndarray of shape (n,)
        Standard deviations.
    values, weight : ndarray of shape (n,)
        The given numbers, NaN where there is none, and the weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.estimators.labels_frame import explained_share
    >>> given = np.array([1.0, 3.0, np.nan, np.nan])
    >>> explained_share(np.array([0.0, 0.5, 1.0, 7.0]), given, np.ones(4))
    array([1.  , 0.75, 0.  , 0.  ])
    """
    counts = ~np.isnan(values) & (weight > 0)
    known, weights = values[counts], weight[counts]
    with np.errstate(all="ignore"):
        mean = np.average(known, weights=weights)
        deviation = np.sqrt(np.average((known - mean) ** 2, weights=weights))
        share = np.maximum(0.0, 1.0 - (std / deviation) ** 2)
    found: FloatArray = np.where(std == 0.0, 1.0, share)
    return found
