"""The model inside a pipeline or a search."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def fitted_model(estimator: Any) -> Any:
    """Return the fitted model with a forest that an estimator is or contains.

    Parameters
    ----------
    estimator : estimator
        A model, a pipeline whose last step is one, or a search (as
        :class:`~sklearn.model_selection.GridSearchCV`) over either.
    """
    while True:
        if isinstance(estimator, Pipeline):
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
    return estimator
