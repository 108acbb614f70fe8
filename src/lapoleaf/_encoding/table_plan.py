"""Fitted encoding of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding.plans import ColumnPlan
from lapoleaf._encoding.plans.base import counted
from lapoleaf._lazy import Value, computed_once
from lapoleaf._messages import shown
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class TablePlan(Value):
    """Fitted encoding of a table.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        A plan for every column, in order, including those left out.
    """

    columns: tuple[ColumnPlan, ...]

    def encode(self, frame: Any, verbose: int = 0) -> FloatArray:
        """Return the numbers of a frame of pandas.

        Parameters
        ----------
        frame : pandas.DataFrame
            Rows with the columns of the fit, in their order.
        verbose : int, default=0
            1 or more shows progress.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_features)
            The numbers; a row of them depends only on that row.
        """
        n_rows, n_columns = frame.shape
        if n_columns != len(self.columns):
            raise ValueError(f"X has {n_columns} columns, but {len(self.columns)} at the fit.")
        encoded = np.empty((n_rows, len(self.feature_names)))
        start = 0
        progress = Progress("Columns encoded", n_columns, verbose)
        for place, plan in enumerate(self.columns):
            encoded[:, start : start + plan.width] = plan.encode(frame.iloc[:, place])
            start += plan.width
            progress.advance()
        return encoded

    @computed_once
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of the result, all different."""
        return _all_different([name for plan in self.columns for name in plan.feature_names])

    def summary(self) -> str:
        """Return one line per column: its name, number of missing values, kind and encoding."""
        lines = [
            (plan.name, counted(plan.n_missing, "hole"), plan.description) for plan in self.columns
        ]
        names, holes = (max((len(line[k]) for line in lines), default=0) for k in (0, 1))
        return "\n".join(f"{a:<{names}}  {b:>{holes}}  {c}" for a, b, c in lines)


def _all_different(names: Sequence[str]) -> tuple[str, ...]:
    """Return unique names, with repeated ones numbered.

    Examples
    --------
    >>> from lapoleaf._encoding.table_plan import _all_different
    >>> _all_different(["a", "b", "a"])
    ('a', 'b', 'a_2')
    """
    taken: set[str] = set()
    found = []
    for name in names:
        unique, number = name, 2
        while unique in taken:
            unique, number = f"{name}_{number}", number + 1
        taken.add(unique)
        found.append(unique)
    return tuple(found)


def refuse_nothing_left(plan: TablePlan, n_rows: int) -> None:
    """Raise if a plan leaves out all columns."""
    if plan.feature_names:
        return
    if n_rows == 1:
        raise ValueError("X has one row (n_samples=1), from which nothing can be learnt.")
    reasons = "; ".join(f"{shown(one.name)} is {one.description}" for one in plan.columns[:5])
    raise ValueError(f"X has no column that can be encoded: {reasons}.")
