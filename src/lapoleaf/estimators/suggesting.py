"""Which rows to label next: what a model is unsure of, and how many rows an answer would settle."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from lapoleaf._forest import LeadingForest
from lapoleaf._parallel import n_threads
from lapoleaf._propagation import Propagation, Settings
from lapoleaf._queries import CRITERIA, Criterion, Target, check_n, suggest_nodes
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.growing import GrowingEstimator

_NO_ROWS = (
    "This %(name)s is not fitted, so there are no rows to choose from: give them with X=, or call "
    "fit first."
)


class SuggestingEstimator(GrowingEstimator):
    """An estimator that says which rows to label next."""

    def suggest(self, n: int = 1, X: Any = None) -> IntArray:
        """Say which rows to label next, the most useful first.

        Before any label exists, rows that cover the data: each stands for many that hang together,
        the largest such group first. With labels, rows whose label is expected to tell most of what
        the forests are still unsure of: for classes, where the two best are near each other; for
        numbers, what takes most from the sum of their variances, of which a point that is far from
        all others may only make up a little. Rows are chosen one after the other, each as if those
        before it had their labels, so that a batch does not repeat itself.

        Parameters
        ----------
        n : int, default=1
            Number of rows.
        X : array-like or sparse matrix of shape (n_rows, n_columns), default=None
            The rows to choose from, for a model that is not fitted: no label is needed. A fitted
            model chooses from the rows it was fitted on.

        Returns
        -------
        ndarray of shape (m,)
            Ids of the rows, which :meth:`update_labels` takes; rows of ``X`` are numbered from 0.
            Rows that have a label, that equal one that has, or that have weight 0 are not
            suggested; if there are not enough others, there are fewer than ``n``.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0], [8.5]]
        >>> LaPOLeaFClassifier().suggest(2, X=X)
        array([2, 4])
        >>> y = [None, None, "low", None, "high", None]
        >>> LaPOLeaFClassifier().fit(X, y).suggest()
        array([0])
        """
        n = check_n(n)
        threads = n_threads(self.n_jobs)
        if X is not None:
            return self._suggest_from_rows(n, X, threads)
        check_is_fitted(self, msg=_NO_ROWS)
        rows = self._first_rows()
        nodes = suggest_nodes(
            self.forests_,
            self._targets_to_learn() if self._is_labelled else [self._to_cover()],
            n,
            row_weight=self._weight[rows],
            threads=threads,
            verbose=self.verbose,
        )
        found: IntArray = self.ids_[rows[nodes]]
        return found

    def _suggest_from_rows(self, n: int, X: Any, threads: int) -> IntArray:
        """Suggest rows before any label exists."""
        if hasattr(self, "forest_"):
            raise ValueError(
                "X is for a model that is not fitted: leave it out to choose from the rows this "
                "one was fitted on, or use sklearn.base.clone(model).suggest(n, X=X)."
            )
        # A copy looks at X, so that this model stays as it was: not fitted.
        copy = clone(self)
        copy._check_parts()
        options = copy._options()
        rows = copy._checked_rows(X, reset=True)
        n_random = copy._number_of_forests(rows.shape[0]) - 1
        seed = copy._seed() if n_random else 0
        weight = np.ones(rows.shape[0])
        grown = copy._grow(rows, weight, options["percent"][:1], n_random, seed)
        trees = [grown.plain[0], *grown.random]
        forests = [LeadingForest(tree, np.array([tree.root])) for tree in trees]
        tree = trees[0]
        criterion = covering(options["weights"][0])
        target = Target(np.zeros(tree.n_nodes), tree.population, criterion)
        nodes = suggest_nodes(forests, [target], n, threads=threads, verbose=self.verbose)
        found: IntArray = np.unique(tree.node_of, return_index=True)[1][nodes]
        return found

    def _to_cover(self) -> Target:
        """Say what the first labels are for."""
        criterion = covering(self._options()["weights"][0])
        return Target(np.zeros(self.tree_.n_nodes), self.tree_.population, criterion)

    def _targets_to_learn(self) -> list[Target]:
        """Say what more labels are for."""
        return [
            Target(problem.count, self._concern(), covering(self._link_weights(result)))
            for problem, result in zip(self._problems, self._results, strict=True)
        ]

    def _link_weights(self, result: Propagation) -> str:
        """Name the weights of links; the three stages know only one."""
        if result.settings.solver == "exact":
            return result.settings.weights
        return "self-tuned" if self.weights == "auto" else self.weights

    def _concern(self) -> FloatArray:
        """Give how much the label of every node matters."""
        return self.tree_.population


def covering(weights: str) -> Criterion:
    """Return the criterion of labels that cover the data."""
    return CRITERIA["coverage"].from_settings(Settings(weights=weights))
