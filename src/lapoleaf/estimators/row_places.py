"""Places of rows in the plane, cached with a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lapoleaf._layout import LayoutSettings
from lapoleaf._lazy import Value
from lapoleaf._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RowPlaces(Value):
    """A map of rows.

    Attributes
    ----------
    ids : ndarray of shape (m,)
        Ids of the rows, ascending. Rows added later are missing; some may have been removed since.
    places : ndarray of shape (m, 2), float32
        Their places.
    exaggeration, n_iterations
        How the map was laid out: see :class:`~lapoleaf._layout.LayoutSettings`.
    """

    ids: IntArray
    places: FloatArray
    exaggeration: float | None = None
    n_iterations: int | None = None

    @property
    def settings(self) -> LayoutSettings:
        """How the map was laid out."""
        return LayoutSettings(self.exaggeration, self.n_iterations)

    @classmethod
    def of(cls, ids: IntArray, places: FloatArray, settings: LayoutSettings) -> RowPlaces:
        """Return a map of rows; the places become read-only."""
        places.flags.writeable = False
        return cls(ids, places, settings.exaggeration, settings.n_iterations)

    def of_ids(self, ids: IntArray) -> FloatArray:
        """Return the places of rows, (len(ids), 2), NaN for rows that have none."""
        out = np.full((len(ids), 2), np.nan, dtype=np.float32)
        _, here, there = np.intersect1d(ids, self.ids, assume_unique=True, return_indices=True)
        out[here] = self.places[there]
        return out
