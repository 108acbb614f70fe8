"""Accuracy of an approximate build, measured on a sample of its nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._density import Neighbourhoods
from lapoleaf._density.sample_kernels import true_density
from lapoleaf._parallel import for_each_block
from lapoleaf._points import Points
from lapoleaf._progress import Progress
from lapoleaf._tree.structure import LeadingTree
from lapoleaf._typing import FloatArray

# Maximum number of operations of a check, and bounds of the number of checked nodes.
_MAX_WORK, _MIN_CHECKED, _MAX_CHECKED = 4e9, 64, 500
# Distances that are held at a time.
_MAX_DISTANCES_HELD = 2**21
_SEED = 1


class Quality(NamedTuple):
    """Results of a check of some nodes against all distances.

    Attributes
    ----------
    n_checked : int
        Number of nodes.
    neighbours_found : float
        Share of their true nearest neighbours that are listed.
    leaders_found : float
        Share whose leader is the nearest denser node, for the present densities.
    density_error : float
        Median deviation of their densities from the true ones, relative to these.
    """

    n_checked: int
    neighbours_found: float
    leaders_found: float
    density_error: float


def measure_quality(
    points: Points,
    population: FloatArray,
    unit: float,
    tree: LeadingTree,
    near: Neighbourhoods,
    threads: int = 1,
    verbose: int = 0,
) -> Quality:
    """Return the accuracy on some nodes, compared with all distances.

    Parameters
    ----------
    points : Points
        The nodes.
    population : ndarray of shape (n,)
        Their weights.
    unit : float
        Smallest weight of a row.
    tree : LeadingTree
        Their tree.
    near : Neighbourhoods
        Their neighbours.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    n, k = near.neighbours.shape
    n_checked = min(
        n, int(np.clip(_MAX_WORK / (n * (points.work + 20.0)), _MIN_CHECKED, _MAX_CHECKED))
    )
    nodes = np.sort(np.random.default_rng(_SEED).choice(n, n_checked, replace=False))
    found = np.empty((n_checked, 3))
    bandwidth = float(tree.bandwidth or 1.0)

    def check(block: slice) -> None:
        for which, row in enumerate(points.rows(nodes[block]), block.start):
            i = nodes[which]
            density = true_density(row, i, population, bandwidth, unit)
            row[i] = np.inf
            nearest = row[tree.rank < tree.rank[i]].min(initial=np.inf)
            row.partition(k - 1)
            found[which] = (
                (near.lengths[i] <= row[k - 1]).mean(),
                tree.parent[i] < 0 or tree.delta[i] == nearest,
                abs(tree.density[i] - density) / max(density, unit),
            )

    together = int(np.clip(_MAX_DISTANCES_HELD // n, 1, 16))
    blocks = list(gen_batches(n_checked, together))
    for_each_block(check, blocks, threads, Progress("checks", n_checked, verbose))
    shares = found.mean(axis=0)
    error = float(np.median(found[:, 2]))
    return Quality(n_checked, float(shares[0]), float(shares[1]), error)
