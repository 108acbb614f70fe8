"""Vectors by a user-defined function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._encoding.text.base import TextVectors, of_unit_length
from lapoleaf._messages import reason_of, shown
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class FunctionVectors(TextVectors):
    """Vectors that a function returns, divided by their lengths.

    Attributes
    ----------
    text_encoder : callable
        Returns an array with a row for every string of a list. It is not stored in files.
    columns : int
        Numbers of a vector.
    """

    text_encoder: Callable[[list[str]], Any]
    columns: int

    def encode(self, strings: Sequence[str]) -> FloatArray:
        if not len(strings):
            return np.zeros((0, self.columns))
        found = _called(self.text_encoder, list(strings))
        if found.shape[1] != self.columns:
            raise ValueError(
                f"text_encoder={shown(self.text_encoder)} returned {found.shape[1]} columns, but "
                f"{self.columns} at the fit."
            )
        return of_unit_length(found)

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self.columns

    @property
    def description(self) -> str:
        """Description of the vectors."""
        return f"vectors of text_encoder in {self.columns} columns"


def function_vectors(function: Callable[[list[str]], Any], strings: Sequence[str]) -> TextVectors:
    """Return vectors by a function, whose first call determines their length."""
    return FunctionVectors(function, int(_called(function, list(strings[:1])).shape[1]))


def _called(function: Callable[[list[str]], Any], strings: list[str]) -> FloatArray:
    try:
        found = np.asarray(function(strings), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"text_encoder={shown(function)} failed for {len(strings)} texts: {reason_of(error)}."
        ) from error
    if found.ndim != 2 or len(found) != len(strings) or not np.isfinite(found).all():
        raise ValueError(
            f"text_encoder={shown(function)} must return a row of finite numbers for each of "
            f"{len(strings)} texts, but it returned an array of shape {found.shape}."
        )
    return found
