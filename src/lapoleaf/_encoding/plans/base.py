"""Base class of the fitted encodings of columns."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from lapoleaf._lazy import Value
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class ColumnPlan(Value):
    """Fitted encoding of a column.

    Attributes
    ----------
    name : str
        Name of the column.
    n_missing : int
        Number of empty cells at the fit.
    """

    name: str
    n_missing: int

    @abstractmethod
    def encode(self, column: Any) -> FloatArray:
        """Return the numbers of a column of pandas, of shape (n_rows, width)."""

    @property
    @abstractmethod
    def feature_names(self) -> tuple[str, ...]:
        """Names of the encoded columns."""

    @property
    @abstractmethod
    def description(self) -> str:
        """Kind and encoding of the column."""

    @property
    def width(self) -> int:
        """Number of encoded columns."""
        return len(self.feature_names)


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> from lapoleaf._encoding.plans.base import counted
    >>> counted(1, "column"), counted(3, "column")
    ('1 column', '3 columns')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"
