"""Models in files: written whole or not at all, safe to load, readable for good."""

from lapoleaf.persistence.errors import LoadError
from lapoleaf.persistence.loading import load
from lapoleaf.persistence.saving import save

__all__ = ["LoadError", "load", "save"]
