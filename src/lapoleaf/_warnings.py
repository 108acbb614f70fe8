"""Warnings that point at the user's line, not at one of ours."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parent)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, naming the line that called this package.

    Packages between two of our functions, as numba while it compiles, are not named.
    """
    frame, level, outermost = sys._getframe(1), 2, 2
    while frame.f_back is not None:
        if frame.f_code.co_filename.startswith(_HERE):
            outermost = level + 1
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=outermost)
