"""The fitted state of an estimator: four values, each computed from those before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from lapoleaf._lazy import Value, compute_once, computed_once, is_computed
from lapoleaf._queries import Target
from lapoleaf._tree.incremental.ensemble import rows_at, stacked
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.estimators.row_index import RowIndex
from lapoleaf.estimators.rows import Cut, RowIds, Rows, TreeSettings
from lapoleaf.estimators.voters import Voters

if TYPE_CHECKING:
    from lapoleaf.estimators.recent import Recent


class Given(Protocol):
    """Labels as given."""

    @property
    def given(self) -> BoolArray:
        """Mask of the labels that are given."""

    def are_there(self, weight: FloatArray) -> bool:
        """Whether any row of positive weight has a label."""

    def vectors(self, rows: IntArray) -> FloatArray:
        """Return the labels of some labelled rows as vectors."""

    def changed(self, rows: IntArray, y: Any) -> Self:
        """Return the labels with those of ``rows`` replaced by ``y``."""

    def without(self, rows: IntArray) -> Self:
        """Return the labels without those of some rows."""

    def remark(self, rows: Rows, among: IntArray | None = None) -> str | None:
        """Return a warning about the labels of ``among``, all rows if None; or None."""

    def fits_choices_of(self, before: Self) -> bool:
        """Whether choices made for other labels can be kept: classes and units are the same."""

    def n_different(self, before: Self) -> int:
        """Return how many labels were added, changed or removed since ``before``."""


class Labelling(Protocol):
    """Labels of all nodes."""

    def of_rows(self, rows: Rows, given: Any, voters: Voters | None, method: Any) -> Any:
        """Return the labels of all rows; ``voters`` answer for the rows of weight 0."""


G = TypeVar("G", bound=Given)
L = TypeVar("L", bound=Labelling)


class Choices(Protocol):
    """Choices made by leave-one-out."""

    def as_dict(self) -> dict[str, Any]:
        """Return the choices as shown in ``chosen_``."""


class SinceChoice(NamedTuple):
    """Changes of labels since the last choice.

    Attributes
    ----------
    n_given : int
        Number of labels at that choice.
    n_changed : int
        Number of labels added, changed or removed since.
    """

    n_given: int
    n_changed: int = 0


class Method(Protocol[G, L]):
    """How labels are computed from rows and given labels; parameters captured at the call."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All parameters of the estimator, captured at the call."""

    @property
    def trees(self) -> TreeSettings:
        """Parameters of the trees."""

    @property
    def n_stages(self) -> int:
        """Maximum number of stages of a fit."""

    @property
    def may_wait(self) -> bool:
        """Whether slightly older labels may predict new rows, since labelling all rows is slow."""

    @property
    def min_confidence(self) -> float | None:
        """Rows whose class is less probable than this are left unlabelled; None for numbers."""

    def fit(
        self, X: Any, weight: FloatArray, ids: RowIds, given: G, bandwidth: float | None = None
    ) -> Fitted[G, L]:
        """Build the trees of all rows, choose, and label."""

    def build(
        self, X: Any, weight: FloatArray, ids: RowIds, bandwidth: float | None = None
    ) -> Rows:
        """Build the trees of all rows, without any label."""

    def label(self, rows: Rows, given: G) -> tuple[Choices, L]:
        """Choose by the given labels, and label all rows."""

    def relabel(self, rows: Rows, given: G, choices: Any, before: L) -> L:
        """Label all rows from other labels, with the choices of ``before``."""

    def keeps_experts(self, rows: Rows, given: G, choices: Any) -> bool:
        """Whether there are enough labels for the same experts as at the last choice."""

    def completed(self, rows: Rows, labelling: L) -> L:
        """Return the labelling with leave-one-out and variances, and the same labels."""

    def cut_of(self, rows: Rows) -> Cut:
        """Return the cut of a tree that grows from these rows."""

    def voters(self, rows: Rows, X: Any, threads: int, verbose: int) -> Voters:
        """Return the voters of new rows."""

    def coverage(self, rows: Rows) -> Target:
        """Return the criterion of suggestions without labels."""

    def queries(self, rows: Rows, labelling: L) -> Sequence[Target]:
        """Return the criteria of suggestions with labels."""


@dataclass(frozen=True, eq=False)
class Fitted(Value, Generic[G, L]):
    """Rows, given labels, choices and the labelling that follows from them.

    Attributes
    ----------
    method : Method
        How labels are computed.
    rows : Rows
        What follows from X and the parameters of the trees.
    given : ClassLabels or Targets
        The labels as given.
    labelled : tuple of choices and labelling, or None
        The choices, and the labels of all nodes; None if they are computed on first use.
    had_labels : bool
        Whether there were labels before rows were added, so that there still are.
    since : SinceChoice or None
        Changes of labels since the last choice; None if rows have changed.
    """

    method: Method[G, L]
    rows: Rows
    given: G
    labelled: tuple[Choices, L] | None = None
    had_labels: bool = False
    since: SinceChoice | None = None

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        complete = (self.choices, self.complete_labelling) if self.has_labels else None
        return {**state, "labelled": complete}

    @property
    def has_labels(self) -> bool:
        """Whether any row of positive weight has a label."""
        return self.labelled is not None or self.had_labels or self._are_given

    @computed_once
    def _are_given(self) -> bool:
        return bool(self.given.are_there(self.rows.weight))

    @computed_once
    def _labelled(self) -> tuple[Choices, L]:
        if self.labelled is not None:
            return self.labelled
        return self.method.label(self.rows, self.given)

    @property
    def choices(self) -> Choices:
        """Choices made by leave-one-out."""
        return self._labelled[0]

    @property
    def labelling(self) -> L:
        """The labels of all nodes."""
        return self._labelled[1]

    @computed_once
    def complete_labelling(self) -> L:
        """The labels of all nodes, with leave-one-out and variances."""
        return self.method.completed(self.rows, self.labelling)

    @property
    def is_computed(self) -> bool:
        """Whether the labels of nodes have been computed."""
        return self.labelled is not None or is_computed(self, "_labelled")

    @computed_once
    def answers(self) -> Any:
        """The labels of all rows: ClassAnswers or NumberAnswers."""
        rows, trees, voters = self.rows, self.method.trees, None
        if rows.left_out is not None:
            voters = self.method.voters(rows, rows.left_out, trees.threads, trees.verbose)
        return self.labelling.of_rows(rows, self.given, voters, self.method)


