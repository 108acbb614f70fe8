"""Methods that map rows to the plane, in two steps: neighbours or trees first, then the map."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from benchmarks.methods.method import MAPS, Method
from lapoleaf import LeadingForestMap, layout
from lapoleaf._typing import AnyArray, FloatArray

_NEIGHBOURS = 15


@dataclass(frozen=True)
class TwoSteps:
    """A method that maps rows.

    Attributes
    ----------
    prepare : callable
        Takes rows, returns what does not depend on the map: neighbours or trees.
    draw : callable
        Takes rows and what was prepared, returns places (n, 2).
    needs : str
        The package it needs.
    """

    prepare: Callable[[AnyArray], Any]
    draw: Callable[[AnyArray, Any], FloatArray]
    needs: str = "sklearn"

    @property
    def is_installed(self) -> bool:
        """Whether its package is there."""
        return importlib.util.find_spec(self.needs) is not None


def _nothing(X: AnyArray) -> None:
    return None


def _pca(X: AnyArray, prepared: None) -> FloatArray:
    places: FloatArray = PCA(2, random_state=0).fit_transform(X)
    return places


def _trees(X: AnyArray) -> Any:
    # The map of the fit itself takes no time: one iteration, with other settings than the default.
    return LeadingForestMap(n_iterations=1).fit(X)


def _ours(X: AnyArray, prepared: Any) -> FloatArray:
    return layout(prepared).places


def _umap_neighbours(X: AnyArray) -> Any:
    umap_ = importlib.import_module("umap.umap_")
    random = np.random.RandomState(0)
    return umap_.nearest_neighbors(X, _NEIGHBOURS, "euclidean", {}, False, random)


def _umap(X: AnyArray, prepared: Any, init: str = "spectral") -> FloatArray:
    umap = importlib.import_module("umap")
    model = umap.UMAP(
        n_neighbors=_NEIGHBOURS, init=init, random_state=0, n_jobs=1, precomputed_knn=prepared
    )
    places: FloatArray = model.fit_transform(X)
    return places


def _pacmap(X: AnyArray, prepared: None) -> FloatArray:
    pacmap = importlib.import_module("pacmap")
    places: FloatArray = pacmap.PaCMAP(random_state=0).fit_transform(X)
    return places


def _affinities(X: AnyArray) -> Any:
    affinity = importlib.import_module("openTSNE.affinity")
    return affinity.PerplexityBasedNN(X, n_jobs=2, random_state=0)


def _open_tsne(X: AnyArray, prepared: Any) -> FloatArray:
    module = importlib.import_module("openTSNE")
    begin = module.initialization.pca(X, random_state=0)
    model = module.TSNE(n_jobs=2, random_state=0)
    return np.asarray(model.fit(affinities=prepared, initialization=begin))


def _method(name: str, *parts: Any) -> Method:
    return Method(name, MAPS, partial(TwoSteps, *parts), tags=("layout",))


METHODS = (
    _method("lapoleaf", _trees, _ours),
    _method("PCA", _nothing, _pca),
    _method("UMAP", _umap_neighbours, _umap, "umap"),
    # The default begins with eigenvectors of the graph: with many rows, most of the time.
    _method("UMAP-pca", _umap_neighbours, partial(_umap, init="pca"), "umap"),
    _method("PaCMAP", _nothing, _pacmap, "pacmap"),
    _method("openTSNE", _affinities, _open_tsne, "openTSNE"),
)
