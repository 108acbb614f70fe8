"""Approximate densities of many nodes.

Near points are summed one by one. All others are represented by a sample, drawn evenly from all
cells, with each point weighted by the number it was drawn from. The sample is the same for every
node, so that the density is smooth and its order is not random.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lapoleaf._density import sample_kernels as kernels
from lapoleaf._density.gaussian import N_NEIGHBOURS, Neighbourhoods
from lapoleaf._density.kernels import FIXED_POINT_ONE
from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._points.cell_search import CellSearch, near_points
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray

# A fixed number of rows, since the last digits of a product depend on its shape.
_ROWS_PER_BLOCK = 64
# A factor that float32 can hold.
_MAX_FACTOR = 1e30
_SEED = 0


# Number of points that represent all others in densities.
DEFAULT_SAMPLE_SIZE = 4096


class Effort(NamedTuple):
    """Effort of an approximate build: higher values are slower and more accurate.

    Attributes
    ----------
    looked_at : int
        Number of points that are searched for the neighbours of one.
    sample : int
        Number of points that represent all others in densities. Smaller sets are used completely.
    """

    looked_at: int = 3000
    sample: int = DEFAULT_SAMPLE_SIZE


def sampled_neighbourhoods(
    search: CellSearch,
    population: FloatArray,
    bandwidths: Sequence[float],
    unit: float,
    effort: Effort,
    threads: int = 1,
    verbose: int = 0,
) -> Neighbourhoods:
    """Find neighbours through cells, and densities from them and a sample of the rest.

    Parameters
    ----------
    search : CellSearch
        The nodes in cells.
    population : ndarray of shape (n,)
        Their weights.
    bandwidths : sequence of float
        Widths of the Gaussian kernel.
    unit : float
        Smallest weight of a row.
    effort : Effort
        Effort of the search.
    threads, verbose : int
        Number of threads; whether to report progress.
    """
    n = search.points.n
    clock = [time.perf_counter()]
    k = min(N_NEIGHBOURS, n - 1)
    neighbours, lengths = near_points(search, k, effort.looked_at, threads, verbose)
    clock.append(time.perf_counter())
    # A projection has many columns, and half of the sample is nearly as accurate.
    size = effort.sample // 2 if search.is_projected else effort.sample
    sample = Sample.draw(search, population, min(size, n))
    densities = np.empty((len(bandwidths), n))

    def work(block: slice) -> None:
        nodes = search.cells.order[block]
        squares = sample.squares(search, block)
        kernels.exclude_neighbours(nodes, neighbours, sample.number, squares)
        for which, width in enumerate(bandwidths):
            near = densities[which]
            kernels.near_density(nodes, neighbours, lengths, population, width, unit, near)
            near[nodes] += sample.sums(search, squares, width)[: len(nodes)]

    blocks = [slice(at, min(at + _ROWS_PER_BLOCK, n)) for at in range(0, n, _ROWS_PER_BLOCK)]
    with one_blas_thread():
        for_each_block(work, blocks, threads, Progress("densities", n, verbose))
    clock.append(time.perf_counter())
    seconds = {"distances": clock[1] - clock[0], "density": clock[2] - clock[1]}
    return Neighbourhoods(densities, neighbours, lengths, seconds, search.cells.order)


class Sample(NamedTuple):
    """Points that represent all.

    Attributes
    ----------
    number : ndarray of shape (n,)
        Place of every node in the sample, -1 for those not in it.
    columns : ndarray of shape (d, m), float32
        The points of the sample as they are in cells, column by column.
    left_out : ndarray of shape (m,), float32
        Squared distances of these points from their projections.
    weight : ndarray of shape (m,), float32
        Weight of each point, in units.
    unit : float
        The smallest population of a node.
    """

    number: IntArray
    columns: FloatArray
    left_out: FloatArray
    weight: FloatArray
    unit: float

    @classmethod
    def draw(cls, search: CellSearch, population: FloatArray, m: int) -> Sample:
        """Draw points from m consecutive stretches of cells of equal population.

        A node with more population than a stretch is always in the sample, with its own weight.
        """
        order = search.cells.order
        here = population[order] / population.min()
        heavy = here > here.sum() / m
        places = np.flatnonzero(heavy)
        counted = here[places]
        reached = np.cumsum(np.where(heavy, 0.0, here))
        if reached[-1] > 0:
            stretches = m - len(places)
            length = reached[-1] / stretches
            draws = np.arange(stretches) + np.random.default_rng(_SEED).random(stretches)
            drawn = np.searchsorted(reached, draws * length, side="right")
            light, often = np.unique(np.minimum(drawn, len(order) - 1), return_counts=True)
            places, counted = np.append(places, light), np.append(counted, often * length)
        number = np.full(len(order), -1, dtype=np.int32)
        number[order[places]] = np.arange(len(places))
        columns = np.ascontiguousarray(search.cells.rows[places].T)
        weight = counted.astype(np.float32)
        return cls(number, columns, search.left_out[places], weight, float(population.min()))

    def squares(self, search: CellSearch, block: slice) -> FloatArray:
        """Return squared distances of points at some places to the sample, in a table of 64 rows.

        The parts of two distant points outside of a projection are taken as orthogonal, so that
        squares add up.
        """
        out = np.zeros((_ROWS_PER_BLOCK, self.columns.shape[1]), dtype=np.float32)
        rows = search.cells.rows[block]
        kernels.squares_to_sample(rows, search.left_out[block], self.columns, self.left_out, out)
        return out

    def sums(self, search: CellSearch, squares: FloatArray, bandwidth: float) -> FloatArray:
        """Return the contribution of the sample to densities, in fixed point."""
        metric, unit = search.points.kind, search.unit
        width = bandwidth / (metric.factor * search.points.scale)
        # Overflow means an infinite distance, where the kernel is 0.
        with np.errstate(over="ignore"):
            if metric.rooted:
                exponents = squares * np.float32(-min((unit / width) * (unit / width), _MAX_FACTOR))
            else:
                factor = min(unit, _MAX_FACTOR) * (unit / width)
                ratios = squares * np.float32(min(factor, _MAX_FACTOR))
                exponents = -ratios * ratios
            np.exp(exponents, out=exponents)
        # In units, so that a common factor of the weights has no effect.
        sums = (exponents @ self.weight).astype(np.float64)
        return self.unit * (np.rint(FIXED_POINT_ONE * sums) / FIXED_POINT_ONE)

    def density_at(
        self, search: CellSearch, queries: FloatArray, near: IntArray, bandwidth: float
    ) -> FloatArray:
        """Return the contribution of the sample to the densities of up to 64 new points.

        Parameters
        ----------
        search : CellSearch
            The points the sample was drawn from.
        queries : ndarray of shape (m, d)
            The new points.
        near : ndarray of shape (m, k)
            Points that are already included and are left out; -1 for none.
        bandwidth : float
            Width of the kernel.
        """
        out = np.zeros((_ROWS_PER_BLOCK, self.columns.shape[1]), dtype=np.float32)
        rows, left_out = search.framed(queries)
        kernels.squares_to_sample(rows, left_out, self.columns, self.left_out, out)
        row, place = np.nonzero(near >= 0)
        drawn = self.number[near[row, place]]
        out[row[drawn >= 0], drawn[drawn >= 0]] = np.inf
        return self.sums(search, out, bandwidth)[: len(queries)]
