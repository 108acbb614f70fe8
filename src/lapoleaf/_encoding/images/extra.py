"""The error where the extra ``images`` is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType


def needed(what: str) -> str:
    """Return the sentence that names what is missing and how to get it."""
    return f"Pictures need {what}: pip install 'lapoleaf[images]'."


def imported(name: str) -> ModuleType:
    """Import a module of the extra, or raise with how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = {"PIL": "pillow"}.get(name.partition(".")[0], name.partition(".")[0])
        raise ModuleNotFoundError(needed(package)) from error
