"""Fitted models with their labels removed."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from lapoleaf.estimators.class_labels import no_labels
from lapoleaf.estimators.classification import ForestClassifier
from lapoleaf.estimators.state import Fitted, State


def without_labels(model: ForestClassifier, missing_label: Any = "auto") -> Any:
    """Return a copy of a fitted classifier with its rows and without labels.

    It accepts labels of any type; nothing else is recomputed.

    Parameters
    ----------
    model : LaPOLeaFClassifier or LeadingForestClassifier
        Fitted; it stays as it is.
    missing_label : object
        What marks a missing label from now on.

    Examples
    --------
    >>> from lapoleaf import LaPOLeaFClassifier
    >>> from lapoleaf.estimators.relabelling import without_labels
    >>> model = LaPOLeaFClassifier().fit([[0.0], [1.0], [8.0]], ["low", None, "high"])
    >>> without_labels(model).update_labels([0, 2], [1, 2]).transduction_
    array([1, 1, 2])
    """
    found = copy(model)
    found.set_params(missing_label=missing_label)
    rows = model._fitted.rows
    given = no_labels(missing_label)._with(
        np.full(len(rows.ids), -1), np.empty(0, np.int64), np.empty(0, np.int64)
    )
    found._state = State(Fitted(found._method(), rows, given))
    return found
