"""Where a new row hangs, straight from its definition (notes on a new datum), without the library.

A tree is plain lists of densities and populations; ``distances`` are those of the new row to all
nodes.
"""

import math


def kernel(distance, bandwidth):
    """A term of a density, in fixed point of 30 binary digits."""
    return round(2**30 * math.exp(-((distance / bandwidth) ** 2))) / 2**30


def leader(distances, density, population, bandwidth, root, zero=0.0):
    """The node that answers for a new row, and how far away it is.

    At distance 0 the node itself; else the nearest node that would still be as dense as the row if
    the row were there (equal distance: the lower number); nobody: the root.
    """
    nodes = range(len(density))
    for i in nodes:
        if distances[i] <= zero:
            return i, 0.0
    k = [kernel(distances[i], bandwidth) for i in nodes]
    own = sum(population[i] * k[i] for i in nodes)
    ahead = [(distances[i], i) for i in nodes if density[i] + k[i] >= own]
    distance, node = min(ahead, default=(distances[root], root))
    return node, distance
