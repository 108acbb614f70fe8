"""Packages of the extras ``tables`` and ``text``, imported where they are needed."""

from __future__ import annotations

import importlib
from types import ModuleType

_EXTRAS = {
    "tables": ("Tables", ("pandas", "skrub", "pyarrow", "openpyxl")),
    "text": ("Vectors of texts", ("wordllama", "safetensors", "tokenizers")),
}


def needed(package: str) -> str:
    """Return the sentence that names a missing package and how to install it.

    Examples
    --------
    >>> from lapoleaf._encoding.extras import needed
    >>> print(needed("skrub"))
    Tables need skrub, which is not installed: pip install "lapoleaf[tables]".
    """
    extra, what = next((e, what) for e, (what, names) in _EXTRAS.items() if package in names)
    return f'{what} need {package}, which is not installed: pip install "lapoleaf[{extra}]".'


def imported(name: str) -> ModuleType:
    """Import a module of an extra, or raise with how to install it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(needed(name.partition(".")[0])) from error
