"""Models in files: written whole or not at all, and safe to load."""

from lapoleaf.io.errors import LoadError
from lapoleaf.io.loading import load
from lapoleaf.io.saving import save

__all__ = ["LoadError", "load", "save"]
