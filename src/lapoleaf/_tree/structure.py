"""The class ``LeadingTree``."""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lapoleaf._messages import shown
from lapoleaf._numbers import as_floats
from lapoleaf._points import Points, check_sample_weight
from lapoleaf._points.cell_search import CellSearch, make_search
from lapoleaf._points.dense import is_searchable
from lapoleaf._tree.report import BuildReport
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

# Up to this number of nodes, neighbours of new rows are searched among all.
_MAX_NODES_WITHOUT_CELLS = 4096


@dataclass(frozen=True, eq=False, init=False, repr=False)
class LeadingTree:
    """Leading tree: every node except the root is led by its nearest denser node.

    Nodes are distinct points, numbered by first appearance; without duplicate rows node i is row i.
    :func:`leading_tree` builds such a tree from data; this class also accepts arrays, which are
    validated.

    Parameters
    ----------
    density : array-like of shape (n_nodes,)
        Density of each node (rho in the paper).
    delta : array-like of shape (n_nodes,)
        Distance of each node to its leader; for the root its largest distance to any node.
    parent : array-like of shape (n_nodes,)
        The leader of each node, -1 for the root. Leaders come before the nodes they lead in the
        order of density, ties by number.
    population : array-like of shape (n_nodes,), default=None
        Weight of the rows that each node stands for, 1 if None.
    bandwidth : float, default=None
        Width of the kernel behind the densities, if there was one.
    node_of : array-like of shape (n_rows,), default=None
        The node of every row, -1 for rows that are not in the tree. If None, row i is node i.
    scale : array-like of shape (n_nodes,), default=None
        Distance of every node to its 10th nearest node (to the last, if there are fewer): the
        widths of self-tuned weights.
    points : Points, default=None
        The points of the nodes, if the tree was built from data.
    report : BuildReport, default=None
        How the tree was built.

    Examples
    --------
    >>> from lapoleaf import LeadingTree
    >>> tree = LeadingTree(density=[3, 2, 1], delta=[4, 1, 2], parent=[-1, 0, 1])
    >>> tree.root
    0
    >>> tree.gamma
    array([12.,  2.,  2.])
    """

    density: FloatArray
    delta: FloatArray
    parent: IntArray
    population: FloatArray
    bandwidth: float | None
    node_of: IntArray
    scale: FloatArray | None
    points: Points | None
    report: BuildReport | None

    def __init__(
        self,
        *,
        density: npt.ArrayLike,
        delta: npt.ArrayLike,
        parent: npt.ArrayLike,
        population: npt.ArrayLike | None = None,
        bandwidth: float | None = None,
        node_of: npt.ArrayLike | None = None,
        scale: npt.ArrayLike | None = None,
        points: Points | None = None,
        report: BuildReport | None = None,
    ) -> None:
        n = np.size(density)
        self._keep("density", density, np.float64)
        self._keep("delta", delta, np.float64)
        self._keep("parent", parent, np.int64)
        self._keep("population", np.ones(n) if population is None else population, np.float64)
        self._keep("node_of", np.arange(n) if node_of is None else node_of, np.int64)
        if scale is None:
            object.__setattr__(self, "scale", None)
        else:
            self._keep("scale", scale, np.float64)
        object.__setattr__(self, "bandwidth", bandwidth)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "report", report)
        check_lengths(self)
        check_values(self)
        check_leaders(self)

    def _keep(self, name: str, values: Any, dtype: type) -> None:
        """Store a read-only copy of ``values``; read-only arrays are shared."""
        try:
            given = np.asarray(values)
            if given.dtype == dtype and given.base is None and not given.flags.writeable:
                object.__setattr__(self, name, given)
                return
            array: AnyArray = given.astype(dtype, casting="unsafe", copy=True)
        except (TypeError, ValueError, OverflowError):
            array = as_floats(values, name).astype(dtype)
        if dtype is np.int64 and not np.array_equal(array, given):
            raise ValueError(f"{name} must hold whole numbers, got {given.dtype} values.")
        array.flags.writeable = False
        object.__setattr__(self, name, array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        names = (field.name for field in fields(self))
        self.__dict__.update(protected(state, *names))

    def __repr__(self) -> str:
        width = "" if self.bandwidth is None else f", bandwidth={self.bandwidth:.6g}"
        return f"LeadingTree(n_nodes={self.n_nodes}, n_rows={self.n_rows}{width})"

    @property
    def n_nodes(self) -> int:
        """Number of nodes (distinct points)."""
        return len(self.density)

    @property
    def n_rows(self) -> int:
        """Number of rows the tree was built from."""
        return len(self.node_of)

    @property
    def root(self) -> int:
        """The densest node, which has no leader."""
        return int(self.order[0])

    @cached_property
    def cells(self) -> CellSearch | None:
        """The nodes in cells, for searches of new rows; None if all nodes are searched."""
        approximate = self.report is not None and self.report.build == "approximate"
        points = self.points
        if not approximate or not is_searchable(points) or self.n_nodes <= _MAX_NODES_WITHOUT_CELLS:
            return None
        return make_search(points)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without derived values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def order(self) -> IntArray:
        """Nodes from the densest to the least dense; leaders come before the nodes they lead."""
        return _read_only(density_order(self.density))

    @cached_property
    def canonical_order(self) -> IntArray | None:
        """Nodes in an order that does not depend on their numbers; None without coordinates."""
        return None if self.points is None else self.points.canonical_order()

    @cached_property
    def rank(self) -> IntArray:
        """Place of every node in :attr:`order`."""
        return _read_only(ranks(self.order))

    @cached_property
    def first_rows(self) -> IntArray:
        """The first row of every node, -1 for a node without rows."""
        first = np.full(self.n_nodes, -1, dtype=np.int64)
        rows = np.flatnonzero(self.node_of >= 0)[::-1]
        # If a node has several rows, the last assignment wins.
        first[self.node_of[rows]] = rows
        return first

    @cached_property
    def gamma(self) -> FloatArray:
        """Density times delta, the potential of every node to be a centre."""
        # On overflow it is infinite, and ties are broken by density.
        with np.errstate(over="ignore"):
            return np.asarray(self.density * self.delta)

    def to_rows(self, values: AnyArray) -> AnyArray:
        """Return the value of its node for every row.

        Rows that are not in the tree (weight 0) get NaN, -1 where values are whole numbers, or
        False.

        Parameters
        ----------
        values : array-like of shape (n_nodes, ...)
            One value, or vector, for each node.

        Examples
        --------
        >>> from lapoleaf import LeadingTree
        >>> tree = LeadingTree(density=[2, 1], delta=[1, 1], parent=[-1, 0], node_of=[0, 1, 0])
        >>> tree.to_rows([0.5, 0.25])
        array([0.5 , 0.25, 0.5 ])
        """
        per_node = np.asarray(values)
        if len(per_node) != self.n_nodes:
            raise ValueError(
                f"values has length {len(per_node)}, but the tree has {self.n_nodes} nodes."
            )
        rows: AnyArray = per_node[self.node_of]
        absent = self.node_of < 0
        if absent.any():
            if rows.dtype.kind == "u":
                rows = rows.astype(np.int64)
            rows[absent] = {"f": np.nan, "b": False}.get(rows.dtype.kind, -1)
        return rows

    def to_nodes(
        self, values: AnyArray, given: AnyArray, sample_weight: AnyArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Merge given labels of rows into labels of nodes.

        Parameters
        ----------
        values : array-like of shape (n_rows,) or (n_rows, K)
            A number or a label vector for each row; ignored where not given.
        given : array-like of shape (n_rows,), bool
            Rows whose label was given.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight of each row, 1 if None.

        Returns
        -------
        labels : ndarray of shape (n_nodes,) or (n_nodes, K)
            Mean of the labels given to each node, 0 where there is none.
        count : ndarray of shape (n_nodes,)
            Number of labels given to each node, the argument ``given`` of :func:`propagate`.

        Examples
        --------
        >>> from lapoleaf import LeadingTree
        >>> tree = LeadingTree(density=[2, 1], delta=[1, 1], parent=[-1, 0], node_of=[0, 1, 0])
        >>> labels, count = tree.to_nodes([1.0, 0.0, 3.0], [True, False, True])
        >>> labels, count
        (array([2., 0.]), array([2., 0.]))
        """
        rows = np.asarray(values, dtype=np.float64)
        mask = np.asarray(given, dtype=bool)
        if len(rows) != self.n_rows or mask.shape != (self.n_rows,):
            raise ValueError(
                f"values and given have shapes {rows.shape} and {mask.shape}, but the tree was "
                f"built from {self.n_rows} rows."
            )
        weight = check_sample_weight(sample_weight, self.n_rows)
        mask = mask & (self.node_of >= 0)
        nodes, weight = self.node_of[mask], weight[mask]
        count = np.bincount(nodes, weight, self.n_nodes).astype(np.float64)
        columns = rows.reshape(self.n_rows, -1)[mask]
        sums = [np.bincount(nodes, weight * column, self.n_nodes) for column in columns.T]
        labels = np.stack(sums, axis=-1) / np.where(count > 0, count, 1.0)[:, None]
        return labels.reshape(self.n_nodes, *rows.shape[1:]), count


def density_order(density: AnyArray) -> IntArray:
    """Return the nodes from the densest to the least dense; equal densities by index.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._tree.structure import density_order
    >>> density_order(np.array([1.0, 3.0, 1.0, 2.0]))
    array([1, 3, 0, 2])
    """
    return np.argsort(-density, kind="stable")


def ranks(order: AnyArray) -> IntArray:
    """Return the place of every node in ``order``."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank


def trusted_tree(order: IntArray, rank: IntArray, **fields: Any) -> LeadingTree:
    """Return a tree of valid arrays, without checks; they become read-only."""
    tree = object.__new__(LeadingTree)
    state = {**fields, "order": order, "rank": rank}
    tree.__dict__.update(protected(state, *state))
    return tree


def with_report(tree: LeadingTree, report: BuildReport) -> LeadingTree:
    """Return the same tree with another report; it shares all arrays."""
    other = copy.copy(tree)
    object.__setattr__(other, "report", report)
    for name in ("cells", "order", "rank"):
        if name in tree.__dict__:
            other.__dict__[name] = tree.__dict__[name]
    return other


def protected(state: dict[str, Any], *names: str) -> dict[str, Any]:
    """Make the arrays of a copy read-only, since copies of read-only arrays are writable."""
    for name in names:
        if isinstance(state[name], np.ndarray):
            state[name].flags.writeable = False
    return state


def _read_only(array: IntArray) -> IntArray:
    """Return an array that cannot be written into, as those are that a tree was made with."""
    array.flags.writeable = False
    return array


def _first(mask: BoolArray) -> int:
    return int(np.flatnonzero(mask)[0])


def check_lengths(tree: LeadingTree) -> None:
    """Raise for arrays that do not have one value a node."""
    n = tree.density.size
    if tree.density.ndim != 1 or n == 0:
        raise ValueError(
            f"density must be a list of at least one number, got shape {tree.density.shape}."
        )
    for name in ("delta", "parent", "population", *(["scale"] if tree.scale is not None else [])):
        shape = getattr(tree, name).shape
        if shape != (n,):
            raise ValueError(f"{name} has shape {shape}, but density has {n} nodes.")


def check_values(tree: LeadingTree) -> None:
    """Raise for values out of range."""
    n = tree.n_nodes
    # The delta of the root of a single-node tree is 0.
    positive = tree.delta > 0 if n > 1 else tree.delta >= 0
    checks = {
        "density": (np.isfinite(tree.density) & (tree.density >= 0), "finite and not negative"),
        "delta": (np.isfinite(tree.delta) & positive, "finite and positive"),
        "population": (np.isfinite(tree.population) & (tree.population > 0), "finite and positive"),
        "parent": ((tree.parent >= -1) & (tree.parent < n), f"-1 or a node below {n}"),
        "node_of": ((tree.node_of >= -1) & (tree.node_of < n), f"-1 or a node below {n}"),
    }
    if tree.scale is not None:
        checks["scale"] = (np.isfinite(tree.scale) & (tree.scale > 0), "finite and positive")
    for name, (good, wanted) in checks.items():
        if not good.all():
            i = _first(~good)
            raise ValueError(
                f"{name} must be {wanted}, but {name}[{i}] is {getattr(tree, name)[i]}."
            )
    if tree.bandwidth is not None and not 0 < tree.bandwidth < np.inf:
        raise ValueError(f"bandwidth={shown(tree.bandwidth)} must be finite and positive.")


def check_leaders(tree: LeadingTree) -> None:
    """Raise unless there is one root, and every leader is ahead of the nodes it leads."""
    roots = np.flatnonzero(tree.parent < 0)
    if len(roots) != 1:
        raise ValueError(
            f"parent must be -1 for exactly one node, the root, but it is for {len(roots)}."
            + (" The leaders form a cycle." if len(roots) == 0 else "")
        )
    led = np.flatnonzero(tree.parent >= 0)
    behind = tree.rank[tree.parent[led]] >= tree.rank[led]
    if not behind.any():
        return
    i = int(led[_first(behind)])
    p = int(tree.parent[i])
    cycle = _cycle_through(tree.parent, i)
    if cycle:
        raise ValueError(f"parent has a cycle: {' -> '.join(map(str, cycle))}.")
    raise ValueError(
        f"node {i} (density {tree.density[i]:g}) is led by node {p} (density "
        f"{tree.density[p]:g}): a leader must be denser, or as dense with a lower number."
    )


def _cycle_through(parent: IntArray, node: int) -> list[int]:
    """Return the cycle that the leaders of ``node`` end in, empty if there is none."""
    seen: dict[int, int] = {}
    path: list[int] = []
    while node >= 0:
        if node in seen:
            return [*path[seen[node] :], node]
        seen[node] = len(path)
        path.append(node)
        node = int(parent[node])
    return []
