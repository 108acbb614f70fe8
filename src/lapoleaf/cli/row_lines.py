"""Lines of text as rows of a model: CSV with a header, or JSON lines."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.inputs.layout import SEPARATORS
from lapoleaf.inputs.numbers import USUAL_MARKS

if TYPE_CHECKING:
    import pandas as pd

_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*", re.ASCII)
_USUAL = "label"


class BadRow(ValueError):
    """A line that is not a row of the model; the message has the reason."""


@dataclass(frozen=True, eq=False)
class Row:
    """A row in the format of a model.

    Attributes
    ----------
    frame : pandas.DataFrame or ndarray of shape (1, n_columns)
        The row.
    labels : ndarray of shape (1,) or None
        Its label, if it has one.
    cells : list of str or dict
        The cells of the line.
    """

    frame: Any
    labels: Any
    cells: list[str] | dict[str, Any]


class RowReader:
    """Reads lines as rows with the columns of a model.

    Parameters
    ----------
    model : estimator
        Fitted.
    label : str or None
        Column of labels; None: ``label``, if there is one.
    """

    def __init__(self, model: Any, label: str | None) -> None:
        names = getattr(model, "feature_names_in_", None)
        self.names = None if names is None else [str(name) for name in names]
        self.width = int(model.n_features_in_)
        self.label = label
        self.format: str | None = None
        self.separator = ","
        self.header: list[str] | None = None
        self._classes = getattr(model, "classes_", None)
        encoder = getattr(model, "encoder_", None)
        plans = () if encoder is None else encoder.plan_.columns
        self._needed = {plan.name for plan in plans if plan.feature_names} or set(self.names or ())
        self._numbers = {plan.name for plan in plans if type(plan).__name__ == "Number"}

    def read(self, content: bytes | None) -> Row | None:
        """Return the row in a line; None if it is empty or names the columns."""
        if content is None:
            raise BadRow("it is too long")
        try:
            text = content.decode("utf-8-sig" if self.format is None else "utf-8").strip("\r\n")
        except UnicodeDecodeError:
            raise BadRow("it is not UTF-8") from None
        if not text.strip():
            return None
        if self.format is None and not self._begins_with_row(text):
            return None
        return self._of_json(text) if self.format == "json" else self._of_cells(text)

    def _begins_with_row(self, text: str) -> bool:
        """Detect the format from the first line, and return whether that line is a row."""
        if text.lstrip().startswith("{"):
            self.format = "json"
            return True
        if self.names is None:
            self.separator = max(SEPARATORS, key=text.count)
            self.format = "numbers"
            return True
        for separator in SEPARATORS:
            header = _split(text, separator)
            if self._needed <= set(header):
                if self.label is not None and self.label not in header:
                    raise ValueError(
                        f"--label {shown(self.label)}: the header has no such column; its "
                        f"columns are {', '.join(map(shown, header[:12]))}."
                    )
                self.format, self.separator, self.header = "csv", separator, header
                return False
        header = _split(text, max(SEPARATORS, key=text.count))
        lost = [name for name in self.names if name in self._needed and name not in header]
        raise ValueError(
            f"the first line must name the columns of the model, but it has no "
            f"{', '.join(map(shown, lost[:5]))}."
        )

    def _of_cells(self, text: str) -> Row:
        cells = _split(text, self.separator)
        if self.header is None:
            return self._of_numbers(cells)
        if len(cells) != len(self.header):
            raise BadRow(f"it has {len(cells)} cells, the header has {len(self.header)}")
        return self._row(dict(zip(self.header, cells, strict=True)), cells)

    def _of_numbers(self, cells: list[str]) -> Row:
        if len(cells) != self.width:
            raise BadRow(f"it has {len(cells)} cells, the model needs {self.width}")
        try:
            numbers = np.array([[float(cell) for cell in cells]])
        except ValueError:
            raise BadRow("a cell is not a number") from None
        return Row(numbers, None, cells)

    def _of_json(self, text: str) -> Row:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise BadRow("it is not JSON") from None
        if not isinstance(found, dict):
            raise BadRow("it is not a JSON object")
        lost = sorted(name for name in self._needed if name not in found)
        if lost:
            raise BadRow(f"it has no {', '.join(map(shown, lost[:5]))}")
        return self._row(found, found)

    def _row(self, found: dict[str, Any], cells: list[str] | dict[str, Any]) -> Row:
        frame = self._frame({name: self._cell(name, found.get(name)) for name in self.names or ()})
        return Row(frame, self._label_of(found.get(self.label or _USUAL)), cells)

    def _frame(self, cells: dict[str, Any]) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame({name: pd.Series([cell], dtype=object) for name, cell in cells.items()})

    def _cell(self, name: str, cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        if cell.strip().lower() in USUAL_MARKS:
            return None
        if name in self._numbers:
            if self.separator != "," and _DECIMAL_COMMA.fullmatch(cell):
                cell = cell.replace(",", ".")
            try:
                return float(cell)
            except ValueError:
                raise BadRow(f"{shown(cell)} in column {shown(name)} is not a number") from None
        return cell

    def _label_of(self, cell: Any) -> Any:
        if cell is None or (isinstance(cell, str) and cell.strip().lower() in USUAL_MARKS):
            return None
        kind = "f" if self._classes is None else self._classes.dtype.kind
        if kind in "iuf":
            try:
                number = float(str(cell).replace(",", ".") if self.separator != "," else cell)
            except ValueError:
                raise BadRow(f"the label {shown(cell)} is not a number") from None
            return np.array([number if kind == "f" else int(number)])
        return np.array([str(cell).strip()], dtype=object)


def _split(text: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error:
        raise BadRow("a quote is not closed, or is followed by other characters") from None
