"""The exact solver's slow twins: dense matrices, brute force, extended precision.

Trees are plain lists here, labels are arrays of shape (n, K), ``count`` says how many labels each
node was given, and nothing of the library is used.
"""

import mpmath
import numpy as np


def link_weights(parent, delta, population, roots, coupling=1.0, scale=None):
    """Weight of every node's link to its leader: mean delta over delta, or a self-tuned kernel."""
    linked = [i for i in range(len(parent)) if parent[i] >= 0]
    mean = sum(delta[i] for i in linked) / max(len(linked), 1)
    W = np.zeros(len(parent))
    for i in linked:
        kernel = mean / delta[i]
        if scale is not None:
            kernel = max(np.exp(-2 * delta[i] ** 2 / (scale[i] * scale[parent[i]])), 1e-12)
        W[i] = population[i] * kernel * (coupling if i in roots else 1.0)
    return W


def system(parent, W, count, mu, pull=0.0):
    """The matrix of the normal equations; given labels count 2 mu, or nothing where mu is inf."""
    n = len(parent)
    A = np.zeros((n, n), dtype=object if isinstance(W[0], mpmath.mpf) else float)
    for i, p in enumerate(parent):
        if p >= 0:
            A[i, i] += W[i]
            A[p, p] += W[i]
            A[i, p] -= W[i]
            A[p, i] -= W[i]
    for i in range(n):
        A[i, i] += pull * A[i, i] + (2 * mu * count[i] if np.isfinite(float(mu)) else 0)
    return A


def operator(parent, W, count, mu, pull=0.0):
    """The matrix that makes all labels from the given ones, (n, n): 0 in columns not given."""
    count = np.asarray(count, dtype=float)
    A = system(parent, W, count, mu, pull)
    if np.isfinite(mu):
        return np.linalg.inv(A) * (2 * mu * count)
    kept, free = np.flatnonzero(count > 0), np.flatnonzero(count == 0)
    made = np.zeros_like(A)
    made[kept, kept] = 1.0
    made[np.ix_(free, kept)] = -np.linalg.solve(A[np.ix_(free, free)], A[np.ix_(free, kept)])
    return made


def covariance(parent, W, count, mu, pull=0.0):
    """The covariance of all labels in units of sigma^2: the inverse, 0 where labels are kept."""
    A = system(parent, W, count, mu, pull)
    free = np.flatnonzero(np.asarray(count) == 0) if np.isinf(mu) else np.arange(len(A))
    C = np.zeros_like(A)
    C[np.ix_(free, free)] = np.linalg.inv(A[np.ix_(free, free)])
    return C


def without(count, i):
    """The counts with the labels of node ``i`` taken away."""
    return [0 if j == i else c for j, c in enumerate(count)]


def leave_one_out(solve, count, K):
    """``solve(count)`` with every given label deleted in turn; NaN where it was the only one."""
    found = np.full((len(count), K), np.nan)
    for i in np.flatnonzero(np.asarray(count) > 0):
        if sum(c > 0 for c in count) > 1:
            found[i] = solve(without(count, i))[i]
    return found


def scale(parent, W, count, mu, Y, left_out, pull=0.0):
    """Sigma^2: the mean square of a given label's distance from what all others say of it.

    In units of the variance of what they say, and of its own noise.
    """
    ratios = []
    for i in np.flatnonzero(np.asarray(count) > 0):
        said = covariance(parent, W, without(count, i), mu, pull)[i, i]
        noise = 1 / (2 * mu * count[i]) if np.isfinite(mu) else 0.0
        ratios.append((Y[i] - left_out[i]) ** 2 / (said + noise))
    return np.mean(ratios, axis=0)


def root_of(i, parent, roots):
    """Follow the leaders up to the root of the tree of ``i``."""
    while i not in roots:
        i = parent[i]
    return i


