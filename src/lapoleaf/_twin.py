"""Fits that succeed or leave an estimator as it was: an unfitted twin learns, and hands over."""

from __future__ import annotations

from typing import TypeVar

from sklearn.base import BaseEstimator

_E = TypeVar("_E", bound=BaseEstimator)


def unfitted_twin(estimator: _E) -> _E:
    """Return an unfitted estimator with the same parameters, which are not copied."""
    twin: _E = type(estimator)(**estimator.get_params(deep=False))
    return twin


def adopt(estimator: _E, twin: _E) -> _E:
    """Hand over what a twin has learnt, in one assignment; what was learnt before is gone.

    What others have attached to the estimator stays: scikit-learn's metadata requests, callbacks.

    Parameters
    ----------
    estimator : estimator
        What is to be fitted.
    twin : estimator
        Its fitted twin, which nobody else uses.
    """
    others = {name: value for name, value in vars(estimator).items() if not _is_learnt(name)}
    estimator.__dict__ = {**others, **vars(twin)}
    return estimator


def _is_learnt(name: str) -> bool:
    """Whether an attribute is a fitted one by its name."""
    return name.endswith("_") and not name.startswith("_")
