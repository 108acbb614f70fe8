"""The frame of points in cells: float32 numbers around 0, on few columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils.extmath import randomized_svd

from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._typing import FloatArray

# Points with more columns than this are searched on this number of principal components.
MOST_COLUMNS = 64
# Number of points that components are computed from.
_N_LEARNT_FROM = 4096
# Quantile of the distances from the centre that is the unit.
_UNIT_QUANTILE = 0.9
# Maximum distance from the centre, in units, and the maximum for computing components.
_LARGEST_COORDINATE, _LARGEST_LEARNT_COORDINATE = 1e15, 100.0
_LARGEST_UNIT = 1e300
_ROWS_AT_A_TIME = 2048
_SEED = 0


@dataclass(frozen=True, eq=False)
class Frame:
    """Transformation of rows to points in cells: centring, scaling, and possibly projection.

    Attributes
    ----------
    centre : ndarray of shape (d,)
        What is subtracted.
    unit : float
        The divisor after centring: in every column nine points of ten are nearer to the centre.
        Points farther away than 10^15 units are clipped, which does not increase distances.
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
        # Medians and quantiles are robust to a few distant rows, so that near points keep their
        # precision.
        centre = np.median(some, axis=1)
        with np.errstate(over="ignore"):
            away = np.abs(some - centre[:, None])
            unit = float(np.quantile(away, _UNIT_QUANTILE, axis=1).max()) or float(away.max())
            if unit == 0.0:
                unit = float(max(abs(c - m).max() for c, m in zip(columns, centre, strict=True)))
        plain = cls(centre, min(unit, _LARGEST_UNIT) or 1.0, None)
        if d <= MOST_COLUMNS:
            return plain
        # Distant rows would dominate the components.
        most = _LARGEST_LEARNT_COORDINATE
        learnt = np.clip(plain.framed(columns[:, sample])[0], -most, most)
        with one_blas_thread():
            found = randomized_svd(learnt, MOST_COLUMNS, n_iter=2, random_state=_SEED)
        components = np.ascontiguousarray(found[2], dtype=np.float32)
        return cls(centre, plain.unit, components)

    def framed(self, columns: FloatArray, threads: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return points, (d, n), in the frame, as float32 rows, and what a projection leaves out.

        The latter is the squared distance of every point from its projection, in float32.
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
            # A fixed number of rows, since the last digits of a product depend on its shape.
            block = np.zeros((_ROWS_AT_A_TIME, d), dtype=np.float32)
            block[: len(framed)] = framed
            rows[some] = (block @ components.T)[: len(framed)]
            squares = np.square(block).sum(axis=1)[: len(framed)]
            left_out[some] = np.maximum(squares - np.square(rows[some]).sum(axis=1), 0.0)

        with one_blas_thread():
            for_each_block(frame, list(gen_batches(n, _ROWS_AT_A_TIME)), threads)
        return rows, left_out
