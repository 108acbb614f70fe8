"""The frame of points in cells: float32 numbers around 0, on few columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils.extmath import randomized_svd

from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._typing import FloatArray

# Points with more columns than this are looked for on their principal components, so many of them.
MOST_COLUMNS = 64
# Components are learnt from so many points.
_N_LEARNT_FROM = 4096
# The quantile of the distances from the centre by which the unit is chosen.
_UNIT_QUANTILE = 0.9
# How far from the centre points may be, in units, and how far where components are learnt.
_LARGEST_COORDINATE, _LARGEST_LEARNT_COORDINATE = 1e15, 100.0
_LARGEST_UNIT = 1e300
_ROWS_AT_A_TIME = 2048
_SEED = 0


@dataclass(frozen=True, eq=False)
class Frame:
    """How rows become points in cells: centred, in a unit of length, perhaps projected.

    Attributes
    ----------
    centre : ndarray of shape (d,)
        What is subtracted.
    unit : float
        What is then divided by: nine points of ten are nearer to the centre, in every column.
        Points farther away than 10^15 of these are put there, which brings no two farther apart.
    components : ndarray of shape (64, d) or None
        Directions that the result is projected on.
    """

    centre: FloatArray
    unit: float
    components: FloatArray | None

    @classmethod
    def of(cls, columns: FloatArray) -> Self:
        """Choose a frame for points, (d, n)."""
        d, n = columns.shape
        draws = np.random.default_rng(_SEED)
        sample = np.sort(draws.choice(n, min(n, _N_LEARNT_FROM), replace=False))
        some = columns[:, sample].astype(np.float64)
        # A few rows far away move neither medians nor quantiles: what is near keeps its digits.
        centre = np.median(some, axis=1)
        with np.errstate(over="ignore"):
            away = np.abs(some - centre[:, None])
            unit = float(np.quantile(away, _UNIT_QUANTILE, axis=1).max()) or float(away.max())
            if unit == 0.0:
                unit = float(max(abs(c - m).max() for c, m in zip(columns, centre, strict=True)))
        plain = cls(centre, min(unit, _LARGEST_UNIT) or 1.0, None)
        if d <= MOST_COLUMNS:
            return plain
        # Rows far away would also be all that components see.
        most = _LARGEST_LEARNT_COORDINATE
        learnt = np.clip(plain.framed(columns[:, sample])[0], -most, most)
        with one_blas_thread():
            found = randomized_svd(learnt, MOST_COLUMNS, n_iter=2, random_state=_SEED)
        components = np.ascontiguousarray(found[2], dtype=np.float32)
        return cls(centre, plain.unit, components)

    def framed(self, columns: FloatArray, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return points, (d, n), in the frame, as float32 rows, and what a projection leaves out.

        That is the squared distance of every point from its projection, also float32.
        """
        d, n = columns.shape
        components = self.components
        rows = np.empty((n, d if components is None else len(components)), dtype=np.float32)
        left_out = np.zeros(n, dtype=np.float32)

        def frame(some: slice) -> None:
            with np.errstate(over="ignore"):
                framed = (columns[:, some].T - self.centre) / self.unit
            framed = np.clip(framed, -_LARGEST_COORDINATE, _LARGEST_COORDINATE)
            if components is None:
                rows[some] = framed
                return
            # Always as many rows: the last digits of a product depend on its shape.
            block = np.zeros((_ROWS_AT_A_TIME, d), dtype=np.float32)
            block[: len(framed)] = framed
            rows[some] = (block @ components.T)[: len(framed)]
            squares = np.square(block).sum(axis=1)[: len(framed)]
            left_out[some] = np.maximum(squares - np.square(rows[some]).sum(axis=1), 0.0)

        with one_blas_thread():
            for_each_block(frame, list(gen_batches(n, _ROWS_AT_A_TIME)), threads)
        return rows, left_out
