"""scikit-learn's own checks of what an estimator must do."""

import pytest
from models import few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn.utils.estimator_checks import parametrize_with_checks

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestMap,
    LeadingForestRegressor,
    LoDOG,
)

OF_CLASSIFIERS = {
    "check_classifiers_classes": "it fits classes -1 and 1, and -1 means unlabelled",
}
EXPECTED_TO_FAIL = {
    LaPOLeaFClassifier: OF_CLASSIFIERS,
    LeadingForestClassifier: OF_CLASSIFIERS,
}


def expected_failed_checks(estimator):
    return EXPECTED_TO_FAIL.get(type(estimator), {})


# Tiny data sets of the checks bring the warnings of one class and of one distinct point.
pytestmark = [
    pytest.mark.filterwarnings("ignore:y has one class only", "ignore:X has one distinct point"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]


@parametrize_with_checks(
    [
        few_forests(),
        LeadingForestClassifier(),
        few_forests_of_numbers(),
        LeadingForestRegressor(),
        LoDOG(),
        LeadingForestMap(n_forests=5, n_iterations=20),
    ],
    expected_failed_checks=expected_failed_checks,
)
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        one_tree(),
        LaPOLeaFClassifier.as_published(n_trees=1),
        one_tree_of_numbers(),
        LaPOLeaFRegressor.as_published(percent=20),
    ],
    expected_failed_checks=expected_failed_checks,
)
def test_with_other_parameters_it_passes_them_too(estimator, check):
    check(estimator)
