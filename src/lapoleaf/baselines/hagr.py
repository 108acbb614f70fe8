"""Hierarchical anchor graph regularisation (Wang, Fu, Hao, Liu and Wu, 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.baselines.anchor_graph import anchor_labels, class_masses
from lapoleaf.baselines.anchors import Anchors, Shares, check_anchoring, find_anchors
from lapoleaf.baselines.base import ClassifyingBaseline
from lapoleaf.baselines.parameters import check_random_state
from lapoleaf.estimators.mixture import checked_prior

_FEW, _FEW_COARSE = 500, 200
# Time of the system grows with the cube of the coarse anchors, that of k-means with the fine ones.
_MOST, _MOST_COARSE = 5000, 1000


class HAGR(ClassifyingBaseline):
    """Hierarchical anchor graph regularisation (HAGR).

    The graph is built from the finest anchors, and labels are solved for at the coarsest, so that a
    fine graph does not need a large linear system (Wang et al., TKDE 2017). Coarser anchors are
    k-means centres of the finer ones; how the authors find them could not be confirmed. With one
    layer and the same weights this is :class:`AGR`. New rows are expressed by the same anchors.

    Parameters
    ----------
    n_anchors : sequence of int or "auto", default="auto"
        Numbers of anchors, the finest layer first. ``"auto"``: a tenth of the rows, at most 5,000,
        and a quarter of these, at most 1,000; for few rows more, up to 500 and 200, but at most
        half of the rows. There are never more anchors than distinct rows, and a layer that would
        not be smaller than the one before is dropped.
    n_nearest : int, default=3
        Number of nearest anchors that represent a row or a finer anchor.
    weights : {"exponential", "gaussian", "lae"}, default="exponential"
        Shares of the anchors, as in :class:`AGR`.
    sigma : float, default=None
        Width of the kernel in all layers; None: in every layer, the mean distance to the last
        anchor. Not used by ``"lae"``.
    gamma : float, default=0.01
        Weight of the graph relative to the given labels (lambda in the publication).
    class_prior : array-like of shape (n_classes,) or None, default=None
        Expected shares of the classes, in the order of ``classes_``; None: equal shares. A class of
        share 0 is assigned only to rows labelled with it.
    random_state : int, RandomState instance or None, default=0
        Seed of k-means.
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.

    Attributes
    ----------
    anchors_ : list of ndarray
        The anchors of every layer, the finest first.
    anchor_labels_ : ndarray of shape (n_coarsest, n_classes)
        Labels of the coarsest anchors.
    transduction_ : ndarray of shape (n_rows,)
        The class of every row of X; given labels are kept.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        Shares of the classes for every row of X.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    given_ : ndarray of shape (n_rows,), bool
        Rows whose label was given.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    See Also
    --------
    AGR : Anchor graph regularisation with one layer.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from lapoleaf.baselines import HAGR
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = np.where(np.arange(len(X)) < 100, truth, -1)
    >>> model = HAGR(n_anchors=(400, 100)).fit(X, y)
    >>> bool(np.mean(model.transduction_[100:] == truth[100:]) > 0.85)
    True
    """

    _keeps_labels = True

    def __init__(
        self,
        *,
        n_anchors: Sequence[int] | str = "auto",
        n_nearest: int = 3,
        weights: str = "exponential",
        sigma: float | None = None,
        gamma: float = 0.01,
        class_prior: Any = None,
        random_state: Any = 0,
        missing_label: Any = "auto",
    ) -> None:
        self.n_anchors = n_anchors
        self.n_nearest = n_nearest
        self.weights = weights
        self.sigma = sigma
        self.gamma = gamma
        self.class_prior = class_prior
        self.random_state = random_state
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        _check_layers(self.n_anchors)
        check_anchoring(self.n_nearest, self.weights, self.sigma, self.gamma)
        check_random_state(self.random_state)
        if self.class_prior is not None:
            _check_prior(self.class_prior)

    def _scores_of_rows(self, rows: Any, given: BoolArray, labels: FloatArray) -> FloatArray:
        n_classes = labels.shape[1]
        self._prior: FloatArray = np.ones(n_classes)
        if self.class_prior is not None:
            self._prior = checked_prior(self.class_prior, n_classes)
        self._layers = self._grow(rows)
        self.anchors_ = [layer.centres for layer in self._layers]
        finest = self._layers[0].shares(rows)
        self._made_of = _composed(self._layers)
        shares = finest if self._made_of is None else finest @ self._made_of
        self.anchor_labels_ = anchor_labels(shares, finest, given, labels, self.gamma)
        scores = np.asarray(shares @ self.anchor_labels_)
        self._masses = class_masses(scores)
        return scores

    def _weighed(self, scores: FloatArray) -> FloatArray:
        weighed = scores * (self._prior / self._masses)
        # Classes of share 0 come after all others.
        last = np.minimum(weighed.min(axis=1, keepdims=True), 0.0) - 1.0
        return np.where(self._prior > 0.0, weighed, last)

    def _grow(self, rows: Any) -> list[Anchors]:
        """Return the anchors of every layer, the finest first."""
        if isinstance(self.n_anchors, str):
            sizes: Sequence[int] = _usual_sizes(rows.shape[0])
        else:
            sizes = self.n_anchors
        layers: list[Anchors] = []
        for size in sizes:
            finer = layers[-1].centres if layers else rows
            centres = find_anchors(finer, size, self.random_state)
            if layers and len(centres) >= len(finer):
                continue
            layers.append(Anchors.around(finer, centres, self.n_nearest, self.weights, self.sigma))
        return layers

    def _scores_of_new(self, rows: Any) -> FloatArray:
        shares = self._layers[0].shares(rows)
        if self._made_of is not None:
            shares = shares @ self._made_of
        return np.asarray(shares @ self.anchor_labels_)


def _composed(layers: Sequence[Anchors]) -> Shares | None:
    """Return the shares of the coarsest anchors in the finest ones; None for a single layer."""
    made_of = None
    for finer, coarser in pairwise(layers):
        step = coarser.shares(finer.centres)
        made_of = step if made_of is None else made_of @ step
    return made_of


def _usual_sizes(n_rows: int) -> tuple[int, ...]:
    """Return the default sizes of two layers, or of one if there are very few rows."""
    fine = min(max(n_rows // 10, min(_FEW, n_rows // 2), 1), _MOST)
    coarse = min(max(fine // 4, min(_FEW_COARSE, fine // 2)), _MOST_COARSE)
    return (fine, coarse) if coarse > 0 else (fine,)


def _check_layers(n_anchors: Any) -> None:
    if isinstance(n_anchors, str) and n_anchors == "auto":
        return
    sizes = list(n_anchors) if np.iterable(n_anchors) else []
    if not sizes or not all(is_whole(size) and size >= 1 for size in sizes):
        raise ValueError(
            f"n_anchors={shown(n_anchors)} must be a sequence of whole numbers of at least 1, one "
            f"for each layer, or 'auto'."
        )
    if any(coarse >= fine for fine, coarse in pairwise(sizes)):
        raise ValueError(
            f"n_anchors={shown(n_anchors)} must fall from layer to layer, the finest layer first."
        )


def _check_prior(prior: Any) -> None:
    try:
        np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"class_prior={shown(prior)} must be None, or a share for every class."
        ) from error
    checked_prior(prior)
