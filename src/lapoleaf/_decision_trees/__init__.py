"""Random decision trees of labelled rows, as plain arrays."""

from __future__ import annotations

from lapoleaf._decision_trees.labels import Entries
from lapoleaf._decision_trees.random_trees import RandomTrees

__all__ = ["Entries", "RandomTrees"]
