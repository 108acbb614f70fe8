"""Checks of the arrays of a leading tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lapoleaf._typing import BoolArray, IntArray

if TYPE_CHECKING:
    from lapoleaf._tree.structure import LeadingTree


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
    # The root of a tree of one node has no distance to any other.
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
        raise ValueError(f"bandwidth={tree.bandwidth!r} must be finite and positive.")


def check_leaders(tree: LeadingTree) -> None:
    """Raise unless there is one root, and every leader is ahead of those it leads: no cycle."""
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
    """Return the cycle that the leaders of ``node`` run into, empty if they do not."""
    seen: dict[int, int] = {}
    path: list[int] = []
    while node >= 0:
        if node in seen:
            return [*path[seen[node] :], node]
        seen[node] = len(path)
        path.append(node)
        node = int(parent[node])
    return []
