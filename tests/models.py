"""Models for tests: one plain tree, or a few forests instead of a hundred."""

import numpy as np

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor

FEW = 5


def one_tree(**params):
    """A classifier that propagates in one plain forest, and nothing else."""
    alone = {"n_forests": 1, "class_prior": None, "ridge": None, "mu": np.inf}
    return LaPOLeaFClassifier(**{**alone, **params})


def one_tree_of_numbers(**params):
    """A regressor that propagates in one plain forest, and nothing else."""
    alone = {"n_forests": 1, "ridge": None, "mu": "auto", "weights": "inverse"}
    return LaPOLeaFRegressor(**{**alone, **params})


def few_forests(**params):
    """The classifier as it comes, but for the number of forests."""
    return LaPOLeaFClassifier(**{"n_forests": FEW, **params})


def few_forests_of_numbers(**params):
    """The regressor as it comes, but for the number of forests."""
    return LaPOLeaFRegressor(**{"n_forests": FEW, **params})


# Makers of a classifier and a regressor: what holds for all models is tested with both pairs.
PAIRS = {
    "one tree": (one_tree, one_tree_of_numbers),
    "few forests": (few_forests, few_forests_of_numbers),
}
