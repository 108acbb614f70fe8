"""Strings and texts become vectors of one length, beside scikit-learn's tf-idf and by hand."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from encoding.columns import encoded, framed, learnt, total_variance
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from lapoleaf import TableEncoder, load, save
from lapoleaf._encoding import Category, Strings, Text
from lapoleaf._encoding.text import (
    FunctionVectors,
    NgramVectors,
    StaticVectors,
    learn_ngrams,
    static,
)

STREETS = [f"{k} {name} {kind}" for k in range(1, 9) for name in ("Oak", "Elm", "Kings", "Ash")
           for kind in ("Street", "Road")]  # fmt: skip
TEXTS = [f"The {animal} {verb} over number {k} of the {place} today"
         for k in range(5) for animal in ("dog", "cat", "bird") for verb in ("jumped", "slept")
         for place in ("fence", "hill")]  # fmt: skip


def tfidf_twin(strings, counts):
    """tf-idf of scikit-learn, of the strings as often as they occur."""
    repeated = np.repeat(np.array(strings, dtype=object), counts)
    twin = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    return twin.fit(repeated), repeated


def test_ngrams_are_the_main_directions_of_tfidf():
    counts = np.arange(len(STREETS)) % 3 + 1
    vectors = learn_ngrams(STREETS, counts)
    twin, repeated = tfidf_twin(STREETS, counts)
    assert vectors.ngrams.tolist() == sorted(twin.vocabulary_)
    np.testing.assert_allclose(vectors.idf, twin.idf_, rtol=1e-12)
    table = twin.transform(repeated).toarray()
    _, values, directions = np.linalg.svd(table, full_matrices=False)
    kept = vectors.width
    assert kept == min(50, (values > 1e-6 * values[0]).sum())
    # Directions of equal singular values may be turned: compare what they span.
    apart = np.flatnonzero(np.diff([*values[:kept], 0.0]) < -1e-6)
    upto = apart[-1] + 1
    expected = directions[:upto].T @ directions[:upto]
    found = vectors.projection[:, :upto] @ vectors.projection[:, :upto].T
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_many_strings_are_decomposed_almost_as_exactly():
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(list("abcdefghij"), 4)) for _ in range(200)])
    strings = sorted({" ".join(rng.choice(words, 3)) for _ in range(1500)})
    vectors = learn_ngrams(strings, np.ones(len(strings), dtype=int))
    assert len(vectors.ngrams) > 600
    twin, repeated = tfidf_twin(strings, 1)
    table = twin.transform(repeated).toarray()
    explained = np.linalg.norm(table @ vectors.projection) ** 2
    best = (np.linalg.svd(table, compute_uv=False)[:50] ** 2).sum()
    assert explained == pytest.approx(best, rel=5e-3)


def test_vectors_have_unit_length_and_like_strings_are_near():
    vectors = learn_ngrams(STREETS, np.ones(len(STREETS), dtype=int))
    found = vectors.encode(["3 Oak Street", "3 Oak Stret", "7 Elm Road", "ξψ"])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 1, 1, 0], atol=1e-12)
    assert found[0] @ found[1] > 0.85
    assert found[0] @ found[2] < found[0] @ found[1] / 2


@pytest.mark.parametrize(("values", "kind"), [(STREETS, Strings), (TEXTS, Text)])
def test_blocks(values, kind):
    plan = learnt([*values, None])
    assert isinstance(plan, kind)
    block = encoded([*values, None])
    assert total_variance(block) == pytest.approx(1)
    np.testing.assert_allclose(np.linalg.norm(block[:-1], axis=1), plan.scale)
    assert not block[-1].any()


@pytest.mark.parametrize("text_encoder", ["wordllama", "tfidf"])
def test_euclidean_distances_order_texts_as_the_cosine_does(text_encoder):
    block = encoded(TEXTS, text_encoder=text_encoder)
    lengths = np.linalg.norm(block, axis=1)
    cosine = block @ block[0] / (lengths * lengths[0])
    distance = np.linalg.norm(block - block[0], axis=1)
    np.testing.assert_allclose(distance**2, 2 * lengths[0] ** 2 * (1 - cosine), atol=1e-9)


def test_word_vectors_are_those_in_the_files_of_the_package():
    """Straight from the bytes: float16 after a header of JSON."""
    folder = Path(importlib.util.find_spec("wordllama").submodule_search_locations[0])
    raw = (folder / "weights" / "l2_supercat_256.safetensors").read_bytes()
    size = int.from_bytes(raw[:8], "little")
    (name,) = [key for key in json.loads(raw[8 : 8 + size]) if key != "__metadata__"]
    assert json.loads(raw[8 : 8 + size])[name]["dtype"] == "F16"
    table = np.frombuffer(raw[8 + size :], dtype="<f2").reshape(-1, 256).astype(float)
    tokenizer, *_ = static._files()
    ids = tokenizer.encode(TEXTS[3], add_special_tokens=False).ids
    mean = np.mean([table[k] for k in ids], axis=0)
    found = static.static_vectors().encode([TEXTS[3], "", "\ud800 half"])
    np.testing.assert_allclose(found[0], mean / np.linalg.norm(mean), rtol=1e-6)
    assert not found[1].any()


def test_other_word_vectors_than_at_the_fit_are_refused():
    other = StaticVectors("0" * 64)
    with pytest.raises(ValueError, match="another version of wordllama"):
        other.encode(["a text"])


def test_without_the_extra_texts_are_ngrams(monkeypatch):
    monkeypatch.setattr(static.importlib.util, "find_spec", lambda name: None)
    static._files.cache_clear()
    assert isinstance(learnt(TEXTS).vectors, NgramVectors)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "lapoleaf\[text\]"'):
        learnt(TEXTS, text_encoder="wordllama")


def test_texts_have_words_and_categories_repeat():
    assert isinstance(learnt(TEXTS[:5] * 10), Category)
    assert isinstance(learnt(STREETS, "text"), Text)
    assert isinstance(learnt(TEXTS, "string"), Strings)
    assert isinstance(learnt(TEXTS, "category"), Category)


@given(st.lists(st.text(min_size=1, max_size=30), min_size=2, max_size=20, unique=True))
def test_any_strings(strings):
    for kind in ("string", "text"):
        frame = framed(np.array(strings, dtype=object))
        encoder = TableEncoder(kinds={"c": kind}, text_encoder="tfidf").fit(frame)
        together = encoder.transform(frame)
        assert np.isfinite(together).all()
        alone = [encoder.transform(frame[k : k + 1]) for k in range(len(frame))]
        assert np.vstack(alone).tobytes() == together.tobytes()


# ---------------------------------------------------------------------------------- functions


def letters(texts):
    return np.array([[text.count(letter) for letter in "aeiou"] for text in texts])


def test_a_function():
    plan = learnt(TEXTS, text_encoder=letters)
    assert isinstance(plan.vectors, FunctionVectors)
    block = encoded(TEXTS, text_encoder=letters)
    expected = letters(TEXTS) / np.linalg.norm(letters(TEXTS), axis=1, keepdims=True)
    np.testing.assert_allclose(block / plan.scale, expected)


@pytest.mark.parametrize(
    "function",
    [
        lambda texts: np.zeros(len(texts)),
        lambda texts: np.zeros((1, 2)),
        lambda texts: [[np.nan]] * len(texts),
        lambda texts: "vectors",
    ],
    ids=["no columns", "one row", "NaN", "no array"],
)
def test_functions_that_return_something_else(function):
    with pytest.raises(ValueError, match="text_encoder="):
        learnt(TEXTS, text_encoder=function)


def test_load_asks_for_a_function(tmp_path):
    frame = pd.DataFrame({"text": TEXTS})
    encoder = TableEncoder(text_encoder=letters).fit(frame)
    save(encoder, tmp_path / "encoder")
    with pytest.raises(ValueError, match=r"its text_encoder is a function, .* text_encoder=funct"):
        load(tmp_path / "encoder")
    with pytest.raises(TypeError, match="text_encoder must be a function, but it is 'tfidf'"):
        load(tmp_path / "encoder", text_encoder="tfidf")
    loaded = load(tmp_path / "encoder", text_encoder=letters)
    assert loaded.transform(frame).tobytes() == encoder.transform(frame).tobytes()
    wrong = load(tmp_path / "encoder", text_encoder=lambda texts: np.ones((len(texts), 2)))
    with pytest.raises(ValueError, match="returned 2 columns, but 5 at the fit"):
        wrong.transform(frame)
