"""Estimators with scikit-learn's conventions: classes, numbers, clusters."""

from lapoleaf.estimators.clustering import LoDOG
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.forest_map import ForestMap, layout
from lapoleaf.estimators.lapoleaf_classifier import LaPOLeaFClassifier
from lapoleaf.estimators.lapoleaf_regressor import LaPOLeaFRegressor
from lapoleaf.estimators.leading_forest_classifier import LeadingForestClassifier
from lapoleaf.estimators.leading_forest_map import LeadingForestMap
from lapoleaf.estimators.leading_forest_regressor import LeadingForestRegressor
from lapoleaf.estimators.splitting import LabelledKFold
from lapoleaf.estimators.suspicion import SuspiciousLabels

__all__ = [
    "Explanation",
    "ForestMap",
    "LaPOLeaFClassifier",
    "LaPOLeaFRegressor",
    "LabelledKFold",
    "LeadingForestClassifier",
    "LeadingForestMap",
    "LeadingForestRegressor",
    "LoDOG",
    "SuspiciousLabels",
    "layout",
]
