"""A page to label rows in: label one, and all labels follow."""

from lapoleaf.studio.serving import StudioServer, serve

__all__ = ["StudioServer", "serve"]
