"""The model inside a pipeline or a search, and the rows as it sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def fitted_model(estimator: Any) -> Any:
    """Return the fitted model with a forest that an estimator is, or has inside.

    Parameters
    ----------
    estimator : estimator
        A model, a pipeline whose last step is one, or a search (as
        :class:`~sklearn.model_selection.GridSearchCV`) over either.
    """
    return _model_and_pipelines(estimator)[0]


def rows_of_model(estimator: Any, X: Any) -> Any:
    """Return X as the model inside gets it: transformed by the steps of a pipeline before it.

    Parameters
    ----------
    estimator : estimator
        As for :func:`fitted_model`.
    X : array-like
        Rows for the estimator; positions in the plane, two columns where the estimator takes
        another number, are returned as they are.
    """
    for pipeline in _model_and_pipelines(estimator)[1]:
        if _in_the_plane(pipeline, X):
            return X
        if len(pipeline) > 1:
            X = pipeline[:-1].transform(X)
    return X


def _model_and_pipelines(estimator: Any) -> tuple[Any, list[Pipeline]]:
    """Return the innermost model, and the pipelines on the way to it, the outermost first."""
    pipelines = []
    while True:
        if isinstance(estimator, Pipeline):
            pipelines.append(estimator)
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            break
    name = type(estimator).__name__
    if getattr(estimator, "refit", True) is False:
        raise ValueError(
            f"{name} has no fitted model to draw: it needs refit=True instead of False."
        )
    check_is_fitted(estimator)
    if not hasattr(estimator, "forest_"):
        raise TypeError(
            f"{name} has no forest to draw: pass a classifier, regressor or LoDOG of lapoleaf, a "
            f"pipeline that ends in one, or a search over either."
        )
    return estimator, pipelines


def _in_the_plane(pipeline: Pipeline, X: Any) -> bool:
    """Whether X is a map of the rows to the plane, and not rows for the pipeline."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    return len(shape) == 2 and shape[1] == 2 and getattr(pipeline, "n_features_in_", None) != 2
