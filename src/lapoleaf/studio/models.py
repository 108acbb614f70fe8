"""A model as rows to label: its rows, and the labels it was given."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._encoding.extras import imported
from lapoleaf._messages import shown
from lapoleaf.estimators.frame_columns import as_pandas
from lapoleaf.estimators.labels_frame import pandas_index
from lapoleaf.estimators.relabelling import without_labels
from lapoleaf.inputs import Dataset


def is_model(source: Any) -> bool:
    """Whether something is a fitted model that labels can be given to."""
    return hasattr(source, "update_labels") and hasattr(source, "suggest")


def rows_and_model(model: Any, name: str) -> tuple[Dataset, Any]:
    """Return the rows of a model with their labels, and the model without these.

    Parameters
    ----------
    model : LaPOLeaFClassifier or LeadingForestClassifier
        Fitted.
    name : str
        What it is called in messages.
    """
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{name} is a {type(model).__name__}, and the studio is for classes: use a "
            f"LaPOLeaFClassifier."
        )
    rows = model._fitted.rows
    frame, names = _frame(model, rows)
    given = model._fitted.given
    labels = np.full(len(frame), None, dtype=object)
    for row in np.flatnonzero(given.given).tolist():
        labels[row] = given.classes[given.codes[row]]
    data = Dataset(
        frame=frame,
        labels=labels,
        names=names,
        kind="table",
        source=name,
        label="label",
        id=None if rows.frame_index is None else "name",
    )
    return data, without_labels(model, -1).set_params(verbose=0)


def _frame(model: Any, rows: Any) -> tuple[Any, list[Any]]:
    """Return the cells of rows, as far as the model has kept them, and names of rows."""
    pandas = imported("pandas")
    index = rows.frame_index
    names: list[Any] = list(range(len(rows.ids)))
    if index is not None and index.parts and index.container == "pandas":
        names = [", ".join(map(str, n)) if isinstance(n, tuple) else n for n in pandas_index(index)]
    if index is not None and index.cells is not None:
        columns = zip(index.cells.names, index.cells.columns, strict=True)
        return pandas.DataFrame({name: as_pandas(column) for name, column in columns}), names
    X = rows.all_rows()
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    if X.ndim != 2 or X.shape[0] != len(rows.ids):
        raise ValueError(f"the rows of a model by metric={shown(model.metric)} cannot be shown.")
    if model._fitted_scaling is not None:
        X = model._fitted_scaling.undo(X.T).T
    known = getattr(model, "feature_names_in_", None)
    if known is None or len(known) != X.shape[1]:
        known = [f"column_{number}" for number in range(1, X.shape[1] + 1)]
    return pandas.DataFrame(X, columns=list(map(str, known))), names
