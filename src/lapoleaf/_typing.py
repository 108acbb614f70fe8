"""Type aliases of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]
Metric: TypeAlias = "str | Callable[[FloatArray, FloatArray], float]"
PairDistance: TypeAlias = "Callable[[IntArray, IntArray], FloatArray]"
