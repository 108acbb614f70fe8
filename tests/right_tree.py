"""What "the same tree" means where distances tie or come from different summations."""

import numpy as np


def check_right_tree(tree, D, e=1e-9):
    """Check a tree over nodes with distances ``D``: every leader is a nearest denser node.

    Accepts every honest float64 build; catches a second-nearest leader or float32 densities.
    """
    rho, delta, parent = tree.density, tree.delta, tree.parent
    n = len(rho)
    assert D.shape == (n, n)
    (root,) = np.flatnonzero(parent < 0)
    assert parent[root] == -1
    assert rho[root] >= rho.max() * (1 - e)
    assert_all_reach(root, parent)
    led = np.flatnonzero(parent >= 0)
    p = parent[led]
    assert (rho[p] >= rho[led] * (1 - e)).all()
    denser = rho[None, :] > rho[led, None] * (1 + e)
    nearest = np.where(denser, D[led], np.inf).min(axis=1, initial=np.inf)
    assert (D[led, p] <= (1 + e) * nearest).all()
    np.testing.assert_allclose(delta[led], D[led, p], rtol=1e-9, atol=0)
    np.testing.assert_allclose(delta[root], np.delete(D[root], root).max(), rtol=1e-9, atol=0)


def assert_all_reach(root, parent):
    """Follow all leaders at once: after at most n steps everybody is at the root."""
    at = np.arange(len(parent))
    for _ in range(len(parent)):
        at = np.where(at == root, root, parent[at])
    assert (at == root).all()


def clear_of_ties(rho, D, e=1e-9):
    """Nodes whose leader is certain: no node nearly as dense, no candidate nearly as near."""
    n = len(rho)
    clear = []
    for i in range(n):
        others = np.delete(np.arange(n), i)
        if (np.abs(rho[others] - rho[i]) <= e * rho[i]).any():
            continue
        far = np.sort(D[i, others[rho[others] > rho[i]]])
        if len(far) < 2 or far[1] > far[0] * (1 + e):
            clear.append(i)
    return np.array(clear, dtype=int)
