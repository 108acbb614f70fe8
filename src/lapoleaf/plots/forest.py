"""Plot of a forest over its map, coloured by label or by tree, optionally with links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import is_classifier

from lapoleaf._forest import LeadingForest
from lapoleaf._typing import AnyArray, BoolArray, FloatArray
from lapoleaf.estimators import ForestMap, layout
from lapoleaf.plots._axes import axes_or_new
from lapoleaf.plots._fitted import fitted_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.figure import Figure

# With more groups than this there is no legend, since colours cannot be distinguished.
_MOST_IN_LEGEND = 20
# Longer names, or more of them, would cover the points: given labels are then drawn as rings.
_MOST_LETTERS = 4
_MOST_NAMED = 100
# Longer names are abbreviated in the legend.
_MOST_LETTERS_IN_LEGEND = 24


class ForestDisplay:
    """A forest drawn over a map of its points.

    Every node is a dot; roots have a ring. Colours show labels if passed, otherwise trees. Points
    with a given label are larger, and annotated if names are short; the legend shows the colours of
    all classes. Optionally, every node is linked to its leader.

    It is recommended to use :meth:`from_estimator` or :meth:`from_forest` to make a display.
    Parameters are kept as attributes.

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    positions : ndarray of shape (n_nodes, 2)
        Where to draw each node.
    labels : array-like of shape (n_nodes,), default=None
        Label of each node; if None, its tree.
    given : array-like of shape (n_nodes,), bool, default=None
        Nodes whose label was given.
    trustworthiness : float, default=None
        Trustworthiness of the map, for the title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure containing the plot.
    nodes_ : matplotlib PathCollection
        The dots.
    links_ : matplotlib LineCollection or None
        The lines from nodes to their leaders; None without ``links``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf import ForestDisplay, leading_tree, lodog
    >>> X = load_iris().data
    >>> display = ForestDisplay.from_forest(lodog(leading_tree(X)), X[:, 2:], links=True)
    >>> len(display.links_.get_segments())
    146
    """

    ax_: Axes
    figure_: Figure
    nodes_: PathCollection
    links_: LineCollection | None

    def __init__(
        self,
        *,
        forest: LeadingForest,
        positions: FloatArray,
        labels: AnyArray | None = None,
        given: AnyArray | None = None,
        trustworthiness: float | None = None,
    ) -> None:
        self.forest = forest
        self.positions = positions
        self.labels = labels
        self.given = given
        self.trustworthiness = trustworthiness

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        positions: Any = None,
        *,
        links: bool = False,
        ax: Axes | None = None,
        **scatter_kwargs: Any,
    ) -> Self:
        """Draw the forest of a fitted estimator over its map.

        A classifier's forest is coloured by class, with the given labels named; any other by tree.

        Parameters
        ----------
        estimator : estimator
            A fitted classifier, regressor, :class:`LoDOG` or :class:`LeadingForestMap`, a pipeline
            that ends in one, or a search over either; of many forests the first is drawn.
        positions : array-like of shape (n_rows, 2), default=None
            Where to draw each row; by default in the map by :func:`layout`.
        links : bool, default=False
            Whether to draw a faint line from every point to its leader.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **scatter_kwargs : dict
            Passed to the scatter of all nodes.
        """
        model = fitted_model(estimator)
        classes = is_classifier(model)
        return cls._drawn(
            model.forest_,
            layout(model) if positions is None else positions,
            labels=model.transduction_ if classes else None,
            given=model.given_ if classes else None,
            links=links,
            ax=ax,
            **scatter_kwargs,
        )

    @classmethod
    def from_forest(
        cls,
        forest: LeadingForest,
        positions: Any = None,
        *,
        labels: AnyArray | None = None,
        given: AnyArray | None = None,
        links: bool = False,
        ax: Axes | None = None,
        **scatter_kwargs: Any,
    ) -> Self:
        """Draw a forest over its map, or over positions of your own.

        Parameters
        ----------
        forest : LeadingForest
            The forest.
        positions : array-like of shape (n_rows, 2), default=None
            Where to draw each row; by default in the map by :func:`layout`, which is coarse for
            more than 2,000 distinct rows, since it is computed from one forest.
        labels : array-like of shape (n_rows,), default=None
            Label of each row; if None, colours show the trees.
        given : array-like of shape (n_rows,), bool, default=None
            Rows whose label was given.
        links : bool, default=False
            Whether to draw a faint line from every point to its leader.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **scatter_kwargs : dict
            Passed to the scatter of all nodes.
        """
        return cls._drawn(
            forest,
            layout(forest) if positions is None else positions,
            labels=labels,
            given=given,
            links=links,
            ax=ax,
            **scatter_kwargs,
        )

    @classmethod
    def _drawn(
        cls,
        forest: LeadingForest,
        positions: Any,
        *,
        labels: AnyArray | None,
        given: AnyArray | None,
        links: bool,
        ax: Axes | None,
        **scatter_kwargs: Any,
    ) -> Self:
        tree = forest.tree
        plane = checked_positions(positions, tree.n_rows)
        first = tree.first_rows
        mask = None if given is None else _any_row(tree.node_of, np.asarray(given, dtype=bool))
        display = cls(
            forest=forest,
            positions=plane[first],
            labels=None if labels is None else np.asarray(labels)[first],
            given=None if mask is None else mask[: tree.n_nodes],
            trustworthiness=(
                positions.trustworthiness if isinstance(positions, ForestMap) else None
            ),
        )
        return display.plot(links=links, ax=ax, **scatter_kwargs)

    def plot(self, *, links: bool = False, ax: Axes | None = None, **scatter_kwargs: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        links : bool, default=False
            Whether to draw a faint line from every point to its leader.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure if None.
        **scatter_kwargs : dict
            Passed to the scatter of all nodes.
        """
        ax = axes_or_new(ax, figsize=(8, 6))
        groups = self.forest.tree_of if self.labels is None else np.asarray(self.labels)
        names, colours = _coloured(groups)
        self.links_ = self._draw_links(ax, colours) if links else None
        style = {"s": _dot_size(len(self.positions)), "linewidths": 0, **scatter_kwargs}
        x, y = self.positions.T
        self.nodes_ = ax.scatter(x, y, c=colours, zorder=2, **style)
        ax.scatter(
            x[self.forest.roots], y[self.forest.roots],
            s=110, facecolors="none", edgecolors="black", linewidths=1.4, zorder=4,
        )  # fmt: skip
        if self.given is not None:
            self._mark_given(ax, groups, colours)
        _legend(ax, names if self.labels is not None else [], self.given is not None, links)
        ax.set(xticks=[], yticks=[])
        ax.set_frame_on(False)
        ax.set_title(self._title())
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self

    def _title(self) -> str:
        trees = "1 tree" if self.forest.n_trees == 1 else f"{self.forest.n_trees:,} trees"
        title = f"The forest: {self.forest.tree.n_nodes:,} points in {trees}"
        if self.trustworthiness is None or np.isnan(self.trustworthiness):
            return title
        return f"{title} (trustworthiness {self.trustworthiness:.2f})"

    def _draw_links(self, ax: Axes, colours: FloatArray) -> LineCollection:
        from matplotlib.collections import LineCollection

        led = np.flatnonzero(~self.forest.is_root)
        ends = self.positions[self.forest.tree.parent[led]]
        segments = np.stack([self.positions[led], ends], axis=1)
        lines = LineCollection(
            list(segments), colors=colours[led], linewidths=0.6, alpha=0.35, zorder=1
        )
        ax.add_collection(lines)
        return lines

    def _mark_given(self, ax: Axes, groups: AnyArray, colours: FloatArray) -> None:
        """Annotate nodes with a given label, or draw rings if names would cover the plot."""
        nodes = np.flatnonzero(np.asarray(self.given))
        names = [str(groups[node]) for node in nodes]
        if len(nodes) > _MOST_NAMED or max(map(len, names), default=0) > _MOST_LETTERS:
            x, y = self.positions[nodes].T
            ax.scatter(
                x,
                y,
                s=60,
                facecolors="white",
                edgecolors=list(colours[nodes]),
                linewidths=2.2,
                zorder=5,
            )
            return
        for node, name in zip(nodes, names, strict=True):
            ax.text(
                float(self.positions[node, 0]),
                float(self.positions[node, 1]),
                name,
                ha="center",
                va="center",
                fontsize=9,
                fontweight="bold",
                color="black",
                parse_math=False,
                bbox={
                    "boxstyle": "circle,pad=0.25",
                    "facecolor": "white",
                    "edgecolor": colours[node],
                    "linewidth": 2.2,
                },
                zorder=5,
            )


