"""The objective of LoDOG, for every number of trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._typing import FloatArray
from lapoleaf.plots._axes import ACCENT, PLAIN, axes_or_new, tidy
from lapoleaf.plots._fitted import fitted_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


class ObjectiveDisplay:
    """The objective Q(N) for every number of trees N, with the chosen number marked.

    It is recommended to use :meth:`from_estimator` or :meth:`from_forest` to make a display.
    Parameters are kept as attributes.

    Parameters
    ----------
    objective : ndarray of shape (n_nodes,)
        Value of the objective for 1, 2, ... trees.
    n_trees : int
        The chosen number of trees.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure containing the plot.
    line_ : matplotlib Line2D
        The curve.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf import ObjectiveDisplay, leading_tree, lodog
    >>> forest = lodog(leading_tree(load_iris().data))
    >>> ObjectiveDisplay.from_forest(forest).n_trees
    3
    """

    ax_: Axes
    figure_: Figure
    line_: Line2D

    def __init__(self, *, objective: FloatArray, n_trees: int) -> None:
        self.objective = objective
        self.n_trees = n_trees

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None, **line_kwargs: Any) -> Self:
        """Draw the objective of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier, regressor or :class:`LoDOG`, a pipeline that ends in one, or a
            search over either; of many forests the first is drawn.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **line_kwargs : dict
            Passed to the line of the curve.
        """
        return cls.from_forest(fitted_model(estimator).forest_, ax=ax, **line_kwargs)

    @classmethod
    def from_forest(
        cls, forest: LeadingForest, *, ax: Axes | None = None, **line_kwargs: Any
    ) -> Self:
        """Draw the objective of a forest that :func:`lodog` made.

        Parameters
        ----------
        forest : LeadingForest
            The forest.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **line_kwargs : dict
            Passed to the line of the curve.
        """
        if forest.objective is None:
            raise ValueError("forest has no objective: it was made from roots, not by lodog.")
        return cls(objective=forest.objective, n_trees=forest.n_trees).plot(ax=ax, **line_kwargs)

    def plot(self, *, ax: Axes | None = None, **line_kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **line_kwargs : dict
            Passed to the line of the curve.
        """
        ax = axes_or_new(ax)
        numbers = np.arange(1, len(self.objective) + 1)
        style = {"color": PLAIN, "linewidth": 2, **line_kwargs}
        (self.line_,) = ax.plot(numbers, self.objective, **style)
        value = float(self.objective[self.n_trees - 1])
        lowest = value <= np.min(self.objective) * (1 + 1e-9)
        words = f"{'lowest: ' if lowest else 'taken: '}{self.n_trees:,} " + (
            "tree" if self.n_trees == 1 else "trees"
        )
        ax.plot(self.n_trees, value, "o", color=ACCENT, markersize=8, zorder=3)
        ax.annotate(
            words, (self.n_trees, value), xytext=(10, 8), textcoords="offset points", color=ACCENT
        )
        ax.set_xscale("log")
        ax.set(xlabel="number of trees", ylabel="objective", title="How many trees")
        tidy(ax)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self