def built(
    method: Method[G, L],
    X: Any,
    weight: FloatArray,
    ids: RowIds,
    given: G,
    bandwidth: float | None = None,
) -> Fitted[G, L]:
    """Compute the state from all rows; without any label, the trees alone."""
    if given.are_there(weight):
        return method.fit(X, weight, ids, given, bandwidth)
    return Fitted(method, method.build(X, weight, ids, bandwidth), given)


def with_rows(
    method: Method[G, L],
    before: Fitted[G, L],
    X: Any,
    weight: FloatArray,
    given: G,
    index: RowIndex | None = None,
) -> Fitted[G, L]:
    """Return the state with rows added; labels are computed on first use.

    Parameters
    ----------
    method : Method
        How labels are computed from now on.
    before : Fitted
        The state so far.
    X, weight : array or CSR matrix, ndarray
        The new rows and their weights.
    given : ClassLabels or Targets
        The labels of all rows.
    index : RowIndex or None
        The index of all rows.
    """
    rows, m = before.rows, X.shape[0]
    if rows.needs_rebuild(method.trees.bandwidth):
        ids = np.append(rows.ids, rows.next_id + np.arange(m))
        everything = stacked(rows.all_rows(), X)
        weights = np.append(rows.weight, weight)
        row_ids = RowIds(ids, rows.next_id + m, index)
        return _rebuilt(rows, method, everything, weights, row_ids, given)
    grown = rows.with_rows(X, weight, method.cut_of(rows), index)
    return _settled(Fitted(method, grown, given, had_labels=before.has_labels))


def without_rows(
    method: Method[G, L], before: Fitted[G, L], places: IntArray, given: G
) -> Fitted[G, L]:
    """Return the state without some rows; ``given`` are the labels of the others."""
    rows = before.rows
    if rows.needs_rebuild(method.trees.bandwidth):
        kept = np.delete(np.arange(len(rows.ids)), places)
        index = None if rows.frame_index is None else rows.frame_index.without(places)
        ids = RowIds(rows.ids[kept], rows.next_id, index)
        remaining = rows_at(rows.all_rows(), kept)
        return _rebuilt(rows, method, remaining, rows.weight[kept], ids, given)
    left = rows.without_rows(places, method.cut_of(rows))
    return _settled(Fitted(method, left, given))


def _settled(grown: Fitted[G, L]) -> Fitted[G, L]:
    """Rebuild approximately updated trees once enough nodes have changed."""
    rows = grown.rows
    if not rows.is_worn:
        return grown
    ids, bandwidth = RowIds(rows.ids, rows.next_id, rows.frame_index), rows.tree.bandwidth
    everything = rows.all_rows()
    return _rebuilt(rows, grown.method, everything, rows.weight, ids, grown.given, bandwidth)


def _rebuilt(
    before: Rows,
    method: Method[G, L],
    X: Any,
    weight: FloatArray,
    ids: RowIds,
    given: G,
    bandwidth: float | None = None,
) -> Fitted[G, L]:
    """Rebuild everything; remaining rows keep their places in a map."""
    fitted = built(method, X, weight, ids, given, bandwidth)
    fitted.rows.keep_places(before.kept_places)
    return fitted


@dataclass(frozen=True, eq=False)
class State(Value, Generic[G, L]):
    """The fitted state of an estimator, and the one before the last change.

    Attributes
    ----------
    now : Fitted
        The present state.
    earlier : Fitted or None
        The earlier state; never part of a pickle.
    changed : ndarray or None
        Ids of the rows whose labels were changed by the last update, once computed.
    recent : Recent or None
        Predicts new rows until the present labels are computed; never part of a pickle.
    """

    now: Fitted[G, L]
    earlier: Fitted[G, L] | None = None
    changed: IntArray | None = None
    recent: Recent[G, L] | None = None

    @property
    def has_changed(self) -> bool:
        """Whether there was an update after the fit."""
        return self.earlier is not None or self.changed is not None

    @property
    def knows_changes(self) -> bool:
        """Whether the ids of changed rows have been computed."""
        return self.changed is not None or is_computed(self, "_found")

    def changed_ids(self, compare: Callable[[Fitted[G, L], Fitted[G, L]], IntArray]) -> IntArray:
        """Return the ids of the rows whose labels were changed by the last update, computed once.

        ``compare`` computes them from the present and the earlier state, both with labels.
        """
        if self.changed is not None:
            return self.changed

        def compared() -> IntArray:
            earlier = self.earlier
            if earlier is None or not (earlier.has_labels and self.now.has_labels):
                return np.empty(0, dtype=np.int64)
            return compare(self.now, earlier)

        return compute_once(self, "_found", compared)


def rows_of_both(now: Rows, earlier: Rows) -> tuple[IntArray, IntArray, IntArray]:
    """Return the ids of rows in both states, and their places in each."""
    ids, here, there = np.intersect1d(now.ids, earlier.ids, assume_unique=True, return_indices=True)
    return ids, here, there
