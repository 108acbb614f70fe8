"""The part of ``python -m benchmarks speed`` about sparse rows."""

import numpy as np

from benchmarks.speed import sparse


def test_texts_have_words_of_their_topics():
    X, topic = sparse.made_texts(200)
    assert X.shape == (200, 30_000)
    np.testing.assert_allclose(X.multiply(X).sum(axis=1), 1.0)
    similar = (X @ X.T).toarray()
    np.fill_diagonal(similar, np.nan)
    same = topic[:, None] == topic
    assert np.nanmean(similar[same]) > 1.2 * np.nanmean(similar[~same])


def test_a_fit_of_texts(monkeypatch):
    monkeypatch.setattr(sparse, "_WARM", 120)
    found = sparse.fit_texts(300)
    assert set(found) == {"fit", "neighbours", "accuracy", "entries"}
    assert found["fit"] > 0
    assert found["neighbours"] > 0
    assert 0.5 < found["accuracy"] <= 1.0
    assert 20 < found["entries"] < 81
