"""Weights through pipelines, searches and cross-validation, with scikit-learn's routing on."""

import numpy as np
import pytest
from labelled import iris
from models import FEW
from sklearn import config_context
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from lapoleaf import (
    LabelledKFold,
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
)
from lapoleaf.baselines import LLGC, LSSVR

X, CLASSES, _ = iris()
NUMBERS = np.where(CLASSES < 0, np.nan, CLASSES)
WEIGHT = 1.0 + np.arange(len(X)) % 3
# Some rows are left out of the forest.
WEIGHT[50:100:2] = 0.0

MODELS = {
    "LaPOLeaFClassifier": (lambda: LaPOLeaFClassifier(n_forests=FEW), CLASSES),
    "LeadingForestClassifier": (LeadingForestClassifier, CLASSES),
    "LaPOLeaFRegressor": (lambda: LaPOLeaFRegressor(n_forests=FEW), NUMBERS),
    "LeadingForestRegressor": (LeadingForestRegressor, NUMBERS),
}
every_model = pytest.mark.parametrize(("make", "y"), MODELS.values(), ids=MODELS)


@pytest.fixture(autouse=True)
def _routing():
    with config_context(enable_metadata_routing=True):
        yield


@every_model
def test_requests_of_methods(make, y):
    model = make()
    for method in ("fit", "partial_fit", "score"):
        getattr(model, f"set_{method}_request")(sample_weight=True)
        requests = getattr(model.get_metadata_routing(), method).requests
        assert requests["sample_weight"] is True


@every_model
def test_weights_without_a_request_are_refused(make, y):
    pipeline = make_pipeline(FunctionTransformer(), make())
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        pipeline.fit(X, y, sample_weight=WEIGHT)


@every_model
def test_weights_reach_fit_and_score_through_a_pipeline(make, y):
    last = make().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    pipeline = make_pipeline(FunctionTransformer(), last).fit(X, y, sample_weight=WEIGHT)
    plain = make().fit(X, y, WEIGHT)
    np.testing.assert_array_equal(pipeline[-1].transduction_, plain.transduction_)
    assert (plain.transduction_ != make().fit(X, y).transduction_).any()
    truth = np.arange(len(X)) // 50
    weighted = plain.score(X, truth, WEIGHT)
    assert pipeline.score(X, truth, sample_weight=WEIGHT) == weighted != plain.score(X, truth)


@every_model
def test_requests_survive_fits_and_changes(make, y):
    model = make().set_partial_fit_request(sample_weight=True).fit(X, y)
    model.partial_fit(X[:2], y[:2], sample_weight=[1.0, 2.0]).forget([0])
    assert model.get_metadata_routing().partial_fit.requests["sample_weight"] is True


@pytest.mark.sampled(2)
@every_model
def test_weights_reach_searches_with_labelled_folds(make, y):
    model = make().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    folds = list(LabelledKFold(3).split(X, y))
    search = GridSearchCV(model, {"mu": [0.1, 10.0]}, cv=LabelledKFold(3))
    search.fit(X, y, sample_weight=WEIGHT)
    for number, (train, test) in enumerate(folds):
        plain = make().set_params(mu=10.0).fit(X[train], y[train], WEIGHT[train])
        score = plain.score(X[test], y[test], WEIGHT[test])
        assert search.cv_results_[f"split{number}_test_score"][1] == pytest.approx(score)
    best = make().set_params(**search.best_params_).fit(X, y, WEIGHT)
    np.testing.assert_array_equal(search.best_estimator_.transduction_, best.transduction_)


@every_model
def test_weights_reach_cross_validation(make, y):
    model = make().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    found = cross_validate(
        make_pipeline(FunctionTransformer(), model),
        X,
        y,
        cv=LabelledKFold(3),
        params={"sample_weight": WEIGHT},
        return_estimator=True,
    )
    for (train, test), fitted, score in zip(
        LabelledKFold(3).split(X, y), found["estimator"], found["test_score"], strict=True
    ):
        plain = make().fit(X[train], y[train], WEIGHT[train])
        np.testing.assert_array_equal(fitted[-1].transduction_, plain.transduction_)
        assert score == pytest.approx(plain.score(X[test], y[test], WEIGHT[test]))


def test_weights_of_clusters():
    pipeline = make_pipeline(FunctionTransformer(), LoDOG().set_fit_request(sample_weight=True))
    found = pipeline.fit(X, sample_weight=WEIGHT)[-1]
    np.testing.assert_array_equal(found.labels_, LoDOG().fit(X, sample_weight=WEIGHT).labels_)
    assert found.tree_.n_nodes < LoDOG().fit(X).tree_.n_nodes


@pytest.mark.parametrize(("make", "y"), [(LLGC, CLASSES), (LSSVR, NUMBERS)])
def test_baselines_take_weights_of_scores(make, y):
    truth = np.arange(len(X)) // 50
    pipeline = make_pipeline(FunctionTransformer(), make().set_score_request(sample_weight=True))
    pipeline.fit(X, y)
    score = make().fit(X, y).score(X, truth, WEIGHT)
    assert pipeline.score(X, truth, sample_weight=WEIGHT) == score
