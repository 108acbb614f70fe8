"""What classifier and regressor share: choosing, propagating, explaining, changing labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lapoleaf._numbers import is_whole
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.base import ForestEstimator
from lapoleaf.estimators.choosing import CANDIDATES, Choice, Chooser, Problem
from lapoleaf.estimators.explanation import Explanation, shares_of_rows, way_up
from lapoleaf.forest import LeadingForest, lodog
from lapoleaf.propagation import Propagation, Settings, label_shares
from lapoleaf.propagation.solve import check_settings
from lapoleaf.tree import LeadingTree


class PropagatingEstimator(ForestEstimator):
    """A forest on which labels are propagated."""

    n_trees: int | None
    solver: str
    mu: float | str
    weights: str
    coupling: float | str
    chosen_: dict[str, Any]
    _problems: list[Problem]
    _results: list[Propagation]
    _errors: list[FloatArray] | None

    def _options(self) -> dict[str, Sequence[Any]]:
        """Give the candidates of every parameter that can be chosen."""
        options: dict[str, Sequence[Any]] = {}
        for name, candidates in CANDIDATES.items():
            value = getattr(self, name)
            automatic = isinstance(value, str) and value == "auto"
            if automatic and self.solver != "exact":
                raise ValueError(
                    f"{name}='auto' is chosen by leave-one-out, which only solver='exact' gives; "
                    f"set {name}, or use solver='exact'."
                )
            options[name] = candidates if automatic else (value,)
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
    ) -> None:
        """Grow the trees, choose, propagate, and keep what was chosen."""
        options = self._options()
        grown = self._grow(rows, weight, options["percent"])
        trees = dict(zip(options["percent"], grown, strict=True))

        def cut(percent: Any, alpha: Any) -> LeadingForest:
            return lodog(trees[percent], alpha=alpha, cost=self.cost, n_trees=self.n_trees)

        problems = make_problems(grown[0])
        choice = Chooser(problems, cut).choose(self.solver, options)
        self._keep_forest(choice.forest, rows)
        self._keep_choice(problems, choice)

    def _propagate_again(self, problems: list[Problem]) -> None:
        """Propagate other labels in the same forest; what does not touch it is chosen anew."""
        options = self._options()
        for name in ("percent", "alpha"):
            options[name] = (self.chosen_[name],)
        choice = Chooser(problems, lambda *_: self.forest_).choose(self.solver, options)
        self._keep_choice(problems, choice)

    def _keep_choice(self, problems: list[Problem], choice: Choice) -> None:
        self._problems, self._results, self.chosen_ = problems, choice.results, choice.values
        self._errors = choice.errors

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

    def _answering(self, row: Any) -> tuple[int, int, float]:
        """Give number (-1 if new), answering node and distance to it, for a row or its number."""
        check_is_fitted(self)
        if np.ndim(row) > 0 or sp.issparse(row):
            new = row if sp.issparse(row) or np.ndim(row) == 2 else np.asarray(row).reshape(1, -1)
            nodes, distances = self._leaders(new)
            if len(nodes) != 1:
                raise ValueError(f"row must be one row, got {len(nodes)}.")
            return -1, int(nodes[0]), float(distances[0])
        if not is_whole(row) or not 0 <= row < self.tree_.n_rows:
            raise ValueError(
                f"row={row!r} must be the number of a training row, from 0 to "
                f"{self.tree_.n_rows - 1}, or a new row."
            )
        return int(row), int(self._nodes[row]), float(self._distances[row])

    def _explanation(
        self,
        row: Any,
        problem: int,
        given_weight: FloatArray,
        label_at: Callable[[int, float], tuple[Any, float | None]],
        given_label: Callable[[int], Any],
    ) -> Explanation:
        """Explain a row by one propagation.

        ``given_weight`` is the weight of every row with a given label, 0 for the others;
        ``label_at`` gives label and confidence for a node and a distance to it, ``given_label`` the
        given label of a row.
        """
        number, node, distance = self._answering(row)
        result = self._results[problem]
        label, confidence = label_at(node, distance)
        shares = label_shares(self.forest_, self._problems[problem].count, result, node)
        deciders, split = shares_of_rows(shares, self.tree_.node_of, given_weight)
        path, layers, steps = way_up(self.forest_, node, self._first_rows(), number, distance)
        tree = int(self.forest_.tree_of[node])
        lender = int(result.lender[result.lender[tree]])
        lender_row = int(self._first_rows()[self.forest_.roots[lender]])
        return Explanation(
            row=None if number < 0 else number,
            label=label,
            confidence=confidence,
            path=path,
            layers=layers,
            distances=steps,
            deciders=deciders,
            shares=split,
            decider_labels=[given_label(int(decider)) for decider in deciders],
            borrowed_from=None if lender == tree else lender_row,
        )
