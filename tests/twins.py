"""Slow readable twins: every quantity straight from its definition, without the library.

Distances are a full matrix ``D`` here, and trees are plain lists. Nothing is fast.
"""

import math

import numpy as np


def pair_distances(rows, metric):
    """All distances of ``rows`` under ``metric``, a formula for one row and a table of others.

    Identical rows are at distance 0, whatever the formula says.
    """
    return np.array([np.where((rows == a).all(axis=1), 0.0, metric(a, rows)) for a in rows],
                    dtype=float)  # fmt: skip


def merge(D, weight=None, zero=0.0):
    """Rows at distance 0 are one node, numbered by first appearance; weight 0 is left out.

    Gives the first row of every node, the node of every row, and the population of every node.
    """
    weight = [1] * len(D) if weight is None else weight
    first_rows, node_of = [], []
    for row in range(len(D)):
        same = [node for node, first in enumerate(first_rows) if D[row][first] <= zero]
        if weight[row] > 0 and not same:
            first_rows.append(row)
            same = [len(first_rows) - 1]
        node_of.append(same[0] if weight[row] > 0 else -1)
    population = [sum(w for w, k in zip(weight, node_of, strict=True) if k == node)
                  for node in range(len(first_rows))]  # fmt: skip
    return first_rows, node_of, population


def bandwidth(D, percent, weight=None):
    """The value at position round(percent / 100 * m) of the m sorted positive row distances.

    A row of weight w, a whole number, is written out w times.
    """
    rows = np.repeat(np.arange(len(D)), 1 if weight is None else weight)
    pairs = np.asarray(D)[np.ix_(rows, rows)][np.triu_indices(len(rows), k=1)]
    positive = np.sort(pairs[pairs > 0])
    position = min(max(round(percent / 100 * len(positive)), 1), len(positive))
    return positive[position - 1]


def densities(D, population, bandwidth, unit=1):
    """Populations within reach of every node, in fixed point of 30 binary digits."""
    found = []
    for i, row in enumerate(np.asarray(D).tolist()):
        total = population[i] - unit
        for j, d in enumerate(row):
            if j != i:
                total += population[j] * round(2**30 * math.exp(-((d / bandwidth) ** 2))) / 2**30
        found.append(total)
    return found


def order(density):
    """Densest first; equal densities: the lower index first."""
    return sorted(range(len(density)), key=lambda i: (-density[i], i))


def leaders(D, density):
    """The nearest node earlier in the order (equal distance: the lower index), and how far it is.

    The root gets -1 and its largest distance to any node.
    """
    ahead, parent, delta = [], {}, {}
    D = np.asarray(D).tolist()
    for i in order(density):
        if ahead:
            delta[i], parent[i] = min((D[i][j], j) for j in ahead)
        else:
            delta[i], parent[i] = max((d for j, d in enumerate(D[i]) if j != i), default=0.0), -1
        ahead.append(i)
    return [parent[i] for i in range(len(D))], [delta[i] for i in range(len(D))]


def centres(density, delta):
    """Nodes by gamma, largest first; ties by the order of density; the root before all."""
    place = {i: k for k, i in enumerate(order(density))}
    rest = sorted(order(density)[1:], key=lambda i: (-density[i] * delta[i], place[i]))
    return [order(density)[0], *rest]


def objective(density, delta, alpha, H, unit_free):
    """Q(1), ..., Q(n): cost of N trees against the deltas of all nodes that are no centre."""
    chosen = centres(density, delta)
    others = [delta[i] for i in chosen[1:]]
    scale = 2 * math.sqrt(math.fsum(d * d for d in others) / len(others)) if unit_free else 1
    return [alpha * H(N) + (1 - alpha) * math.fsum(others[N - 1 :]) / scale
            for N in range(1, len(chosen) + 1)]  # fmt: skip


def optimum(curve):
    """The smallest number of trees within 1e-9 of the minimum."""
    lowest = min(curve)
    return next(N for N, Q in enumerate(curve, 1) if Q <= lowest + 1e-9 * abs(lowest))


def root_of(i, parent, roots):
    """Follow the leaders up to the root of the tree of ``i``; return it and the number of steps."""
    if i in roots:
        return i, 0
    root, steps = root_of(parent[i], parent, roots)
    return root, steps + 1


def children(i, parent, roots):
    """The nodes led by ``i`` within its tree."""
    return [c for c in range(len(parent)) if parent[c] == i and c not in roots]


def subtree_size(i, parent, roots):
    """``i`` and everybody below it within its tree."""
    return 1 + sum(subtree_size(c, parent, roots) for c in children(i, parent, roots))


def children_to_parent(i, parent, roots, W, given):
    """The label of ``i`` after C2P: its given one, or the mean of its labelled children, or None.

    ``given`` maps nodes to label vectors.
    """
    if i in given:
        return np.array(given[i], dtype=float)
    below = {c: children_to_parent(c, parent, roots, W, given)
             for c in children(i, parent, roots)}  # fmt: skip
    labelled = [c for c in below if below[c] is not None]
    if not labelled:
        return None
    return sum(W[c] * below[c] for c in labelled) / sum(W[c] for c in labelled)


def root_to_root(roots, parent, label, distance=None):
    """The root each root takes its label from, after R2R; ``roots`` come in gamma order.

    ``label`` maps roots to labels or None. The label of the top comes first.
    """
    top = roots[0]
    lenders = [r for r in roots if label[r] is not None]
    source = {r: r for r in lenders}
    if top not in source:
        far = (lambda r: 0) if distance is None else (lambda r: distance(top, r))
        source[top] = min(lenders, key=far)
        lenders.append(top)
    for r in roots:
        if r not in source:
            way, node = [], parent[r]
            while node >= 0:
                way += [node] * (node in lenders)
                node = parent[node]
            far = (lambda a: 0) if distance is None else (lambda a, r=r: distance(r, a))
            source[r] = min(way, key=far)  # the first met of equally near ones
    return source


def parent_to_children(i, parent, label):
    """The label of ``i`` after P2C: its own, or that of its leader."""
    return parent_to_children(parent[i], parent, label) if label[i] is None else label[i]


def three_stages(parent, delta, population, roots, given, distance=None):
    """All labels, and for every root the root it took its label from."""
    n = len(parent)
    W = [population[i] / delta[i] if delta[i] > 0 else 1.0 for i in range(n)]
    label = [children_to_parent(i, parent, roots, W, given) for i in range(n)]
    source = root_to_root(roots, parent, label, distance)
    top = roots[0]
    label[top] = label[source[top]]
    borrowed = {r: label[source[r]] for r in roots}
    label = [borrowed.get(i, label[i]) for i in range(n)]
    return np.array([parent_to_children(i, parent, label) for i in range(n)]), source


def kernel_ridge(rows, targets, others, half_life=np.inf):
    """Return the predictions of ridge regression with the kernel exp(-d² / columns), ridge 1."""
    columns = len(rows[0])

    def kernel(a, b):
        return np.exp(-sum((p - q) ** 2 for p, q in zip(a, b, strict=True)) / columns)

    system = np.array([[kernel(a, b) for b in rows] for a in rows])
    for k in range(len(rows)):
        # The last row counts 1; a row that counts half has twice the ridge.
        system[k, k] += 1.0 / 0.5 ** ((len(rows) - 1 - k) / half_life)
    coefficients = np.linalg.solve(system, targets)
    return [sum(c * kernel(a, b) for c, b in zip(coefficients, rows, strict=True)) for a in others]
