"""The leading forest: the tree cut at its optimal number of centres."""

from lapoleaf.forest.objective import lodog
from lapoleaf.forest.structure import LeadingForest

__all__ = ["LeadingForest", "lodog"]
