"""Our classifiers and regressors: by default, without some part, and as published."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.methods.method import CLASSES, NUMBERS, Method, grid_of
from lapoleaf.estimators import LaPOLeaFClassifier, LaPOLeaFRegressor, LeadingForestClassifier

OURS, PUBLISHED = "lapoleaf", "paper"


def classifier(**params: Any) -> LaPOLeaFClassifier:
    """Return the default classifier, on one thread."""
    return LaPOLeaFClassifier(**{"n_jobs": 1, "missing_label": -1, **params})


def published_classifier(**params: Any) -> LeadingForestClassifier:
    """Return the paper's algorithm as it was published, on one thread."""
    return LaPOLeaFClassifier.as_published(**{"n_jobs": 1, "missing_label": -1, **params})


def regressor(**params: Any) -> LaPOLeaFRegressor:
    """Return the default regressor, on one thread."""
    return LaPOLeaFRegressor(**{"n_jobs": 1, **params})


# The default without some part.
_VARIANTS: dict[str, dict[str, Any]] = {
    "one forest": {"n_forests": 1},
    "no class mass": {"class_prior": None},
    "no ridge": {"experts": None},
    "labels for sure": {"mu": np.inf},
    "forests alone": {"class_prior": None, "experts": None, "mu": np.inf},
}
_EVERYWHERE = (
    "ours", "clean", "images", "texts", "parts", "calibration", "speed", "paper", "small",
)  # fmt: skip

METHODS = (
    Method(OURS, CLASSES, classifier, tags=_EVERYWHERE, label="LaPOLeaF"),
    *(
        Method(name, CLASSES, partial(classifier, **params), tags=("ours", "parts"))
        for name, params in _VARIANTS.items()
    ),
    Method(PUBLISHED, CLASSES, published_classifier, tags=("clean", "images")),
    Method(
        "LaPOLeaF as published",
        CLASSES,
        published_classifier,
        grid=({"percent": 3.0, "alpha": 0.4, "cost": "imagenet"},),
        tags=("paper",),
    ),
    Method(
        "LaPOLeaF as published, tuned",
        CLASSES,
        published_classifier,
        grid=grid_of(percent=(1.0, 2.0, 5.0, 10.0)),
        tags=("paper", "small"),
    ),
    Method(OURS, NUMBERS, regressor, tags=("ours", "regression", "few targets"), label="LaPOLeaF"),
    Method("no trees", NUMBERS, partial(regressor, experts=["trend"]), tags=("ours", "regression")),
)


def is_ours(name: str) -> bool:
    """Whether a method of this name is ours, by default or without some part.

    Examples
    --------
    >>> from benchmarks.methods.ours import is_ours
    >>> [is_ours(name) for name in ("lapoleaf", "no ridge", "paper", "svc")]
    [True, True, False, False]
    """
    return any(method.name == name and "ours" in method.tags for method in METHODS)
