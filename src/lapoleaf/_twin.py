"""Fits that succeed or leave an estimator as it was: an unfitted twin learns, and hands over."""

from __future__ import annotations

from typing import TypeVar

from sklearn.base import BaseEstimator

_E = TypeVar("_E", bound=BaseEstimator)
# What scikit-learn attaches to an estimator, fitted or not: metadata requests, the container of its
# output, callbacks.
_OF_SCIKIT_LEARN = (
    "_metadata_request",
    "_sklearn_output_config",
    "_skl_callbacks",
    "_parent_callback_ctx",
)


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
        Its fitted twin, which is not used elsewhere.
    """
    attached = {name: vars(estimator)[name] for name in _OF_SCIKIT_LEARN if name in vars(estimator)}
    estimator.__dict__ = {**attached, **vars(twin)}
    return estimator
