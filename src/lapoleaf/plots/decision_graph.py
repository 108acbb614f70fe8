"""The decision graph, in which centres stand out by high density and distance to their leader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.plots._axes import ACCENT, PLAIN, axes_or_new, tidy
from lapoleaf.plots._fitted import fitted_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure


class DecisionGraphDisplay:
    """Density of every node against the distance to its leader, with the roots marked.

    It is recommended to use :meth:`from_estimator` or :meth:`from_forest` to make a display.
    Parameters are kept as attributes.

    Parameters
    ----------
    density : ndarray of shape (n_nodes,)
        Density of every node.
    delta : ndarray of shape (n_nodes,)
        Distance of every node to its leader.
    roots : ndarray of shape (n_trees,)
        Roots of the trees of the forest.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure containing the plot.
    nodes_, roots_ : matplotlib PathCollection
        The points drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf import DecisionGraphDisplay, leading_tree, lodog
    >>> forest = lodog(leading_tree(load_iris().data))
    >>> display = DecisionGraphDisplay.from_forest(forest)
    >>> display.ax_.get_xlabel()
    'density'
    """

    ax_: Axes
    figure_: Figure
    nodes_: PathCollection
    roots_: PathCollection

    def __init__(self, *, density: FloatArray, delta: FloatArray, roots: IntArray) -> None:
        self.density = density
        self.delta = delta
        self.roots = roots

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Axes | None = None, **scatter_kwargs: Any
    ) -> Self:
        """Draw the decision graph of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier, regressor or :class:`LoDOG`, a pipeline that ends in one, or a
            search over either; of many forests the first is drawn.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **scatter_kwargs : dict
            Passed to the scatter of all nodes.
        """
        return cls.from_forest(fitted_model(estimator).forest_, ax=ax, **scatter_kwargs)

    @classmethod
    def from_forest(
        cls, forest: LeadingForest, *, ax: Axes | None = None, **scatter_kwargs: Any
    ) -> Self:
        """Draw the decision graph of a forest.

        Parameters
        ----------
        forest : LeadingForest
            The forest.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **scatter_kwargs : dict
            Passed to the scatter of all nodes.
        """
        tree = forest.tree
        display = cls(density=tree.density, delta=tree.delta, roots=forest.roots)
        return display.plot(ax=ax, **scatter_kwargs)

    def plot(self, *, ax: Axes | None = None, **scatter_kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **scatter_kwargs : dict
            Passed to the scatter of all nodes.
        """
        ax = axes_or_new(ax)
        style = {"s": 9, "color": PLAIN, "alpha": 0.6, "linewidths": 0, **scatter_kwargs}
        self.nodes_ = ax.scatter(self.density, self.delta, label="points", **style)
        number = len(self.roots)
        self.roots_ = ax.scatter(
            self.density[self.roots],
            self.delta[self.roots],
            s=45,
            color=ACCENT,
            edgecolors="white",
            linewidths=0.8,
            label="root of the tree" if number == 1 else f"roots of {number:,} trees",
            zorder=3,
        )
        ax.set(xlabel="density", ylabel="distance to leader", title="Who could be a centre")
        ax.set_ylim(bottom=0, top=1.08 * float(np.max(self.delta)) or 1.0)
        ax.legend(frameon=False, loc="best")
        tidy(ax)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self
