"""Insertion into a short sorted list of the nearest points."""

from __future__ import annotations

from typing import Any

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray


# Left to LLVM to inline, which is faster than inlining by numba.
@kernel
def insert_sorted(
    length: float, node: int, count: Any, nodes: IntArray, lengths: FloatArray
) -> Any:
    """Insert a node among the nearest, ties by number; return the new count.

    ``nodes`` and ``lengths`` hold ``count`` entries, nearest first. Entries beyond the end of a
    full list are dropped. Start with ``np.int64(0)`` as ``count``: a plain 0 has another type, for
    which the kernel would be compiled once more.
    """
    place = count
    if count == nodes.size:
        place = count - 1
        if lengths[place] < length or (lengths[place] == length and nodes[place] < node):
            return count
    while place > 0 and (
        lengths[place - 1] > length or (lengths[place - 1] == length and nodes[place - 1] > node)
    ):
        lengths[place] = lengths[place - 1]
        nodes[place] = nodes[place - 1]
        place -= 1
    lengths[place] = length
    nodes[place] = node
    return min(count + 1, nodes.size)
