"""Columns that are not encoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding.plans.base import ColumnPlan
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class LeftOut(ColumnPlan):
    """A column that is not encoded.

    Attributes
    ----------
    reason : str
        Why not.
    """

    reason: str

    def encode(self, column: Any) -> FloatArray:
        return np.empty((len(column), 0))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """No names."""
        return ()

    @property
    def description(self) -> str:
        """Why the column is left out."""
        return f"left out: {self.reason}"
