"""scikit-learn's own checks of what an estimator must do."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from lapoleaf.baselines import AGR, FLP, HAGR, LLGC, LSSVR, RGSSLMCC, PoissonLearning

CLASSES = {"check_classifiers_classes": "it fits classes -1 and 1, and -1 means unlabelled"}


def expected_failed_checks(estimator):
    return {} if isinstance(estimator, LSSVR) else CLASSES


# Tiny data sets of the checks bring the warning of one class, random labels never settle.
pytestmark = [
    pytest.mark.filterwarnings("ignore:y has one class only"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@parametrize_with_checks(
    [LLGC(), FLP(), AGR(), HAGR(), RGSSLMCC(max_iter=5), LSSVR(), PoissonLearning()],
    expected_failed_checks=expected_failed_checks,
)
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [LLGC(n_neighbors=None), RGSSLMCC(mu=0.01, max_iter=5), PoissonLearning(solver="exact")],
    expected_failed_checks=expected_failed_checks,
)
def test_with_other_parameters_it_passes_them_too(estimator, check):
    check(estimator)
