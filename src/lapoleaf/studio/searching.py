"""Search for rows by their names, cells, texts or classes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._typing import AnyArray, BoolArray
from lapoleaf.inputs.row_keys import frame_of_cells

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset
    from lapoleaf.studio.session import View

_LONGEST_QUERY = 200
_MOST_ROWS = 50_000


class Searcher:
    """Finds rows by what is in them; what can be searched is prepared at the first search.

    Parameters
    ----------
    data : Dataset
        The rows.
    """

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self._guard = threading.Lock()
        self._texts: list[tuple[AnyArray, list[str]]] | None = None
        self._numbers: list[AnyArray] = []

    def search(self, query: str, view: View) -> dict[str, Any]:
        """Return rows that hold a text, in any case of letters, or a number.

        Parameters
        ----------
        query : str
            What is looked for.
        view : View
            The labels of all rows.
        """
        wanted = query.strip().casefold()
        if not wanted:
            return {"rows": [], "truncated": False}
        if len(wanted) > _LONGEST_QUERY:
            raise ValueError(f"at most {_LONGEST_QUERY} characters can be looked for.")
        found = self._with_class(wanted, view)
        with self._guard:
            if self._texts is None:
                self._texts = self._prepared()
        for codes, texts in self._texts:
            hits = np.array([*(wanted in text for text in texts), False], dtype=bool)
            found |= hits[codes]
        number = _number(wanted)
        if number is not None:
            for column in self._numbers:
                found |= column == number
        rows = np.flatnonzero(found)
        return {"rows": rows[:_MOST_ROWS].tolist(), "truncated": len(rows) > _MOST_ROWS}

    def _with_class(self, wanted: str, view: View) -> BoolArray:
        """Return which rows have a class whose name holds the text."""
        numbers = [
            info.id for info in view.state.classes.values() if wanted in info.name.casefold()
        ]
        return np.isin(view.classes, numbers)

    def _prepared(self) -> list[tuple[AnyArray, list[str]]]:
        """Return columns of texts as codes and distinct texts; -1 is for missing ones."""
        pandas = imported("pandas")
        data, found = self.data, []
        names = pandas.Series(data.names, dtype=object) if data.kind == "images" else None
        columns = [names] if names is not None else _columns(data)
        for column in columns:
            if pandas.api.types.is_numeric_dtype(column.dtype):
                self._numbers.append(column.to_numpy(dtype=np.float64, na_value=np.nan))
                continue
            codes, values = pandas.factorize(column, use_na_sentinel=True)
            found.append((codes, [str(value).casefold() for value in values]))
        return found


def _columns(data: Dataset) -> list[Any]:
    frame = frame_of_cells(data)
    return [frame.iloc[:, place] for place in range(frame.shape[1])]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
