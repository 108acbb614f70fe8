"""Atomic fits: an unfitted copy is fitted, and its attributes are transferred on success."""

from __future__ import annotations

from typing import TypeVar

from sklearn.base import BaseEstimator

_E = TypeVar("_E", bound=BaseEstimator)
# Attributes that scikit-learn sets on fitted and unfitted estimators: metadata requests, the output
# container, callbacks.
_OF_SCIKIT_LEARN = (
    "_metadata_request",
    "_sklearn_output_config",
    "_skl_callbacks",
    "_parent_callback_ctx",
)


def unfitted_twin(estimator: _E) -> _E:
    """Return an unfitted copy of an estimator that shares its parameters."""
    twin: _E = type(estimator)(**estimator.get_params(deep=False))
    return twin


def adopt(estimator: _E, twin: _E) -> _E:
    """Replace the fitted attributes of an estimator by those of a twin, in one assignment.

    Attributes set by scikit-learn, such as metadata requests and callbacks, are kept.

    Parameters
    ----------
    estimator : estimator
        The estimator to fit.
    twin : estimator
        Its fitted copy, which is not used elsewhere.
    """
    attached = {name: vars(estimator)[name] for name in _OF_SCIKIT_LEARN if name in vars(estimator)}
    estimator.__dict__ = {**attached, **vars(twin)}
    return estimator
