"""Base class of text encoders."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lapoleaf._lazy import Value
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class TextVectors(Value):
    """Vectors of strings, each of unit length; zeros for a string of unknown words."""

    @abstractmethod
    def encode(self, strings: Sequence[str]) -> FloatArray:
        """Return the vectors of some strings, of shape (n, width); each depends on its string."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Numbers of a vector."""

    @property
    @abstractmethod
    def description(self) -> str:
        """Description of the vectors."""


def of_unit_length(rows: FloatArray) -> FloatArray:
    """Return rows divided by their lengths; rows of zeros stay.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._encoding.text.base import of_unit_length
    >>> of_unit_length(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    # Row by row, so that a sum does not depend on the other rows.
    squares = np.zeros(len(rows))
    for column in rows.T:
        squares += column * column
    lengths = np.sqrt(squares)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0)[:, None])
