"""Small random forests from a user's own arrays, with labels and settings of the exact solver."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from propagation import exact_twins as twins

from lapoleaf import LeadingForest, LeadingTree, propagate

SOME = {"max_examples": 60, "deadline": None}


@dataclass(frozen=True)
class Case:
    """A forest, labels and settings, for the library and for its twins."""

    forest: LeadingForest
    count: np.ndarray
    Y: np.ndarray
    mu: float = np.inf
    coupling: float = 1.0
    pull: float = 0.0
    weights: str = "inverse"

    @property
    def settings(self):
        names = ("mu", "coupling", "pull", "weights")
        return {name: getattr(self, name) for name in names}

    def propagate(self, **settings):
        return propagate(self.forest, self.Y, self.count, **{**self.settings, **settings})

    def changed(self, **values):
        return replace(self, **values)

    @property
    def parent(self):
        return self.forest.tree.parent.tolist()

    @property
    def roots(self):
        return self.forest.roots.tolist()

    @property
    def W(self):
        tree = self.forest.tree
        scale = tree.scale if self.weights == "self-tuned" else None
        return twins.link_weights(
            self.parent, tree.delta, tree.population, self.roots, self.coupling, scale
        )

    def operator(self, count=None):
        count = self.count if count is None else count
        return twins.operator(self.parent, self.W, count, self.mu, self.pull)

    def covariance(self):
        return twins.covariance(self.parent, self.W, self.count, self.mu, self.pull)

    def left_out(self):
        solve = lambda count: self.operator(count) @ self.Y  # noqa: E731
        return twins.leave_one_out(solve, self.count.tolist(), self.Y.shape[1])


def tree_of(seed, n, *, chain=0.5, spread=1.0, ties=False):
    """A tree from arrays; ``chain`` says how often the leader is the one just ahead."""
    rng = np.random.default_rng(seed)
    density = rng.integers(0, 4, n) if ties else rng.permutation(n)
    order = np.lexsort((np.arange(n), -density))
    parent = np.full(n, -1)
    for place in range(1, n):
        near = rng.random() < chain
        parent[order[place]] = order[place - 1 if near else rng.integers(place)]
    return LeadingTree(
        density=density,
        delta=10.0 ** rng.uniform(-spread / 2, spread / 2, n),
        parent=parent,
        population=rng.integers(1, 4, n),
        scale=rng.uniform(2.0, 4.0, n),
    )


@st.composite
def cases(draw, max_nodes=14, pulls=(0.0, 0.0, 0.02, 0.5), couplings=(1.0, 0.4, 0.01)):
    """A forest with labels; well-conditioned, so that a dense solve is a good reference."""
    n = draw(st.integers(2, max_nodes))
    seed = draw(st.integers(0, 2**32 - 1))
    tree = tree_of(seed, n, chain=draw(st.sampled_from([0.0, 0.5, 1.0])), ties=draw(st.booleans()))
    roots = {tree.root} | draw(st.sets(st.integers(0, n - 1), max_size=n // 2))
    count = np.array(draw(st.lists(st.sampled_from([0, 0, 1, 1, 3]), min_size=n, max_size=n)))
    count[draw(st.integers(0, n - 1))] = draw(st.sampled_from([1, 2]))
    K = draw(st.integers(1, 4))
    return Case(
        LeadingForest(tree, sorted(roots)),
        count,
        np.random.default_rng(seed).uniform(-3, 3, (n, K)) * (count > 0)[:, None],
        mu=draw(st.sampled_from([np.inf, 0.1, 1.0, 7.5])),
        coupling=draw(st.sampled_from(couplings)),
        pull=draw(st.sampled_from(pulls)),
        weights=draw(st.sampled_from(["inverse", "self-tuned"])),
    )
