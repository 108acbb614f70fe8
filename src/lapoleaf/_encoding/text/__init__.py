"""Vectors of strings and texts: by n-grams, by static word vectors, by a function."""

from lapoleaf._encoding.text.base import TextVectors
from lapoleaf._encoding.text.function import FunctionVectors, function_vectors
from lapoleaf._encoding.text.ngrams import NgramVectors, learn_ngrams
from lapoleaf._encoding.text.static import StaticVectors, is_installed, static_vectors

__all__ = [
    "FunctionVectors",
    "NgramVectors",
    "StaticVectors",
    "TextVectors",
    "function_vectors",
    "is_installed",
    "learn_ngrams",
    "static_vectors",
]
