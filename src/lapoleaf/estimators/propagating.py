"""What classifier and regressor share: choosing, propagating, explaining, changing labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from lapoleaf._forest import LeadingForest, lodog
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._points import Points
from lapoleaf._propagation import Propagation, Settings
from lapoleaf._propagation.ensemble import mean_shares, propagate_ensemble
from lapoleaf._propagation.solve import check_settings
from lapoleaf._tree import LeadingTree, Trees, leaders_of_rows, nearest_nodes
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.base import ForestEstimator, rows_outside
from lapoleaf.estimators.choosing import CANDIDATES, MANY_MU, Choice, Chooser, Problem
from lapoleaf.estimators.explanation import Explanation, shares_of_rows, way_up
from lapoleaf.estimators.voting import N_VOTERS, Voters, voters

# As many forests as rows times forests stay below a million, within these bounds.
_FEWEST_FORESTS, _MOST_FORESTS, _MOST_NODES = 10, 100, 1_000_000
# Nodes that count less than this among those that answer for a row are not explained.
_LEAST_SHARE = 0.01


class Answer(NamedTuple):
    """What is said of a row.

    Attributes
    ----------
    label : object
        A class or a number.
    confidence : float or None
        Probability of the class.
    kept : bool
        Whether the labels given to the row's node are kept: they alone decide.
    said_by : dict
        What the parts would say by themselves.
    """

    label: Any
    confidence: float | None
    kept: bool
    said_by: dict[str, Any]


class PropagatingEstimator(ForestEstimator):
    """A forest, or many, in which labels are propagated."""

    n_forests: int | str
    n_trees: int | None
    random_state: Any
    ridge: str | None
    solver: str
    mu: float | str
    weights: str
    coupling: float | str
    forests_: list[LeadingForest]
    chosen_: dict[str, Any]
    _weight: FloatArray
    _problems: list[Problem]
    _results: list[Propagation]
    _errors: list[FloatArray] | None

    def _options(self) -> dict[str, Sequence[Any]]:
        """Give the candidates of every parameter that can be chosen."""
        options: dict[str, Sequence[Any]] = {}
        for name, candidates in CANDIDATES.items():
            value = getattr(self, name)
            automatic = isinstance(value, str) and value == "auto"
            if automatic and self.solver != "exact" and name != "mu":
                raise ValueError(
                    f"{name}='auto' is chosen by leave-one-out, which only solver='exact' gives; "
                    f"set {name}, or use solver='exact'."
                )
            options[name] = candidates if automatic else (value,)
        if self.solver != "exact":
            options["mu"] = options["mu"][:1]
        for mu in options["mu"]:
            for weights in options["weights"]:
                for coupling in options["coupling"]:
                    check_settings(Settings(self.solver, mu, weights, coupling))
        if self.bandwidth is not None:
            options["percent"] = options["percent"][:1]
        return options

    def _fit_labels(
        self,
        rows: Any,
        weight: FloatArray,
        make_problems: Callable[[LeadingTree], list[Problem]],
        bandwidth: float | None = None,
    ) -> None:
        """Grow the trees, choose, propagate, and keep what was chosen."""
        self._check_parts()
        options = self._options()
        if bandwidth is not None:
            options["percent"] = options["percent"][:1]
        grown = self._grow_all(rows, weight, options["percent"], bandwidth)
        n_random = len(grown.random)
        trees = dict(zip(options["percent"], grown.plain, strict=True))

        def cut(percent: Any, alpha: Any) -> LeadingForest:
            return lodog(trees[percent], alpha=alpha, cost=self.cost, n_trees=self.n_trees)

        problems = make_problems(grown.plain[0])
        if n_random:
            options["mu"] = options["mu"][:1]
        choice = Chooser(problems, cut).choose(self.solver, options)
        self._keep_forest(choice.forest, rows_outside(rows, choice.forest.tree))
        others = [LeadingForest(tree, np.array([tree.root])) for tree in grown.random]
        self.forests_ = [choice.forest, *others]
        self._keep_choice(problems, choice)

    def _grow_all(
        self, rows: Any, weight: FloatArray, percents: Sequence[Any], bandwidth: float | None
    ) -> Trees:
        """Grow plain trees and as many random ones as there are to be."""
        n_random = self._number_of_forests(rows.shape[0]) - 1
        seed = self._seed() if n_random else 0
        return self._grow(rows, weight, percents, n_random, seed, bandwidth)

    def _fixed_choices(self) -> dict[str, Any]:
        """Give what was chosen for the trees and their cut."""
        return {name: self.chosen_[name] for name in ("percent", "alpha")}

    def _propagate_again(self, problems: list[Problem]) -> None:
        """Propagate other labels in the same forest; what does not touch it is chosen anew."""
        self._check_parts()
        if len(self.forests_) > 1 and self.solver != "exact":
            raise ValueError(
                f"solver={self.solver!r} is for one forest, and this model has "
                f"{len(self.forests_)}: use solver='exact', or fit again."
            )
        options = self._options()
        for name, value in self._fixed_choices().items():
            options[name] = (value,)
        if len(self.forests_) > 1:
            options["mu"] = options["mu"][:1]
        choice = Chooser(problems, lambda *_: self.forest_).choose(self.solver, options)
        self._keep_choice(problems, choice)

    def _keep_choice(self, problems: list[Problem], choice: Choice) -> None:
        self._problems, self._results, self.chosen_ = problems, choice.results, choice.values
        self._errors = choice.errors

    def _check_parts(self) -> None:
        """Raise for parts that do not go together."""
        n_forests: Any = self.n_forests
        if not isinstance(n_forests, str) or n_forests != "auto":
            if not is_whole(n_forests) or n_forests < 1:
                raise ValueError(
                    f"n_forests={n_forests!r} must be a whole number of at least 1, or 'auto'."
                )
            if n_forests > 1 and self.solver != "exact":
                raise ValueError(
                    f"n_forests={n_forests} needs solver='exact': the three stages are for "
                    f"one forest."
                )
        if self.ridge is not None and self.ridge != "auto":
            raise ValueError(
                f"ridge={self.ridge!r} must be 'auto', as far as leave-one-out says it helps, or "
                f"None."
            )

    def _seed(self) -> int:
        try:
            return int(check_random_state(self.random_state).randint(2**31))
        except ValueError as error:
            raise ValueError(
                f"random_state={self.random_state!r} must be a whole number from 0 to 2**32 - 1, "
                f"a RandomState, or None."
            ) from error

    def _number_of_forests(self, n_rows: int) -> int:
        if self.solver != "exact":
            return 1
        if isinstance(self.n_forests, str):
            return int(np.clip(_MOST_NODES // n_rows, _FEWEST_FORESTS, _MOST_FORESTS))
        return int(self.n_forests)

    def _candidates_of_mu(self) -> tuple[float, ...]:
        """Give the weights of given labels to try, the usual first; one forest has its own."""
        if len(self.forests_) == 1:
            return (self._results[0].settings.mu,)
        return MANY_MU if isinstance(self.mu, str) else (float(self.mu),)

    def _in_all_forests(self, which: int, mu: float) -> Propagation:
        """Propagate one problem in all forests; with one forest that was done already."""
        if len(self.forests_) == 1:
            return self._results[which]
        problem = self._problems[which]
        settings = replace(self._results[which].settings, mu=mu)
        return propagate_ensemble(
            self.forests_, problem.labels, problem.count, settings, n_threads(self.n_jobs)
        )

    @property
    def _points(self) -> Points:
        """What can measure the nodes: an estimator's tree is always built from data."""
        return cast(Points, self.tree_.points)

    def _voters(self, rows: Any) -> Voters:
        """Give the nodes that answer for new rows: their leaders, or those around them."""
        threads = n_threads(self.n_jobs)
        if len(self.forests_) == 1:
            return Voters.alone(*leaders_of_rows(self.tree_, rows, threads, self.verbose))
        near = nearest_nodes(self.tree_, rows, N_VOTERS, threads, self.verbose)
        return voters(self.tree_, *near)

    def _left_out_and_voters(self) -> tuple[Any, Voters]:
        """Give the rows that are in no node, and who answers for them."""
        if self._left_out is not None:
            return self._left_out, self._voters(self._left_out)
        # Files of version 1 do not hold these rows, only who leads them.
        if self.ridge is not None or len(self.forests_) > 1:
            raise ValueError(
                "The rows of weight 0 are not in this model, which an older lapoleaf saved: use "
                "ridge=None, or fit again."
            )
        outside = self.tree_.node_of < 0
        return None, Voters.alone(self._nodes[outside], self._distances[outside])

    def _rows_of_ids(self, ids: Any) -> IntArray:
        """Give the rows with the given ids."""
        check_is_fitted(self)
        wanted = np.atleast_1d(np.asarray(ids))
        unknown = ~np.isin(wanted, self.ids_)
        if wanted.ndim != 1 or unknown.any():
            name = wanted[unknown][0] if wanted.ndim == 1 else ids
            raise ValueError(f"ids holds {name!r}, which is no id of a row: see ids_.")
        if len(np.unique(wanted)) < len(wanted):
            raise ValueError("ids names a row twice: give each id once.")
        return np.searchsorted(self.ids_, wanted)

    def _answering(self, row: Any) -> tuple[int, Any, Voters]:
        """Give number (-1 if new), the row itself if new, and who answers for it."""
        check_is_fitted(self)
        if np.ndim(row) > 0 or sp.issparse(row):
            new = row if sp.issparse(row) or np.ndim(row) == 2 else np.asarray(row).reshape(1, -1)
            rows = self._checked_rows(new, reset=False)
            if rows.shape[0] != 1:
                raise ValueError(f"row must be one row, got {rows.shape[0]}.")
            return -1, rows, self._voters(rows)
        if not is_whole(row) or not 0 <= row < self.tree_.n_rows:
            raise ValueError(
                f"row={row!r} must be the number of a training row, from 0 to "
                f"{self.tree_.n_rows - 1}, or a new row."
            )
        if self.tree_.node_of[row] >= 0 or self._left_out is None:
            here = slice(int(row), int(row) + 1)
            return int(row), None, Voters.alone(self._nodes[here], self._distances[here])
        place = int(np.searchsorted(np.flatnonzero(self.tree_.node_of < 0), row))
        rows = self._left_out[place : place + 1]
        return int(row), rows, self._voters(rows)

    def _explanation(
        self,
        row: Any,
        problem: int,
        given_weight: FloatArray,
        answer_of: Callable[[Any, Voters], Answer],
        given_label: Callable[[int], Any],
    ) -> Explanation:
        """Explain a row by one propagation.

        ``given_weight`` is the weight of every row with a given label, 0 for the others;
        ``answer_of`` gives the answer for a row, None if it is in the tree, and those who answer
        for it; ``given_label`` the given label of a row.
        """
        number, new, answering = self._answering(row)
        result = self._results[problem]
        answer = answer_of(new, answering)
        shares = self._shares(problem, answering)
        if answer.kept:
            shares = (np.arange(len(shares)) == answering.nodes[0, 0]).astype(np.float64)
        deciders, split = shares_of_rows(shares, self.tree_.node_of, given_weight)
        # The way up is that of the plain forest, from the node that counts most.
        most = int(answering.weights[0].argmax())
        node, distance = int(answering.nodes[0, most]), float(answering.distances[0, most])
        path, layers, steps = way_up(self.forest_, node, self._first_rows(), number, distance)
        tree = int(self.forest_.tree_of[node])
        lender = int(result.lender[result.lender[tree]])
        lender_row = int(self._first_rows()[self.forest_.roots[lender]])
        return Explanation(
            row=None if number < 0 else number,
            label=answer.label,
            confidence=answer.confidence,
            path=path,
            layers=layers,
            distances=steps,
            deciders=deciders,
            shares=split,
            decider_labels=[given_label(int(decider)) for decider in deciders],
            borrowed_from=None if lender == tree else lender_row,
            said_by=answer.said_by,
        )

    def _shares(self, problem: int, answering: Voters) -> FloatArray:
        """Give the shares of given labels of nodes in what the forests say of a row."""
        count, result = self._problems[problem].count, self._results[problem]
        shares = np.zeros(self.tree_.n_nodes)
        for node, weight in zip(answering.nodes[0], answering.weights[0], strict=True):
            if weight >= _LEAST_SHARE:
                shares += weight * mean_shares(self.forests_, count, result, int(node))
        total: FloatArray = shares / shares.sum()
        return total
