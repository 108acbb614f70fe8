"""Static word vectors from the files of the package wordllama, without downloads."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lapoleaf._encoding.extras import imported, needed
from lapoleaf._encoding.text.base import TextVectors, of_unit_length
from lapoleaf._typing import FloatArray

_PACKAGES = ("wordllama", "safetensors", "tokenizers")
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_WIDTH = 256
_BATCH = 1000


@dataclass(frozen=True, eq=False)
class StaticVectors(TextVectors):
    """The mean of the vectors of a text's tokens.

    Attributes
    ----------
    digest : str
        SHA-256 of the weights and the tokenizer, which determine the vectors.
    """

    digest: str

    def encode(self, strings: Sequence[str]) -> FloatArray:
        tokenizer, table, digest = _files()
        if digest != self.digest:
            raise ValueError(
                "Texts were encoded by the files of another version of wordllama than the one "
                "that is installed: install that version, or fit again."
            )
        sums = np.zeros((len(strings), _WIDTH))
        for start in range(0, len(strings), _BATCH):
            batch = [_encodable(text) for text in strings[start : start + _BATCH]]
            found = tokenizer.encode_batch(batch, add_special_tokens=False)
            for row, tokens in enumerate(found, start):
                sums[row] = table[tokens.ids].sum(axis=0, dtype=np.float64)
        return of_unit_length(sums)

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return _WIDTH

    @property
    def description(self) -> str:
        """Description of the vectors."""
        return f"mean of word vectors in {_WIDTH} columns"


def is_installed() -> bool:
    """Whether all packages are installed."""
    return all(importlib.util.find_spec(name) is not None for name in _PACKAGES)


def static_vectors() -> StaticVectors:
    """Return the vectors of the installed files."""
    return StaticVectors(_files()[2])


def _encodable(text: str) -> str:
    """Return a text without lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode("utf-8")


@functools.cache
def _files() -> tuple[Any, FloatArray, str]:
    """Return the tokenizer, the vectors of its tokens and the digest of both."""
    spec = importlib.util.find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(needed("wordllama"))
    folder = Path(spec.submodule_search_locations[0])
    safetensors, tokenizers = imported("safetensors.numpy"), imported("tokenizers")
    weights, configuration = (folder / _WEIGHTS).read_bytes(), (folder / _TOKENIZER).read_bytes()
    (table,) = safetensors.load(weights).values()
    tokenizer = tokenizers.Tokenizer.from_str(configuration.decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    digest = hashlib.sha256(weights + configuration).hexdigest()
    return tokenizer, np.asarray(table, dtype=np.float32), digest
