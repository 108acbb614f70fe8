"""Pictures of trees and forests, in the manner of scikit-learn's displays."""

from lapoleaf.plots.decision_graph import DecisionGraphDisplay
from lapoleaf.plots.forest import ForestDisplay
from lapoleaf.plots.objective import ObjectiveDisplay

__all__ = ["DecisionGraphDisplay", "ForestDisplay", "ObjectiveDisplay"]
