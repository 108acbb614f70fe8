"""Warnings that point to the user's code."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parent)


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn with the line that called this package.

    Frames of other packages between functions of this one, such as numba, are skipped.
    """
    frame, level, outermost = sys._getframe(1), 2, 2
    while frame.f_back is not None:
        if frame.f_code.co_filename.startswith(_HERE):
            outermost = level + 1
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=outermost)
