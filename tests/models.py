"""Models for tests: one forest, or an ensemble of a few forests instead of a hundred."""

import numpy as np

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
)

FEW = 5
KINDS = (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
)


def one_tree(**params):
    """Return a classifier of one forest that keeps all given labels."""
    return LeadingForestClassifier(**{"mu": np.inf, **params})


def one_tree_of_numbers(**params):
    """Return a regressor of one forest, its links weighted by their inverse lengths."""
    return LeadingForestRegressor(**{"mu": "auto", "weights": "inverse", **params})


def few_forests(**params):
    """Return the default classifier, but for the number of forests."""
    return LaPOLeaFClassifier(**{"n_forests": FEW, **params})


def few_forests_of_numbers(**params):
    """Return the default regressor, but for the number of forests."""
    return LaPOLeaFRegressor(**{"n_forests": FEW, **params})


# Makers of a classifier and a regressor: what holds for all models is tested with both pairs.
PAIRS = {
    "one tree": (one_tree, one_tree_of_numbers),
    "few forests": (few_forests, few_forests_of_numbers),
}