def cut_labels(parent, W, roots, count, mu, Y, distance=None, pull=0.0):
    """The rule for trees that are not coupled, from its words; ``roots`` in gamma order.

    Labelled trees solve alone; a tree without labels takes the label of its root's leader, an
    unlabelled top that of the nearest labelled root (of the first one, without distances).
    """
    n = len(parent)
    tree = [root_of(i, parent, roots) for i in range(n)]
    labelled = [r for r in roots if any(count[i] > 0 for i in range(n) if tree[i] == r)]
    L = np.full(Y.shape, np.nan)
    for r in labelled:
        own = [i for i in range(n) if tree[i] == r]
        place = {i: k for k, i in enumerate(own)}
        above = [-1 if i == r else place[parent[i]] for i in own]
        L[own] = operator(above, W[own], [count[i] for i in own], mu, pull) @ Y[own]
    far = (lambda r: 0) if distance is None else (lambda r: distance(roots[0], r))
    lender = min(labelled, key=far)

    def label(i):
        if tree[i] in labelled:
            return L[i]
        return L[lender] if tree[i] == roots[0] else label(parent[tree[i]])

    return np.array([label(i) for i in range(n)])


def exactly(parent, delta, population, roots, coupling, count, mu, Y):
    """Labels and variances (in units of sigma^2) with 50 digits, as lists of mpmath numbers."""
    with mpmath.workdps(50):
        linked = [i for i in range(len(parent)) if parent[i] >= 0]
        mean = mpmath.fsum(mpmath.mpf(delta[i]) for i in linked) / len(linked)
        W = [mean / mpmath.mpf(d) * population[i] for i, d in enumerate(delta)]
        W = [w * mpmath.mpf(coupling) if i in roots else w for i, w in enumerate(W)]
        A = mpmath.matrix(system(parent, W, count, mpmath.mpf(mu)).tolist())
        g = [2 * mpmath.mpf(mu) * c for c in count]
        b = mpmath.matrix([[g[i] * mpmath.mpf(float(y)) for y in Y[i]] for i in range(len(Y))])
        inverse = A**-1
        return (inverse * b).tolist(), [inverse[i, i] for i in range(len(parent))]


def recurrences(parent, W, g, Y, dtype=np.longdouble):
    """The two passes as the design writes them, one number at a time; ``parent[i] < i``.

    ``g`` is the weight of every node's own label, infinite where it is kept. Gives labels and
    precisions, and the labels without their own.
    """
    n = len(parent)
    W, g, Y = (np.asarray(v, dtype=dtype) for v in (W, g, Y))
    zeros = [np.zeros(n, dtype=dtype) for _ in range(10)]
    A, B, R, Rb, u, ub, s, sb, m, mb = zeros
    for i in range(n - 1, 0, -1):
        p = parent[i]
        if np.isinf(g[i]):
            u[i], ub[i] = W[i], W[i] * Y[i]
        else:
            a, b = A[i] + g[i], B[i] + g[i] * Y[i]
            if a > 0:
                u[i], ub[i] = W[i] * a / (a + W[i]), W[i] * b / (a + W[i])
        s[i], sb[i] = A[p], B[p]
        A[p] += u[i]
        B[p] += ub[i]
    for i in range(1, n):
        p = parent[i]
        if np.isinf(g[p]):
            m[i], mb[i] = W[i], W[i] * Y[p]
        else:
            q, qb = s[i] + R[p] + m[p] + g[p], sb[i] + Rb[p] + mb[p] + g[p] * Y[p]
            if q > 0:
                m[i], mb[i] = W[i] * q / (q + W[i]), W[i] * qb / (q + W[i])
        R[p] += u[i]
        Rb[p] += ub[i]
    kept = np.isinf(g)
    own = np.where(kept, 0, g)
    with np.errstate(invalid="ignore", divide="ignore"):
        labels = np.where(kept, Y, (B + mb + own * Y) / (A + m + own))
        left_out = np.where(g > 0, (B + mb) / (A + m), np.nan)
    return labels, np.where(kept, np.inf, A + m + own), left_out
