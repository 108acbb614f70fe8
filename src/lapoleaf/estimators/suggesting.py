"""Which rows to label next: what a model is unsure of, and how many rows an answer would settle."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from lapoleaf._forest import LeadingForest
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._propagation import Propagation
from lapoleaf._propagation.suggesting import Aim, Target, suggest_nodes
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.growing import GrowingEstimator

# Variance of a label, in units of one over the mean degree, for covering the data: a single label
# says little of those around it, so that the middle of many is better than what is far from all.
_COVER_NOISE = 7.0
# With labels nothing is infinitely unsure: this only keeps trees without any from dividing by 0.
_LEAST_PULL = 1e-9
# Nobody is without any doubt.
_LEAST_DOUBT = 1e-3
# A point that is far from all others is asked for as if it were so many times as unsure as others.
_MOST_UNSURE = 20.0
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
        aim = covering(options["weights"][0])
        target = Target(np.zeros(tree.n_nodes), tree.population, aim)
        nodes = suggest_nodes(forests, [target], n, threads=threads, verbose=self.verbose)
        found: IntArray = np.unique(tree.node_of, return_index=True)[1][nodes]
        return found

    def _to_cover(self) -> Target:
        """Say what the first labels are for."""
        aim = covering(self._options()["weights"][0])
        return Target(np.zeros(self.tree_.n_nodes), self.tree_.population, aim)

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


def covering(weights: str) -> Aim:
    """Give the aim of labels that cover the data."""
    return Aim(cover=True, weights=weights, noise=_COVER_NOISE)


def surer_numbers(weights: str, coupling: float, mu: float) -> Aim:
    """Give the aim of labels that make all numbers surer, as the exact solver has them.

    Parameters
    ----------
    weights, coupling, mu
        The settings that the numbers were propagated with.
    """
    return Aim(False, weights, coupling, pull=_LEAST_PULL, mu=mu)


def bounded_concern(population: FloatArray, precision: FloatArray) -> FloatArray:
    """Give how much the number of every node matters: its population, less if it is an outlier.

    Without a bound the variance of a few points that nothing bears on would be all that counts.

    Parameters
    ----------
    population, precision : ndarray of shape (n,)
        Weight and inverse variance of every node.
    """
    unsure = np.isfinite(precision)
    if not unsure.any():
        return population
    with np.errstate(divide="ignore"):
        excess = np.median(1.0 / precision[unsure]) * precision * _MOST_UNSURE
    concern: FloatArray = population * np.where(unsure, np.minimum(excess, 1.0), 1.0)
    return concern


def unsureness(distributions: FloatArray) -> FloatArray:
    """Give how near the two most probable classes of every node are: 1 if level.

    Parameters
    ----------
    distributions : ndarray of shape (n, K)
        Probabilities of the classes. With one class there is nothing to tell it from: 1.
    """
    if distributions.shape[1] < 2:
        return np.ones(len(distributions))
    second, first = np.sort(distributions, axis=1)[:, -2:].T
    unsure: FloatArray = np.maximum(1.0 - (first - second), _LEAST_DOUBT)
    return unsure


def check_n(n: Any) -> int:
    """Give ``n`` as a number of rows, or say what is wrong with it."""
    if not is_whole(n) or n < 1:
        shown = repr(n) if np.ndim(n) == 0 else f"an array of shape {np.shape(n)}"
        raise ValueError(
            f"n={shown} must be a whole number of rows to suggest, at least 1; the rows to choose "
            f"from are given by X=..."
        )
    return int(n)
