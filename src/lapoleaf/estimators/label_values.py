"""Arrays of class labels: missing ones, and labels of one kind."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray, BoolArray

# Names of the types of missing values in pandas, which is not imported here.
_PANDAS_NULLS = frozenset({"NAType", "NaTType"})


def labels_and_missing(y: Any, missing_label: Any) -> tuple[AnyArray, BoolArray]:
    """Return ``y`` as an array, and the mask of its missing labels."""
    values = as_column(y)
    return values, find_missing(values, missing_label)[0]


def find_missing(values: AnyArray, missing_label: Any) -> tuple[BoolArray, Any]:
    """Return the mask of missing entries and the missing label."""
    nulls = null_mask(values)
    if isinstance(missing_label, str) and missing_label == "auto":
        if nulls.any():
            return nulls, values[nulls][0]
        marked = equal_to(values, -1)
        return marked, values[marked][0] if marked.any() else _natural_missing(values)
    if is_null(missing_label):
        return nulls, missing_label
    return equal_to(values, missing_label), missing_label


def with_missing(known: AnyArray, absent: BoolArray, missing: Any) -> AnyArray:
    """Return an array with ``missing`` where ``absent``, of a type that can hold it."""
    numbers = known.dtype.kind in "iuf" and isinstance(missing, Real)
    texts = known.dtype.kind == "U" and isinstance(missing, str)
    mixed: AnyArray = known.astype(
        np.result_type(known, np.array([missing])) if numbers or texts else object
    )
    mixed[absent] = missing
    return mixed


def as_column(y: Any) -> AnyArray:
    """Return labels as a one-dimensional array, without conversions between kinds."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: give labels, with "
            "missing ones marked (-1, None or NaN)."
        )
    if isinstance(y, list | tuple):
        # NumPy would convert values beside strings or booleans to strings or numbers.
        kinds = {type(value) for value in y}
        values = np.asarray(y) if len(kinds) == 1 else _objects(y)
    elif hasattr(y, "dtype") and not isinstance(y.dtype, np.dtype):
        # Integers of pandas and polars columns with missing values stay integers this way.
        values = _objects(y.to_list() if hasattr(y, "to_list") else list(y))
    else:
        values = np.asarray(y)
    _refuse_nul(y if isinstance(y, list | tuple) else values)
    column: AnyArray = column_or_1d(values, warn=True)
    return column


def _refuse_nul(labels: Any) -> None:
    """Raise for text that ends with a NUL character, which NumPy arrays would strip."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind == "O":
        for label in labels:
            if isinstance(label, str | bytes) and label[-1:] in ("\0", b"\0"):
                raise ValueError(
                    f"y holds {shown(label)}, which ends with a NUL character and could not be "
                    f"distinguished from a class without it: use another name."
                )


def _objects(y: Any) -> AnyArray:
    """Return labels as an array of unconverted objects; nested ones as NumPy does."""
    if any(isinstance(value, list | tuple | np.ndarray) for value in y):
        return np.asarray(y)
    values = np.empty(len(y), dtype=object)
    values[:] = y
    return values


def is_null(value: Any) -> bool:
    """Whether ``value`` is None, NaN or pandas' NA."""
    if value is None or type(value).__name__ in _PANDAS_NULLS:
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def null_mask(values: AnyArray) -> BoolArray:
    """Return the mask of the values that are None, NaN or NA."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return np.array([is_null(value) for value in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def equal_to(values: AnyArray, marker: Any) -> BoolArray:
    """Return the mask of the labels that equal a marker of the same kind."""
    kinds: dict[str, Any] = {"U": str, "S": bytes, "b": (bool, np.bool_)}
    wanted = kinds.get(values.dtype.kind, (int, float, np.integer, np.floating))
    if values.dtype.kind == "O":
        same = [type(v) is type(marker) or _both_numbers(v, marker) for v in values]
        return np.array([s and v == marker for s, v in zip(same, values, strict=True)], dtype=bool)
    if not isinstance(marker, wanted):
        return np.zeros(len(values), dtype=bool)
    return np.asarray(values == marker, dtype=bool)


def _both_numbers(*values: Any) -> bool:
    numbers = int | float | np.integer | np.floating
    return all(isinstance(v, numbers) and not isinstance(v, bool) for v in values)


def _natural_missing(values: AnyArray) -> Any:
    """Return the missing label of predictions when y itself has none."""
    return {"f": -1.0, "i": -1, "u": -1}.get(values.dtype.kind)


def one_kind(known: AnyArray) -> AnyArray:
    """Return labels of one kind as an array of that kind; raise for mixed kinds."""
    if known.dtype.kind == "O":
        known = _narrow(known)
    if known.dtype.kind == "f":
        whole = np.isfinite(known) & (known == np.rint(known))
        if not whole.all():
            value = known[~whole][0]
            raise ValueError(
                f"Unknown label type: continuous. y holds {value}, which is not a class; for "
                f"numbers use LaPOLeaFRegressor."
            )
    if known.dtype.kind not in "biufUS":
        raise ValueError(
            f"Unknown label type: y holds {known.dtype}; use strings, whole numbers or booleans."
        )
    return known


def same_kind(known: AnyArray, classes: AnyArray) -> AnyArray:
    """Return labels in the type of the existing classes; all numeric types are compatible."""
    if known.dtype.kind in "iuf" and classes.dtype.kind in "iuf":
        return known
    raise ValueError(
        f"y holds labels of another kind ({known.dtype}) than the classes {classes.tolist()[:5]}."
    )


def _narrow(known: AnyArray) -> AnyArray:
    """Return an object array of strings, booleans or numbers as an array of that type."""
    kinds: set[str] = set()
    for value in known:
        if isinstance(value, str):
            kinds.add("text")
        elif isinstance(value, bool | np.bool_):
            kinds.add("true or false")
        elif isinstance(value, int | float | np.integer | np.floating):
            kinds.add("numbers")
        else:
            raise ValueError(
                f"Unknown label type: y holds {shown(value)} of type {type(value).__name__}; use "
                f"strings, whole numbers or booleans."
            )
    if len(kinds) > 1:
        raise ValueError(
            f"y mixes {' and '.join(sorted(kinds))}: use labels of one kind, and None or "
            f"missing_label=... for missing ones."
        )
    return np.array(known.tolist())
