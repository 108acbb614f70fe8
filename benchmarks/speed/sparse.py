"""Sparse rows: the default fit beside brute-force neighbours of the same rows."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors

from benchmarks.methods.ours import OURS, classifier
from benchmarks.runner.isolated import Job, ratio
from benchmarks.runner.tables import Table
from benchmarks.speed.session import Session
from lapoleaf._typing import IntArray

_TOPICS, _WORDS, _LENGTH, _LABELS, _WARM = 20, 30_000, 80, 5, 600
# Words of a topic's own among all words of a text.
_SHARE_OF_TOPIC = 0.3


def made_texts(n: int) -> tuple[csr_matrix, IntArray]:
    """Return tf-idf rows of made-up texts, and their topics.

    Words are drawn by Zipf's law, some of them by one that is the topic's own.

    Parameters
    ----------
    n : int
        Number of texts.
    """
    rng = np.random.default_rng(0)
    chance = 1.0 / np.arange(1, _WORDS + 1) ** 1.05
    chance /= chance.sum()
    own = [rng.permutation(_WORDS) for _ in range(_TOPICS)]
    topic = rng.integers(_TOPICS, size=n)
    row = np.repeat(np.arange(n), rng.poisson(_LENGTH, n) + 1)
    word = rng.choice(_WORDS, len(row), p=chance)
    for t in range(_TOPICS):
        here = np.flatnonzero((topic[row] == t) & (rng.random(len(row)) < _SHARE_OF_TOPIC))
        word[here] = own[t][word[here]]
    counts = csr_matrix((np.ones(len(row)), (row, word)), shape=(n, _WORDS))
    return csr_matrix(TfidfTransformer(sublinear_tf=True).fit_transform(counts)), topic


def fit_texts(n: int) -> dict[str, float]:
    """Time the default fit of n texts, and their 20 nearest neighbours by brute force.

    Parameters
    ----------
    n : int
        Number of texts.
    """
    figures: dict[str, float] = {}
    for size in (_WARM, n):
        X, topic = made_texts(size)
        given = np.full(size, -1)
        for t in range(_TOPICS):
            given[np.flatnonzero(topic == t)[:_LABELS]] = t
        began = time.perf_counter()
        model = classifier(metric="cosine", n_jobs=None).fit(X, given)
        found = model.transduction_
        fitted = time.perf_counter()
        NearestNeighbors(n_neighbors=20, metric="cosine", algorithm="brute").fit(X).kneighbors()
        figures = {
            "fit": fitted - began,
            "neighbours": time.perf_counter() - fitted,
            "accuracy": float((found == topic)[given < 0].mean()),
            "entries": X.nnz / size,
        }
    return figures


def sparse_tables(session: Session) -> Iterator[Table]:
    """Yield the default fit of sparse rows beside brute-force neighbours."""
    rows = []
    for n in session.sizes((700,), (3_000, 6_000, 12_000)):
        found = session.alone(Job("sparse", "made-up texts", n, OURS, fit_texts, (n,)))
        figures = map(found.get, ("entries", "fit", "neighbours"))
        rows.append((n, *figures, ratio(found, found, "fit", "neighbours"), found.get("accuracy")))
    yield Table(
        "sparse",
        "The default fit of sparse rows under cosine distances",
        ("texts", "entries per row", "fit, s", "neighbours, s", "ratio", "accuracy"),
        rows,
        f"tf-idf rows of synthetic texts of {_TOPICS} topics and {_WORDS:,} words, {_LABELS} "
        f"labels per topic. Neighbours: the 20 nearest of every row by scikit-learn's "
        f"`NearestNeighbors(algorithm='brute')`. Compilation is not included.",
    )
