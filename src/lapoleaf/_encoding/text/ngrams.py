"""Character n-grams weighted by tf-idf, projected onto their main directions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from lapoleaf._encoding.text.base import TextVectors, of_unit_length
from lapoleaf._lazy import computed_once
from lapoleaf._typing import AnyArray, FloatArray, IntArray

_SIZES = (2, 3, 4)
_MOST_NGRAMS = 10_000
_MOST_STRINGS = 50_000
_MOST_COLUMNS = 50
# Matrices of at most this number of rows or columns are decomposed exactly.
_MOST_EXACT = 600
# Singular values below this share of the largest are rounding errors, since they are square roots
# of eigenvalues with a relative precision of 1e-16.
_LEAST_SINGULAR = 1e-6


@dataclass(frozen=True, eq=False)
class NgramVectors(TextVectors):
    """Strings as character n-grams within words, by tf-idf and a truncated SVD.

    Attributes
    ----------
    ngrams : ndarray of str objects
        The n-grams that are counted, ascending.
    idf : ndarray of shape (n_ngrams,)
        Their weights.
    projection : ndarray of shape (n_ngrams, width)
        The main directions.
    """

    ngrams: AnyArray
    idf: FloatArray
    projection: FloatArray

    def encode(self, strings: Sequence[str]) -> FloatArray:
        weights = _weighted(_counts(strings, self._place_of), self.idf)
        return of_unit_length(np.asarray(weights @ self.projection))

    @computed_once
    def _place_of(self) -> dict[str, int]:
        return {ngram: place for place, ngram in enumerate(self.ngrams.tolist())}

    @property
    def width(self) -> int:
        """Number of directions."""
        return int(self.projection.shape[1])

    @property
    def description(self) -> str:
        """Description of the vectors."""
        return f"n-grams of characters in {self.width} columns"


def learn_ngrams(strings: Sequence[str], counts: IntArray) -> NgramVectors:
    """Return vectors for strings like these.

    Parameters
    ----------
    strings : sequence of str
        Different strings.
    counts : ndarray of int
        Number of occurrences of each.
    """
    order = sorted(range(len(strings)), key=lambda k: (-int(counts[k]), strings[k]))[:_MOST_STRINGS]
    strings, weight = [strings[k] for k in order], counts[order].astype(np.float64)
    ngrams, frequency = _frequent_ngrams(strings, weight)
    total = float(weight.sum())
    idf = np.log((1 + total) / (1 + frequency)) + 1
    place_of = {ngram: place for place, ngram in enumerate(ngrams.tolist())}
    rows = _weighted(_counts(strings, place_of), idf)
    return NgramVectors(ngrams, idf, _main_directions(sp.diags_array(np.sqrt(weight)) @ rows))


def _ngrams(text: str) -> list[str]:
    """Return the n-grams of a string, within words; a word begins and ends with a blank."""
    found: list[str] = []
    for word in text.casefold().replace("\0", " ").split():
        padded = f" {word} "
        for size in _SIZES:
            if len(padded) < size:
                break
            found.extend(padded[k : k + size] for k in range(len(padded) - size + 1))
    return found


def _frequent_ngrams(strings: Sequence[str], weight: FloatArray) -> tuple[AnyArray, FloatArray]:
    """Return the most frequent n-grams, ascending, and the number of rows each occurs in."""
    frequency: Counter[str] = Counter()
    for text, count in zip(strings, weight.tolist(), strict=True):
        for ngram in set(_ngrams(text)):
            frequency[ngram] += count
    kept = sorted(sorted(frequency, key=lambda n: (-frequency[n], n))[:_MOST_NGRAMS])
    ngrams = np.empty(len(kept), dtype=object)
    ngrams[:] = kept
    return ngrams, np.array([frequency[ngram] for ngram in kept], dtype=np.float64)


def _counts(strings: Sequence[str], place_of: dict[str, int]) -> sp.csr_array:
    """Return how often every known n-gram occurs in every string."""
    indptr, indices, data = [0], [], []
    for text in strings:
        found = Counter(place_of[ngram] for ngram in _ngrams(text) if ngram in place_of)
        places = sorted(found)
        indices += places
        data += [found[place] for place in places]
        indptr.append(len(indices))
    shape = (len(strings), len(place_of))
    parts = (np.array(data, dtype=np.float64), np.array(indices, dtype=np.int64), indptr)
    return sp.csr_array(parts, shape=shape)


def _weighted(counts: sp.csr_array, idf: FloatArray) -> sp.csr_array:
    """Return rows of unit length: logarithms of counts times idf."""
    data = (1 + np.log(counts.data)) * idf[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(rows, data * data, minlength=counts.shape[0]))
    weighted = data / np.where(lengths > 0, lengths, 1.0)[rows]
    return sp.csr_array((weighted, counts.indices, counts.indptr), shape=counts.shape)


def _main_directions(rows: sp.csr_array) -> FloatArray:
    """Return the right singular vectors of the largest singular values, as columns."""
    most = min(_MOST_COLUMNS, *rows.shape)
    if min(rows.shape) <= _MOST_EXACT:
        _, values, directions = _exact_svd(rows)
    else:
        _, values, directions = randomized_svd(rows, most, n_iter=7, random_state=0)
    kept = values[:most] > _LEAST_SINGULAR * max(values.max(initial=0.0), 1e-300)
    directions = directions[:most][kept]
    # The sign of a singular vector is arbitrary: its largest entry is made positive.
    largest = np.argmax(np.abs(directions), axis=1)
    signs = np.where(directions[np.arange(len(directions)), largest] < 0, -1.0, 1.0)
    return np.ascontiguousarray((directions * signs[:, None]).T)


def _exact_svd(rows: sp.csr_array) -> tuple[None, FloatArray, FloatArray]:
    """Return singular values and right vectors through the smaller Gram matrix."""
    if rows.shape[0] <= rows.shape[1]:
        squares, left = np.linalg.eigh((rows @ rows.T).toarray())
        values = np.sqrt(np.maximum(squares[::-1], 0.0))
        right = (rows.T @ left[:, ::-1]).T
        return None, values, right / np.where(values > 0, values, 1.0)[:, None]
    squares, right = np.linalg.eigh((rows.T @ rows).toarray())
    return None, np.sqrt(np.maximum(squares[::-1], 0.0)), right[:, ::-1].T
