"""Semi-supervised labelling with leading forests.

Names are imported lazily, on first use, so that ``import lapoleaf`` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lapoleaf._version import __version__

if TYPE_CHECKING:
    from lapoleaf._encoding import TableEncoder
    from lapoleaf._forest import LeadingForest, lodog
    from lapoleaf._propagation import Propagation, propagate
    from lapoleaf._tree import GrowingTree, LeadingTree, leading_tree
    from lapoleaf.estimators import (
        Explanation,
        ForestMap,
        LabelledKFold,
        LaPOLeaFClassifier,
        LaPOLeaFRegressor,
        LeadingForestClassifier,
        LeadingForestMap,
        LeadingForestRegressor,
        LoDOG,
        SuspiciousLabels,
        layout,
    )
    from lapoleaf.io import LoadError, load, save
    from lapoleaf.plots import DecisionGraphDisplay, ForestDisplay, ObjectiveDisplay

_ROOMS = {
    "DecisionGraphDisplay": "plots",
    "Explanation": "estimators",
    "ForestDisplay": "plots",
    "ForestMap": "estimators",
    "GrowingTree": "_tree",
    "LaPOLeaFClassifier": "estimators",
    "LaPOLeaFRegressor": "estimators",
    "LabelledKFold": "estimators",
    "LeadingForest": "_forest",
    "LeadingForestClassifier": "estimators",
    "LeadingForestMap": "estimators",
    "LeadingForestRegressor": "estimators",
    "LeadingTree": "_tree",
    "LoDOG": "estimators",
    "LoadError": "io",
    "ObjectiveDisplay": "plots",
    "Propagation": "_propagation",
    "SuspiciousLabels": "estimators",
    "TableEncoder": "_encoding",
    "layout": "estimators",
    "leading_tree": "_tree",
    "load": "io",
    "lodog": "_forest",
    "propagate": "_propagation",
    "save": "io",
}

__all__ = [
    "DecisionGraphDisplay",
    "Explanation",
    "ForestDisplay",
    "ForestMap",
    "GrowingTree",
    "LaPOLeaFClassifier",
    "LaPOLeaFRegressor",
    "LabelledKFold",
    "LeadingForest",
    "LeadingForestClassifier",
    "LeadingForestMap",
    "LeadingForestRegressor",
    "LeadingTree",
    "LoDOG",
    "LoadError",
    "ObjectiveDisplay",
    "Propagation",
    "SuspiciousLabels",
    "TableEncoder",
    "__version__",
    "layout",
    "leading_tree",
    "load",
    "lodog",
    "propagate",
    "save",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'lapoleaf' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"lapoleaf.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS})
