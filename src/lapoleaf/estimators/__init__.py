"""Estimators with scikit-learn's habits: classes, numbers, clusters."""

from lapoleaf.estimators.classifier import LaPOLeaFClassifier
from lapoleaf.estimators.clustering import LoDOG
from lapoleaf.estimators.doubting import SuspiciousLabels
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.regressor import LaPOLeaFRegressor
from lapoleaf.estimators.splitting import LabelledKFold

__all__ = [
    "Explanation",
    "LaPOLeaFClassifier",
    "LaPOLeaFRegressor",
    "LabelledKFold",
    "LoDOG",
    "SuspiciousLabels",
]
