"""The leading forest: a leading tree cut at its optimal number of centres."""

from lapoleaf._forest.objective import lodog
from lapoleaf._forest.structure import LeadingForest

__all__ = ["LeadingForest", "lodog"]
