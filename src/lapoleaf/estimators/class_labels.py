"""Class labels as given: which rows have one, and how they change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_consistent_length

from lapoleaf._lazy import Value
from lapoleaf._messages import shown
from lapoleaf._points import check_sample_weight
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray
from lapoleaf._warnings import warn_user
from lapoleaf.estimators.label_values import (
    as_column,
    equal_to,
    find_missing,
    is_null,
    labels_and_missing,
    null_mask,
    one_kind,
    same_kind,
)
from lapoleaf.estimators.problem import Problem

if TYPE_CHECKING:
    from lapoleaf.estimators.rows import RowNodes


@dataclass(frozen=True, eq=False)
class ClassLabels(Value):
    """Class labels as given, in numbers.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        The classes, sorted.
    codes : ndarray of shape (n,)
        The class of every row as an index, -1 where the label is missing.
    missing : object
        The missing label in y and in predictions.
    """

    classes: AnyArray
    codes: IntArray
    missing: Any

    @property
    def given(self) -> BoolArray:
        """Rows that have a label."""
        return self.codes >= 0

    def are_there(self, weight: FloatArray) -> bool:
        """Whether any row of positive weight has a label."""
        return bool(weight[self.given].any())

    def vectors(self, rows: IntArray) -> FloatArray:
        """Return one-hot classes of labelled rows, with a column for each class that occurs."""
        occurring, codes = np.unique(self.codes[rows], return_inverse=True)
        return np.eye(len(occurring))[codes]

    def problems(self, rows: RowNodes) -> list[Problem]:
        """Return the labels of nodes: for each the share of every class among its labels."""
        labelled, n, k = np.flatnonzero(self.given & (rows.node_of >= 0)), rows.n_nodes, self.k
        nodes, weight = rows.node_of[labelled], rows.weight[labelled]
        count = np.bincount(nodes, weight, n).astype(np.float64)
        if not count.any():
            raise ValueError("sample_weight is 0 for every row that has a label in y.")
        sums = np.bincount(k * nodes + self.codes[labelled], weight, k * n)
        shares = sums.reshape(n, k) / np.where(count > 0, count, 1.0)[:, None]
        return [Problem(shares, count)]

    def contradicting(self, rows: RowNodes, among: IntArray | None = None) -> IntArray:
        """Return the rows that have an equal row of another class, ascending.

        Parameters
        ----------
        rows : RowNodes
            The rows: equal ones are one node.
        among : ndarray of int, default=None
            Only these rows and their equals; all if None.
        """
        labelled = np.flatnonzero(self.given & (rows.node_of >= 0))
        if among is not None:
            labelled = labelled[np.isin(rows.node_of[labelled], rows.node_of[among])]
        nodes, codes = rows.node_of[labelled], self.codes[labelled]
        first = np.full(rows.n_nodes, -1, dtype=np.int64)
        first[nodes[::-1]] = codes[::-1]
        found: IntArray = labelled[np.isin(nodes, nodes[first[nodes] != codes])]
        return found

    def remark(self, rows: RowNodes, among: IntArray | None = None) -> str | None:
        """Return a warning about equal rows with different classes, or None."""
        found = self.contradicting(rows, among)
        if not len(found):
            return None
        nodes, codes = rows.node_of[found], self.codes[found]
        one = found[0]
        other = found[(nodes == nodes[0]) & (codes != codes[0])][0]
        return (
            f"Rows {one} and {other} of X are equal, but y has {shown(self.of_row(one))} for one "
            f"and {shown(self.of_row(other))} for the other ({len(found)} such rows): correct y, "
            f"see suspicious_labels(). Until then, equal rows without a class follow the majority."
        )

    def fits_choices_of(self, before: ClassLabels) -> bool:
        """Whether choices made for other labels can be kept: the classes are the same."""
        return bool(np.array_equal(self.classes, before.classes))

    def n_different(self, before: ClassLabels) -> int:
        """Return how many labels were added, changed or removed; classes must be the same."""
        return int((self.codes != before.codes).sum())

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def of_row(self, row: int) -> Any:
        """Return the class of a row that has one."""
        return self.classes.tolist()[self.codes[row]]

    def changed(self, rows: IntArray, y: Any) -> ClassLabels:
        """Return the labels with those of ``rows`` replaced by ``y``; missing ones are removed."""
        values = as_column(y)
        if len(values) != len(rows):
            raise ValueError(f"y has {len(values)} labels for {len(rows)} ids.")
        absent = null_mask(values) if is_null(self.missing) else equal_to(values, self.missing)
        known = self._of_one_kind(values[~absent])
        kept = self.codes.copy()
        kept[rows] = -1
        if len(known) == 0 and not (kept >= 0).any():
            raise ValueError("y would remove the last label: at least one must remain.")
        return self._with(kept, rows[~absent], known)

    def joined(self, y: Any, m: int, missing_label: Any, allowed: Any = None) -> ClassLabels:
        """Return the labels with those of ``m`` more rows appended; ``y`` may be None.

        Parameters
        ----------
        y : array-like of shape (m,), or None
            Their classes; None: all are missing.
        m : int
            How many.
        missing_label : object
            What marks a missing label: see :func:`decode_classes`.
        allowed : array-like, default=None
            All classes that may occur, if they are known.
        """
        codes = np.append(self.codes, np.full(m, -1, dtype=np.int64))
        if y is None:
            return ClassLabels(self.classes, codes, self.missing)
        values = as_column(y)
        if len(values) != m:
            raise ValueError(f"y has {len(values)} labels, but X has {m} rows.")
        absent, missing = find_missing(values, missing_label)
        known = self._of_one_kind(values[~absent])
        if allowed is not None:
            _refuse_others(known, allowed)
        grown = self._with(codes, len(self.codes) + np.flatnonzero(~absent), known)
        # The missing label is that of the first labels.
        return grown if len(self.classes) else replace(grown, missing=missing)

    def without(self, rows: IntArray) -> ClassLabels:
        """Return the labels without those of some rows."""
        return self._with(np.delete(self.codes, rows), np.empty(0, np.int64), self.classes[:0])

    def _of_one_kind(self, known: AnyArray) -> AnyArray:
        """Return labels in the type of the existing classes."""
        if len(known) == 0:
            return self.classes[:0]
        known = one_kind(known)
        if len(self.classes) and known.dtype.kind != self.classes.dtype.kind:
            known = same_kind(known, self.classes)
        return known

    def _with(self, kept: IntArray, rows: IntArray, known: AnyArray) -> ClassLabels:
        """Return labels from codes (-1 for none), with those of some rows replaced."""
        is_kept = kept >= 0
        used = np.bincount(kept[is_kept], minlength=len(self.classes)) > 0
        old = self.classes[used]
        classes = (
            np.unique(np.concatenate([old, known]))
            if len(known) and len(old)
            else (np.unique(known) if len(known) else old)
        )
        number = np.full(len(self.classes) + 1, -1, dtype=np.int64)
        number[np.flatnonzero(used)] = np.searchsorted(classes, old)
        codes = number[kept]
        codes[rows] = np.searchsorted(classes, known)
        return ClassLabels(classes, codes, self.missing)


def no_labels(missing_label: Any) -> ClassLabels:
    """Return the labels of no rows."""
    automatic = isinstance(missing_label, str) and missing_label == "auto"
    empty = np.empty(0, dtype=np.int64)
    return ClassLabels(empty, empty.copy(), None if automatic else missing_label)


def _refuse_others(known: AnyArray, allowed: Any) -> None:
    """Raise for labels that are not among the allowed classes."""
    classes = one_kind(as_column(allowed))
    same = (known.dtype.kind in "iuf" and classes.dtype.kind in "iuf") or (
        known.dtype.kind == classes.dtype.kind
    )
    others = known[~np.isin(known, classes)] if same else known
    if len(others):
        raise ValueError(
            f"y holds {shown(others.tolist()[0])}, which is none of classes={classes.tolist()[:5]}."
        )


def decode_classes(y: Any, missing_label: Any) -> ClassLabels:
    """Find the classes and the missing labels in ``y``.

    Parameters
    ----------
    y : array-like of shape (n,)
        Strings, whole numbers or booleans.
    missing_label : object
        What marks a missing label; ``"auto"``: None, NaN or NA where y has them, else -1.
    """
    values = as_column(y)
    absent, missing = find_missing(values, missing_label)
    if absent.all():
        raise ValueError(
            f"y has no label: all {len(values)} entries are missing (missing_label="
            f"{shown(missing_label)}). At least one label must be given."
        )
    known = one_kind(values[~absent])
    classes, found = np.unique(known, return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~absent] = found
    _warn_of_doubtful(classes, absent, missing_label)
    return ClassLabels(classes, codes, missing)


def accuracy_on_labels(found: AnyArray, y: Any, missing_label: Any, sample_weight: Any) -> float:
    """Return the accuracy on the rows that have a label in ``y``.

    Parameters
    ----------
    found : ndarray of shape (n,)
        Predicted classes; missing ones count as errors.
    y : array-like of shape (n,)
        True classes; rows marked as missing do not count.
    missing_label : object
        What marks a missing label.
    sample_weight : array-like of shape (n,) or None
        Weights of the rows.
    """
    values, absent = labels_and_missing(y, missing_label)
    check_consistent_length(found, values)
    weight = check_sample_weight(sample_weight, len(found))
    if not weight[~absent].any():
        raise ValueError("y has no label that counts: there is nothing to compare with.")
    pairs = zip(found[~absent].tolist(), values[~absent].tolist(), strict=True)
    right = [not is_null(label) and label == truth for label, truth in pairs]
    return float(np.average(right, weights=weight[~absent]))


def _warn_of_doubtful(classes: AnyArray, absent: BoolArray, missing_label: Any) -> None:
    automatic = isinstance(missing_label, str) and missing_label == "auto"
    numeric = classes.dtype.kind in "iuf"
    if automatic and absent.any() and numeric and len(classes) == 1 and classes[0] == 1:
        warn_user(
            "y holds only -1 and 1: -1 was taken as a missing label. If -1 is a class, pass "
            "missing_label=None."
        )
    elif len(classes) == 1:
        warn_user(f"y has one class only, {shown(classes.tolist()[0])}: every row will get it.")