def checked_positions(positions: Any, n_rows: int) -> FloatArray:
    """Return validated positions of rows in the plane."""
    plane = np.asarray(positions, dtype=np.float64)
    if plane.ndim == 2 and plane.shape[1] == 1:
        plane = np.column_stack([plane[:, 0], np.zeros(len(plane))])
    if plane.ndim != 2 or plane.shape[1] != 2:
        raise ValueError(
            f"positions must have two columns, got shape {plane.shape}: leave it out to draw the "
            f"map of the forests, or pass two dimensions of your own."
        )
    if len(plane) != n_rows:
        raise ValueError(f"positions has {len(plane)} rows, but the tree was built from {n_rows}.")
    return plane


def _dot_size(n: int) -> float:
    """Return the area of dots, smaller for more points."""
    return float(np.clip(24_000 / max(n, 1), 0.5, 12.0))


def _coloured(groups: AnyArray) -> tuple[list[Any], FloatArray]:
    """Return the names of the groups in order, and a colour for every member.

    Labels of mixed types, such as strings and None for missing ones, are grouped by type.
    """
    members = groups.tolist()
    names = sorted(set(members), key=lambda name: (type(name).__name__, name is None or name))
    place = {name: k for k, name in enumerate(names)}
    return names, _colours(len(names))[[place[member] for member in members]]


