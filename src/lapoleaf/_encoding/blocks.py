"""Scaling of blocks of columns to a total variance of 1."""

from __future__ import annotations

import numpy as np

from lapoleaf._numbers import units_of
from lapoleaf._typing import BoolArray, FloatArray

# Minimum share of missing values for which a column marks them.
_LEAST_MARKED = 3
_LEAST_SHARE_MARKED = 0.05


def are_frequent(missing: BoolArray) -> bool:
    """Whether missing values are frequent enough for a column that marks them."""
    count = int(missing.sum())
    return count >= _LEAST_MARKED and count >= _LEAST_SHARE_MARKED * len(missing)


def block_scale(block: FloatArray) -> float:
    """Return the factor that makes the variances of some columns add up to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._encoding.blocks import block_scale
    >>> block_scale(np.array([[0.0, 4.0], [2.0, 4.0]]))
    1.0
    """
    unit = float(np.max(units_of(block), initial=1.0)) if block.size else 1.0
    total = float(np.var(block / unit, axis=0).sum())
    scale = 1.0 / (unit * np.sqrt(total)) if total > 0 else 1.0
    return float(scale) if np.isfinite(scale) and scale > 0 else 1.0
