"""Rules for the number of clusters and the links to cut, one class each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from lapoleaf._forest import LeadingForest, lodog
from lapoleaf._forest.gap import gap_number
from lapoleaf._forest.stability import first_roots, separating_medians, stable_number
from lapoleaf._tree import Trees
from lapoleaf._typing import FloatArray
from lapoleaf.estimators.rows import Cut


class ClusterCut(ABC):
    """A rule that cuts a tree into clusters.

    Attributes
    ----------
    needs_peaks, needs_random_trees : bool
        Whether the rule needs the peaks of a density of neighbours, and random trees.
    """

    needs_peaks: ClassVar[bool] = False
    needs_random_trees: ClassVar[bool] = False

    @abstractmethod
    def forest(self, trees: Trees, cut: Cut) -> LeadingForest:
        """Return the tree cut into clusters, into ``cut.n_trees`` of them if given."""


class ObjectiveCut(ClusterCut):
    """The paper's rule: a trade-off between compact clusters and few clusters."""

    def forest(self, trees: Trees, cut: Cut) -> LeadingForest:
        """Return the plain tree, cut by :func:`lapoleaf.lodog`."""
        return cut.of(trees.plain[0])


class GapCut(ClusterCut):
    """Centres are the nodes above the largest gap of gamma."""

    def forest(self, trees: Trees, cut: Cut) -> LeadingForest:
        """Return the plain tree, cut above the nodes of largest gamma."""
        tree = trees.plain[0]
        return lodog(tree, n_trees=gap_number(tree) if cut.n_trees is None else cut.n_trees)


class StabilityCut(ClusterCut):
    """Cut the links that most random trees cut, at the most persistent number of clusters."""

    needs_peaks, needs_random_trees = True, True

    def forest(self, trees: Trees, cut: Cut) -> LeadingForest:
        """Return the tree of the density of neighbours, cut where random trees agree."""
        if trees.peaks is None:
            return LeadingForest(trees.plain[0], np.array([trees.plain[0].root]))
        tree = trees.peaks.tree
        medians = separating_medians(tree, trees.random)
        number = stable_number(medians) if cut.n_trees is None else cut.n_trees
        return LeadingForest(tree, first_roots(tree, medians, number))


class ProminenceCut(ClusterCut):
    """Clusters are the peaks of the density whose prominence exceeds its error."""

    needs_peaks = True

    def forest(self, trees: Trees, cut: Cut) -> LeadingForest:
        """Return the tree of the density of neighbours, cut above its peaks."""
        if trees.peaks is None:
            return LeadingForest(trees.plain[0], np.array([trees.plain[0].root]))
        tree, prominence, threshold = trees.peaks
        number = cut.n_trees
        if number is None:
            number = int(np.count_nonzero(prominence > threshold))
        lowest: FloatArray = -prominence
        return LeadingForest(tree, first_roots(tree, lowest, number))


CLUSTER_CUTS: Mapping[str, ClusterCut] = {
    "prominence": ProminenceCut(),
    "objective": ObjectiveCut(),
    "gap": GapCut(),
    "stability": StabilityCut(),
}
