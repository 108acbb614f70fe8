"""A warning where the given labels do not predict each other; contrast of rows."""

import warnings

import numpy as np
import pytest
from models import few_forests, few_forests_of_numbers

from lapoleaf import LaPOLeaFClassifier
from lapoleaf._points import make_points
from lapoleaf.estimators.contrast import USUAL_CONTRAST, contrast_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 5))


def test_labels_by_chance_are_warned_of():
    y = np.where(np.arange(200) < 60, RNG.integers(0, 2, 200), -1)
    with pytest.warns(UserWarning, match=r"The 60 given labels hardly predict each other"):
        few_forests().fit(X, y)
    targets = np.where(np.arange(200) < 60, RNG.normal(size=200), np.nan)
    with pytest.warns(UserWarning, match=r"may need another scaling or metric"):
        few_forests_of_numbers().fit(X, targets)


@pytest.mark.parametrize(
    "y",
    [
        np.where(np.arange(200) < 60, (X[:, 0] > 0).astype(int), -1),
        np.where(np.arange(200) < 10, RNG.integers(0, 2, 200), -1),
        np.where(np.arange(200) < 30, np.arange(200), -1),
    ],
    ids=["labels that follow from X", "few labels", "one label a class"],
)
def test_others_are_not_warned_of(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few_forests().fit(X, y)
        LaPOLeaFClassifier.as_published().fit(X, y)


def contrast(rows, metric="euclidean"):
    return contrast_of(make_points(rows, metric, None, np.ones(len(rows))))


def test_contrast_of_curves_and_of_chance():
    along = np.linspace(0, 1, 300)[:, None]
    curves = np.sin(along * np.arange(1, 11))
    assert contrast(curves) < 0.3 < 0.9 < contrast(RNG.normal(size=(300, 10)))


def test_contrast_does_not_depend_on_order_or_unit():
    rows = RNG.normal(size=(500, 4))
    shuffled = rows[RNG.permutation(500)]
    assert contrast(shuffled) == pytest.approx(contrast(rows), rel=1e-12)
    assert contrast(rows * 2.0**600) == contrast(rows)


@pytest.mark.parametrize("rows", [np.ones((1, 3)), np.eye(4), np.zeros((30, 2))], ids=len)
def test_contrast_that_cannot_be_told(rows):
    assert contrast(rows) == USUAL_CONTRAST


def test_contrast_of_rows_with_holes():
    rows = X.copy()
    rows[::3, 1] = np.nan
    assert contrast(rows, "nan_euclidean") == USUAL_CONTRAST
    distances = np.abs(X[:, :1] - X[:, 0])
    assert contrast(distances, "precomputed") == USUAL_CONTRAST
