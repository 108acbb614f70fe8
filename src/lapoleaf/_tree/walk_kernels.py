"""Walks through a tree in density order, in which leaders come before the nodes they lead."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._typing import IntArray


@kernel
def depth_first(parent: IntArray) -> IntArray:
    """Return the position of every node in a depth-first walk."""
    n = parent.size
    size = np.ones(n, dtype=np.int64)
    for i in range(n - 1, 0, -1):
        size[parent[i]] += size[i]
    place, following = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    for i in range(1, n):
        place[i] = following[parent[i]]
        following[parent[i]] += size[i]
        following[i] = place[i] + 1
    return place
