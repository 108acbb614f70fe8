"""Slow twins: the matrix of a field, its inverse, and how much a label gains by each criterion."""

import numpy as np
from propagation.exact_twins import link_weights

from lapoleaf import LeadingForest, LeadingTree
from lapoleaf._propagation.exact import ExactSolver


def chain(n, **arrays):
    return LeadingTree(
        density=np.arange(n, 0, -1), delta=[9] + [1] * (n - 1), parent=np.arange(n) - 1, **arrays
    )


def random_forest(rng, n, population=None, cut=False):
    """A forest whose nodes are not in the order of their densities."""
    rank = rng.permutation(n)
    order = np.argsort(rank)
    parent = np.full(n, -1)
    for place in range(1, n):
        parent[order[place]] = order[rng.integers(place)]
    tree = LeadingTree(
        density=n - rank, delta=rng.uniform(0.1, 2, n), parent=parent, population=population
    )
    others = rng.permutation(np.flatnonzero(parent >= 0))[: n // 5 if cut else 0]
    return LeadingForest(tree, np.append(tree.root, others))


class DenseField:
    """The precision matrix of a forest's labels, given some of them."""

    def __init__(self, forest, count, model, row_weight=None):
        tree = forest.tree
        self.model, self.mu = model, model.settings.mu
        self.unit = tree.population.mean()
        self.row_weight = np.ones(tree.n_nodes) if row_weight is None else row_weight
        coupling = model.settings.coupling
        W = link_weights(
            tree.parent.tolist(), tree.delta, tree.population, set(forest.roots), coupling
        )
        W /= self.unit
        A = np.zeros((tree.n_nodes, tree.n_nodes))
        for i, p in enumerate(tree.parent):
            if p >= 0:
                A[[i, p], [i, p]] += W[i]
                A[[i, p], [p, i]] -= W[i]
        self.degree = np.diag(A).copy()
        self.pull = model.pull * self.degree.mean() * tree.population / self.unit
        A[np.diag_indices(tree.n_nodes)] += self.pull
        self.A = A
        for node in np.flatnonzero(count):
            self.add_label(node, count[node])

    def weight(self, node, times=None):
        """The weight of a label."""
        if np.isinf(self.mu):
            return 1e9 * (self.degree + self.pull)[node]
        return 2 * self.mu * (self.row_weight[node] if times is None else times) / self.unit

    def noise(self, node):
        """The variance of a label."""
        noise = self.model.noise / self.degree.mean()
        return noise + (1 / self.weight(node) if np.isfinite(self.mu) else 0.0)

    def add_label(self, node, times=None):
        self.A[node, node] += self.weight(node, times)

    def conditioned(self):
        """The covariances, and for every node those that its label would leave."""
        C = np.linalg.inv(self.A)
        return C, [C - np.outer(C[v], C[v]) / (C[v, v] + self.noise(v)) for v in range(len(C))]


def taken_from_sum(field, concern):
    """What a label takes from the variance of the sum."""
    C, conditioned = field.conditioned()
    return np.array([concern @ C @ concern - concern @ after @ concern for after in conditioned])


def dense_coverage(field, concern, candidates):
    """The same, in shares of the best candidate's."""
    gains = taken_from_sum(field, concern)
    return gains / gains[candidates].max()


def dense_variance_reduction(field, concern, candidates):
    """What a label takes from the sum of the variances."""
    C, conditioned = field.conditioned()
    return np.array([concern @ (np.diag(C) - np.diag(after)) for after in conditioned])


def numpy_field(forest, model, count, concern):
    """The arrays of a field, from the exact solver and whole arrays."""
    solver = ExactSolver.on(forest, count, model.settings)
    population, unit = forest.tree.population[solver.order], forest.tree.population.mean()
    weight = solver.weight / unit
    degree = weight + np.bincount(solver.parent[1:], weight[1:], len(weight))
    pull = model.pull * degree.mean() * population / unit
    clamp = 1e9 * (degree + pull)
    mass = pull + np.where(solver.clamped, clamp, solver.count / unit)
    return solver.parent, weight, mass, concern[solver.order]


def sorted_best_of_stretches(walk, gains, n):
    """The best place of every stretch, by sorting."""
    group = np.empty(len(walk), dtype=np.int64)
    group[np.argsort(walk)] = np.arange(len(walk)) * n // len(walk)
    ranked = np.lexsort((np.arange(len(walk)), -gains, group))
    return np.sort(ranked[np.unique(group[ranked], return_index=True)[1]])
