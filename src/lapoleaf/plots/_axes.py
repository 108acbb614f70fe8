"""Axes for the displays; matplotlib is imported only for drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of points without classes, and of highlights.
PLAIN, ACCENT = "#8a9bb0", "#d1495b"


def axes_or_new(ax: Axes | None, **figure: Any) -> Axes:
    """Return ``ax``, or the axes of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Displays need matplotlib: install it with pip install 'lapoleaf[plot]'."
        ) from error
    new: Axes = plt.subplots(layout="constrained", **figure)[1]
    return new


def tidy(ax: Axes) -> None:
    """Remove the top and right spines of a plot."""
    ax.spines[["top", "right"]].set_visible(False)
