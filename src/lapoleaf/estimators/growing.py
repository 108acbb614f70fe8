"""Models that take in new rows and give old ones up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from lapoleaf._forest import LeadingForest, lodog
from lapoleaf._forest.objective import update_lodog
from lapoleaf._points import check_sample_weight
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.estimators.base import all_or_nothing, rows_at, rows_outside
from lapoleaf.estimators.choosing import Problem
from lapoleaf.estimators.growth import Growth, all_rows, stacked
from lapoleaf.estimators.propagating import PropagatingEstimator
from lapoleaf.estimators.voting import Voters

# Fewer distinct points than this say little of a bandwidth: until then all is built anew.
WARM_UP = 200

# What follows from the trees, and from trees and labels, and is computed when it is asked for.
_OF_FOREST = frozenset(
    {"tree_", "forest_", "forests_", "bandwidth_", "build_report_", "_nodes", "_distances"}
    | {"_left_out"}
)
_OF_NODES = frozenset(
    {"_answers", "_reach", "_mixture", "_ridge", "_node_values", "_node_std", "_models"}
)
_OF_LABELS = _OF_NODES | {
    "_problems", "_results", "_errors", "chosen_", "label_distributions_", "confidence_",
    "transduction_", "transduction_std_",
}  # fmt: skip
# All that belongs to rows: these, and what is kept up to date at once.
_OF_ROWS = _OF_FOREST | _OF_LABELS | {
    "_growth", "_before", "_next_id", "_weight", "_labels", "_targets", "changed_", "given_",
    "classes_", "ids_",
}  # fmt: skip


class GrowingEstimator(PropagatingEstimator):
    """An estimator that new rows can join.

    After a change only rows, labels and trees are there; what follows from them is computed when
    it is first asked for.
    """

    # What follows from the rest is in no file and no copy.
    _NOT_KEPT = ("_growth", "_before")

    _growth: Growth
    _before: dict[str, Any]
    _next_id: int

    def __getattr__(self, name: str) -> Any:
        here = vars(self)
        if name == "changed_" and "_before" in here:
            self.changed_ = self._changes()
        elif "_growth" in here and name in _OF_FOREST and "forests_" not in here:
            self._freeze_forests()
        elif "_growth" in here and name in _OF_NODES and self._is_quick:
            self._answer_quickly()
        elif "_growth" in here and name in _OF_LABELS and "_results" not in here:
            self._label_anew()
        if name in here:
            return here[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what follows from the rest; what is not computed yet is computed."""
        self._settle()
        state: dict[str, Any] = super().__getstate__()
        return {name: part for name, part in state.items() if name not in self._NOT_KEPT}

    def _settle(self) -> None:
        """Compute all that is computed only when it is asked for."""
        here = vars(self)
        if "_growth" in here:
            _ = self._results if self._is_labelled else self.forests_
        if "_before" in here:
            _ = self.changed_

    @property
    @abstractmethod
    def _is_labelled(self) -> bool:
        """Whether any label was given to a row that counts."""

    @abstractmethod
    def _problems_on(self, tree: LeadingTree) -> list[Problem]:
        """Give what is to be propagated, on the nodes of a tree."""

    @abstractmethod
    def _answer_all(self) -> Any:
        """Answer for all rows from the propagation."""

    @abstractmethod
    def _answer_by_stages(self, forest: LeadingForest, node_of: IntArray) -> None:
        """Propagate by the three stages in a forest without rows, and answer for its nodes."""

    @abstractmethod
    def _moved(self, before: Any, rows: IntArray, earlier: IntArray) -> BoolArray:
        """Say which rows have another label than they had ``earlier``, as rows of ``before``."""

    @abstractmethod
    def _keep_labels(self, labels: Any) -> None:
        """Keep the labels of all rows, and what follows from them alone."""

    @abstractmethod
    def _labels_without(self, rows: IntArray) -> Any:
        """Give the labels of all rows but some."""

    def _take_rows(self, X: Any, sample_weight: Any, label: Callable[[int], Any]) -> Self:
        """Let rows join; ``label`` gives the labels of all rows when it is told how many more."""
        here = vars(self)
        is_new = "_weight" not in here
        rows = self._checked_rows(X, reset=is_new)
        weight = check_sample_weight(sample_weight, rows.shape[0])
        self._check_parts()
        self._options()
        labels = label(rows.shape[0])
        before = self._as_before()
        if is_new:
            ids = np.arange(rows.shape[0])
            self._build(rows, weight, labels, ids, rows.shape[0])
            self.changed_ = np.empty(0, dtype=np.int64)
            return self
        ids = np.concatenate([self.ids_, self._id_to_come + np.arange(rows.shape[0])])
        next_id = int(ids[-1]) + 1
        if self._is_warming:
            everything = stacked(self._all_rows(), rows)
            self._build(everything, np.append(self._weight, weight), labels, ids, next_id)
        else:
            growth = self._grown().with_rows(rows, weight)
            self._keep_growth(growth, np.append(self._weight, weight), labels, next_id)
        self._before = before
        return self

    @all_or_nothing
    def forget(self, ids: Any) -> Self:
        """Take rows out of the model, with their labels; all others keep their ids.

        The model is then as if these rows had never been there; the bandwidth stays.

        Parameters
        ----------
        ids : int or array-like of shape (m,)
            Which rows: see ``ids_``.

        Returns
        -------
        self : estimator
            Without the rows.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> model = LaPOLeaFClassifier().fit(X, ["low", "high", None, None, "high"])
        >>> model.forget(1).transduction_.tolist()
        ['low', 'low', 'high', 'high']
        >>> model.ids_
        array([0, 2, 3, 4])
        """
        places = self._rows_of_ids(ids)
        weight = np.delete(self._weight, places)
        if not weight.any():
            raise ValueError("ids names all rows that count: at least one must remain.")
        labels, next_id, before = self._labels_without(places), self._id_to_come, self._as_before()
        kept = np.delete(np.arange(len(self.ids_)), places)
        if self._is_warming:
            rows = rows_at(self._all_rows(), kept)
            self._build(rows, weight, labels, self.ids_[kept], next_id)
        else:
            growth = self._grown().without_rows(self.ids_[places])
            self._keep_growth(growth, weight, labels, next_id)
        self._before = before
        return self

    @property
    def _id_to_come(self) -> int:
        """The id of the next row; none is ever used twice."""
        return int(vars(self).get("_next_id", self.ids_[-1] + 1))

    @property
    def _n_nodes(self) -> int:
        growth = vars(self).get("_growth")
        return self.tree_.n_nodes if growth is None else growth.plain.n_nodes

    @property
    def _is_warming(self) -> bool:
        """Whether there are too few points for their bandwidth to mean anything."""
        few = self.bandwidth is None and self._n_nodes < WARM_UP
        return few or self._n_nodes == 1

    @property
    def _is_quick(self) -> bool:
        """Whether new rows can be answered without more than the three stages."""
        here = vars(self)
        growing = "_growth" in here and "forests_" not in here and self.solver == "stages"
        return growing and self._growth.exact is not None and self._growth.is_labelled

    def _grown(self) -> Growth:
        """Give the trees in the form in which they grow."""
        if "_growth" in vars(self):
            return self._growth
        return Growth.of(
            [forest.tree for forest in self.forests_],
            self._weight,
            self.ids_,
            self._id_to_come,
            self._left_out,
            self.chosen_["percent"],
            self.chosen_["alpha"],
            is_labelled=True,
        )

    def _all_rows(self) -> Any:
        return all_rows(self._points, self.tree_.node_of, self._left_out)

    def _as_before(self) -> dict[str, Any]:
        return {name: part for name, part in vars(self).items() if name != "_before"}

    def _build(
        self,
        rows: Any,
        weight: FloatArray,
        labels: Any,
        ids: IntArray,
        next_id: int,
        bandwidth: float | None = None,
    ) -> None:
        """Build everything from all rows."""
        self._start_anew()
        self._weight = weight
        self._keep_labels(labels)
        if self._is_labelled:
            self._fit_labels(rows, weight, self._problems_on, bandwidth)
            self._answer_all()
        else:
            options = self._options()
            grown = self._grow_all(rows, weight, options["percent"][:1], bandwidth)
            self._growth = Growth.of(
                [grown.plain[0], *grown.random],
                weight,
                ids,
                next_id,
                rows_outside(rows, grown.plain[0]),
                options["percent"][0],
                options["alpha"][0],
                is_labelled=False,
            )
        self.ids_, self._next_id = ids, next_id

    def _start_anew(self) -> None:
        """Drop all that belongs to the rows there were."""
        for name in _OF_ROWS & vars(self).keys():
            delattr(self, name)

    def _keep_growth(self, growth: Growth, weight: FloatArray, labels: Any, next_id: int) -> None:
        """Keep what has changed; all else is computed when it is asked for."""
        if self.n_trees is not None and self.n_trees > growth.plain.n_nodes:
            raise ValueError(
                f"n_trees={self.n_trees} is more than the {growth.plain.n_nodes} distinct points "
                f"that would remain."
            )
        if growth.is_worn:
            plain = growth.plain.freeze()
            rows = all_rows(plain.points, plain.node_of, growth.left_out)  # type: ignore[arg-type]
            self._build(rows, weight, labels, growth.plain.ids, next_id, plain.bandwidth)
            return
        self._start_anew()
        self._weight, self._next_id, self.ids_ = weight, next_id, growth.plain.ids
        self._keep_labels(labels)
        self._growth = replace(growth, is_labelled=self._is_labelled)

    def _freeze_forests(self) -> None:
        """Cut the trees as they are now."""
        growth = self._growth
        trees = growth.frozen()
        forest = lodog(trees[0], alpha=growth.alpha, cost=self.cost, n_trees=self.n_trees)
        others = [LeadingForest(tree, np.array([tree.root])) for tree in trees[1:]]
        self._keep_forest(forest, growth.left_out, growth.plain.ids)
        self.forests_ = [forest, *others]

    def _fixed_choices(self) -> dict[str, Any]:
        if "_growth" in vars(self):
            return {"percent": self._growth.percent, "alpha": self._growth.alpha}
        return super()._fixed_choices()

    @all_or_nothing
    def _label_anew(self) -> None:
        """Propagate the labels in the trees as they are now."""
        self._refuse_unlabelled()
        self._propagate_again(self._problems_on(self.tree_))
        self._answer_all()

    def _answer_quickly(self) -> None:
        """Propagate the labels by the three stages, and answer for nodes only."""
        growth = self._growth
        tree = growth.exact
        if tree is None:
            raise RuntimeError("only one exact tree can answer quickly")
        forest = update_lodog(tree, alpha=growth.alpha, cost=self.cost, n_trees=self.n_trees)
        self._answer_by_stages(forest, tree.node_of)

    def _refuse_unlabelled(self) -> None:
        if not self._is_labelled:
            raise NotFittedError(
                f"This {type(self).__name__} has no label yet: give some with partial_fit or "
                f"update_labels."
            )

    def _check_is_labelled(self) -> None:
        """Raise where there is nothing to answer by."""
        if "_weight" not in vars(self):
            check_is_fitted(self)
        if "_growth" in vars(self) and not self._growth.is_labelled:
            self._refuse_unlabelled()

    def _relabelled(self, labels: Any) -> Self:
        """Propagate other labels of the same rows."""
        before = self._as_before()
        if "_growth" in before:
            self._growth = replace(self._growth, is_labelled=True)
        self._keep_labels(labels)
        self._propagate_again(self._problems_on(self.tree_))
        self._answer_all()
        self.__dict__.pop("changed_", None)
        self._before = before
        return self

    def _voters(self, rows: Any) -> Voters:
        if self._is_quick and self._growth.exact is not None:
            return Voters.alone(*self._growth.exact.leaders(rows))
        return super()._voters(rows)

    def _changes(self) -> IntArray:
        """Give the ids of the rows whose labels the last change has moved."""
        before = object.__new__(type(self))
        before.__dict__.update(self._before)
        if "_weight" not in self._before or not (before._is_labelled and self._is_labelled):
            return np.empty(0, dtype=np.int64)
        ids, rows, earlier = np.intersect1d(
            self.ids_, before.ids_, assume_unique=True, return_indices=True
        )
        changed: IntArray = ids[self._moved(before, rows, earlier)]
        return changed
