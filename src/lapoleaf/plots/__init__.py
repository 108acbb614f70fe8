"""Plots of trees and forests, as displays in the sense of scikit-learn."""

from lapoleaf.plots.decision_graph import DecisionGraphDisplay
from lapoleaf.plots.forest import ForestDisplay
from lapoleaf.plots.objective import ObjectiveDisplay

__all__ = ["DecisionGraphDisplay", "ForestDisplay", "ObjectiveDisplay"]
