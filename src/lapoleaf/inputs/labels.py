"""Labels of rows, and warnings about probable mistakes in them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray, BoolArray
from lapoleaf._warnings import warn_user
from lapoleaf.inputs.typed import written

if TYPE_CHECKING:
    import pandas as pd

# Labels that probably mark missing ones.
_LIKE_MISSING = frozenset(
    (
        *("unknown", "none", "nan", "na", "n/a", "n.a.", "#n/a", "<na>", "null", "nil"),
        *("?", "-", "--", ".", "-1", "missing", "unlabelled", "unlabeled", "undefined"),
        *("unspecified", "tbd", "todo"),
    )
)
_LARGE_SHARE = 0.95
# With fewer labels than this, a dominant class may be a coincidence.
_LEAST_FOR_SHARE = 20
# Integers with more distinct values than this are probably amounts, not classes.
_MOST_CLASSES = 20
_MOST_NAMED = 5


def labels_of(column: pd.Series) -> AnyArray:
    """Return the labels of a column: numbers with NaN for missing ones, else objects with None."""
    kinds = imported("pandas").api.types
    missing: AnyArray = column.isna().to_numpy()
    labels: AnyArray
    if kinds.is_numeric_dtype(column.dtype) and not kinds.is_bool_dtype(column.dtype):
        if missing.any():
            labels = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            labels = column.to_numpy()
        return labels
    labels = column.astype(object).to_numpy(copy=True)
    for row in np.flatnonzero(~missing).tolist():
        if not isinstance(labels[row], str | bool):
            labels[row] = written(labels[row])
    labels[missing] = None
    return labels


def is_missing(labels: AnyArray) -> BoolArray:
    """Return which labels are missing."""
    missing = np.zeros(len(labels), dtype=bool)
    if labels.dtype.kind == "f":
        missing = np.isnan(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([label is None for label in labels], dtype=bool)
    return missing


def are_classes(labels: AnyArray) -> bool:
    """Whether labels are classes rather than amounts, judged by their form."""
    if labels.dtype.kind not in "iuf":
        return True
    values = np.unique(labels[~is_missing(labels)])
    return bool(len(values) <= _MOST_CLASSES and (values == np.floor(values)).all())


def check_labels(labels: AnyArray, name: str) -> None:
    """Warn about labels that are probably mistakes.

    These are labels that differ only by case or blanks, labels that look like markers of missing
    ones, and a class that nearly all rows have.

    Parameters
    ----------
    labels : ndarray
        Labels of all rows.
    name : str
        Name of their column.
    """
    given = labels[~is_missing(labels)].tolist()
    if not given or not are_classes(labels):
        return
    counts = Counter(given)
    _warn_of_variants(counts, name)
    _warn_of_marks(counts, name)
    label, count = counts.most_common(1)[0]
    if len(given) >= _LEAST_FOR_SHARE and count >= _LARGE_SHARE * len(given) and len(counts) > 1:
        warn_user(
            f"{count:,} of the {len(given):,} labels in column {shown(name)} are {shown(label)}: "
            f"with {count / len(given):.0%} in one class, others are hardly ever predicted."
        )


def _warn_of_variants(counts: Counter[Any], name: str) -> None:
    variants: dict[str, list[str]] = {}
    for label in counts:
        if isinstance(label, str):
            variants.setdefault("".join(label.split()).casefold(), []).append(label)
    groups = [sorted(group) for group in variants.values() if len(group) > 1]
    if groups:
        named = "; ".join(
            " and ".join(f"{shown(label)} ({counts[label]:,})" for label in group)
            for group in groups[:_MOST_NAMED]
        )
        warn_user(
            f"labels in column {shown(name)} differ only by case or blanks, and are taken for "
            f"different classes: {named}."
        )


def _warn_of_marks(counts: Counter[Any], name: str) -> None:
    marks = [label for label in counts if _is_like_mark(label, counts)]
    if marks:
        named = ", ".join(f"{shown(label)} ({counts[label]:,})" for label in marks[:_MOST_NAMED])
        own = ", ".join(shown(written(label)) for label in marks[:_MOST_NAMED])
        warn_user(
            f"labels in column {shown(name)} look like marks of missing ones: {named}; if they "
            f"are, pass missing={{{shown(name)}: [{own}]}}."
        )


def _is_like_mark(label: Any, counts: Counter[Any]) -> bool:
    if isinstance(label, str):
        return label.strip().lower() in _LIKE_MISSING or not label.strip()
    # -1 among classes that are numbered from 0 or 1.
    return label == -1 and not isinstance(label, bool) and min(counts) == -1 and len(counts) > 1