def _any_row(node_of: AnyArray, mask: BoolArray) -> BoolArray:
    """Return which nodes have a row in ``mask``."""
    return np.bincount(node_of[mask & (node_of >= 0)], minlength=int(node_of.max()) + 1) > 0


def _colours(number: int) -> FloatArray:
    import matplotlib as mpl

    if number <= 10:
        return np.asarray(mpl.colormaps["tab10"].colors)[:number]  # type: ignore[attr-defined]
    if number <= 20:
        return np.asarray(mpl.colormaps["tab20"].colors)[:number]  # type: ignore[attr-defined]
    # With many groups, consecutive ones get distinct colours.
    return np.asarray(mpl.colormaps["hsv"]((np.arange(number) * 0.618034) % 1.0))[:, :3]


def _shortened(name: str) -> str:
    """Return a name for the legend; long ones are abbreviated to their beginning and end."""
    if len(name) <= _MOST_LETTERS_IN_LEGEND:
        return name
    half = _MOST_LETTERS_IN_LEGEND // 2
    return f"{name[:half]}…{name[1 - half :]}"


def _legend(ax: Axes, names: list[Any], some_given: bool, links: bool) -> None:
    from matplotlib.lines import Line2D

    def entry(label: str, **style: Any) -> Line2D:
        return Line2D([], [], **{"linestyle": "", "marker": "o", "label": label, **style})

    few = len(names) <= _MOST_IN_LEGEND
    colours = zip(names, _colours(len(names)), strict=True) if few else ()
    handles = [entry(_shortened(str(name)), color=colour) for name, colour in colours]
    if some_given:
        handles.append(entry("given", markersize=10, markerfacecolor="white", color="grey"))
    handles.append(entry("root", markersize=9, markerfacecolor="none", color="black"))
    if links:
        handles.append(entry("to leader", linestyle="-", marker="", color="grey", linewidth=1))
    legend = ax.legend(handles=handles, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for text in legend.get_texts():
        text.set_parse_math(False)
