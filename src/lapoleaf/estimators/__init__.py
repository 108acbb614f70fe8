"""Estimators with scikit-learn's conventions: classes, numbers, clusters."""

from lapoleaf.estimators.clustering import LoDOG
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.lapoleaf_classifier import LaPOLeaFClassifier
from lapoleaf.estimators.lapoleaf_regressor import LaPOLeaFRegressor
from lapoleaf.estimators.leading_forest_classifier import LeadingForestClassifier
from lapoleaf.estimators.leading_forest_regressor import LeadingForestRegressor
from lapoleaf.estimators.splitting import LabelledKFold
from lapoleaf.estimators.suspicion import SuspiciousLabels

__all__ = [
    "Explanation",
    "LaPOLeaFClassifier",
    "LaPOLeaFRegressor",
    "LabelledKFold",
    "LeadingForestClassifier",
    "LeadingForestRegressor",
    "LoDOG",
    "SuspiciousLabels",
]
