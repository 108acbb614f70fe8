"""Labels as a Gaussian field on a forest, conditional on the known ones.

The precision matrix of the field is that of the exact solver, plus a pull of every node to zero, so
that variances exist before there is any label. In a tree, sums over all covariances of a node take
two passes for all nodes at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._propagation.exact import link_weights
from lapoleaf._propagation.forest_stack import own_weights
from lapoleaf._propagation.result import Settings
from lapoleaf._queries import covariance_kernels as kernels
from lapoleaf._typing import FloatArray, IntArray

# Factor by which a clamped label outweighs everything else at its node.
_CLAMP_FACTOR = 1e9


@dataclass(frozen=True)
class LabelModel:
    """Gaussian model of the labels of a forest.

    Attributes
    ----------
    settings : Settings
        Weights of the links, coupling of the trees and weight ``mu`` of a label, as the exact
        solver has them.
    pull : float
        Weight of the pull of every row to zero, in mean degrees: the larger, the less a label
        reveals of distant nodes.
    noise : float, default=0
        Variance of a label besides that of its weight, in units of one over the mean degree.
    """

    settings: Settings
    pull: float
    noise: float = 0.0


@dataclass(frozen=True, eq=False)
class Field:
    """A forest in density order, with its known labels and the candidates.

    Attributes
    ----------
    parent : ndarray of shape (n,)
        Place of every node's parent, -1 for the first.
    weight : ndarray of shape (n,)
        Weight of the link to the parent.
    mass : ndarray of shape (n,)
        Weight of a node's own label and of its pull to zero.
    linear, square, cross : ndarray of shape (n,)
        Concern for every label, for the square of its covariance with a candidate, and for the
        product of that with its parent's; the last two differ from the first by thinning.
    place : ndarray of shape (m,)
        Places of the candidates.
    label : ndarray of shape (m,)
        Weight of a label of each candidate; 0 for those that have one already.
    noise : ndarray of shape (m,)
        Variance of a label of each candidate.
    """

    parent: IntArray
    weight: FloatArray
    mass: FloatArray
    linear: FloatArray
    square: FloatArray
    cross: FloatArray
    place: IntArray
    label: FloatArray
    noise: FloatArray

    @classmethod
    def on(
        cls,
        forest: LeadingForest,
        model: LabelModel,
        nodes: IntArray,
        *,
        count: FloatArray,
        concern: FloatArray,
        row_weight: FloatArray,
    ) -> Field:
        """Return the field of a forest.

        Parameters
        ----------
        forest : LeadingForest
            The forest.
        model : LabelModel
            Weights of links, labels and the pull.
        nodes : ndarray of shape (m,)
            The candidates.
        count, concern, row_weight : ndarray of shape (n_nodes,)
            Number of labels given to every node, the concern for its label, and the weight of the
            row that would be labelled.
        """
        settings, tree = model.settings, forest.tree
        strength = link_weights(tree, settings.weights)
        strength[forest.roots] *= settings.coupling
        # The units of the weights of rows cancel.
        unit = tree.population.mean()
        parent, weight, degree = kernels.field_links(
            tree.order, tree.rank, tree.parent, strength, unit
        )
        mean_degree = degree.mean() or 1.0
        mass, clamp, amount = kernels.field_masses(
            tree.order,
            tree.population,
            own_weights(count, settings.mu),
            concern,
            degree,
            unit,
            model.pull * mean_degree,
            _CLAMP_FACTOR,
        )
        place = tree.rank[nodes]
        if np.isinf(settings.mu):
            label, own_noise = clamp[place], 0.0
        else:
            label = 2.0 * settings.mu * row_weight[nodes] / unit
            own_noise = 1.0 / label
        return cls(
            parent,
            weight,
            mass=mass,
            linear=amount,
            square=amount,
            cross=np.zeros(len(parent)),
            place=place,
            label=np.where(count[nodes] > 0, 0.0, label),
            noise=own_noise + np.full(len(nodes), model.noise / mean_degree),
        )

    def with_candidates(self, which: IntArray) -> Field:
        """Return the same field with some of its candidates, as places among them."""
        return replace(
            self, place=self.place[which], label=self.label[which], noise=self.noise[which]
        )

    def thinned(self) -> Field:
        """Return the marginal field of the candidates, their branching points and the root.

        It has the same variances and sums of covariances at the candidates.
        """
        kept = np.zeros(len(self.parent), dtype=bool)
        kept[self.place] = True
        stays, parent, weight, mass, linear, square, cross = kernels.thin_tree(
            self.parent, self.weight, self.mass, self.linear, kept
        )
        number = np.cumsum(stays) - 1
        left = np.flatnonzero(stays)
        return Field(
            np.append(-1, number[parent[left[1:]]]),
            weight[left],
            mass[left],
            linear[left],
            square[left],
            cross[left],
            number[self.place],
            self.label,
            self.noise,
        )

    def covariances_with_sum(self) -> tuple[FloatArray, FloatArray]:
        """Return the candidates' variances and covariances with the sum of all labels.

        The sum is weighted by the concern for every label.
        """
        variance, covariance = kernels.covariances_with_sum(
            self.parent, self.weight, self.mass, self.linear
        )
        return variance[self.place], covariance[self.place]

    def explained_variances(self) -> tuple[FloatArray, FloatArray]:
        """Return the candidates' variances and how much of the variances of all they explain.

        The latter is the reduction of the sum of the variances, weighted by the concern for every
        label, by a label without noise.
        """
        variance, explained = kernels.explained_variances(
            self.parent, self.weight, self.mass, self.square, self.cross
        )
        return variance[self.place], explained[self.place]

    def add_label(self, which: int) -> None:
        """Add a label of a candidate, in place."""
        self.mass[self.place[which]] += self.label[which]
