"""Insertion into a short sorted list of the nearest points."""

from __future__ import annotations

from typing import Any

from lapoleaf._compilation import kernel
from lapoleaf._typing import FloatArray, IntArray


# Not inlined by numba, which would cost time: LLVM does it better.
@kernel
def insert_sorted(
    length: float, node: int, count: Any, nodes: IntArray, lengths: FloatArray
) -> Any:
    """Insert a node among the nearest, equal lengths by number; return how many there are now.

    Begin with ``count`` of ``np.int64(0)``: a plain 0 has a type of its own, to be compiled for.
    ``nodes`` and ``lengths`` hold ``count`` entries, nearest first. What comes after the last entry
    of a full list is left out.
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
