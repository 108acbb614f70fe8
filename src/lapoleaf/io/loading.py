"""Read a model from its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.io.decoding import Decoder
from lapoleaf.io.errors import LoadError
from lapoleaf.io.paths import opened
from lapoleaf.io.reading import SavedFile

# What a value of a wrong kind runs into, before or after it meets a check made for it.
_WRONG_VALUES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def load(
    path: str | os.PathLike[str],
    *,
    mmap: bool = False,
    text_encoder: Callable[[list[str]], Any] | None = None,
) -> Any:
    """Return a model that :func:`save` wrote.

    Loading never runs code from a file and checks all of it: a file that is damaged, was edited or
    is something else gives a :class:`LoadError`. So files of people you do not know are safe to
    load; whether their models are any good is another question.

    Parameters
    ----------
    path : str or path-like
        The file.
    mmap : bool, default=False
        Open large arrays of numbers without reading them: they stay in the file, read-only, and
        the system fetches the pages that are used. Their check sums are then not looked at. Do not
        write into the file as long as the model is used; saving over it is fine.
    text_encoder : callable, default=None
        The function that turned texts into vectors, if the model was fitted with one: files do
        not hold functions.

    Returns
    -------
    object
        The model: an estimator, an encoder, a tree, a forest or a propagation. Its predictions are
        those of the model that was saved, to the last bit.

    Raises
    ------
    LoadError
        If the file is not a model as this lapoleaf saves it.
    OSError
        If the file cannot be opened.

    See Also
    --------
    save : Write a model to a file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import make_blobs
    >>> from lapoleaf import LoDOG, load, save
    >>> X, _ = make_blobs(500, centers=5, cluster_std=0.5, random_state=3)
    >>> model = LoDOG().fit(X[:400])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "clusters.lapoleaf")
    ...     save(model, path)
    ...     bool((load(path).predict(X) == model.predict(X)).all())
    True
    """
    if text_encoder is not None and not callable(text_encoder):
        raise TypeError(f"text_encoder must be a function, but it is {shown(text_encoder)}.")
    file = opened(path)
    try:
        with file, np.errstate(all="ignore"):
            saved = SavedFile(file, mmap)
            decoder = Decoder(saved.array, len(saved.members), {"text_encoder": text_encoder})
            return decoder.model(saved.header["model"], saved.header["objects"])
    except LoadError as error:
        raise LoadError(f"{shown(path)} cannot be loaded: {error}.") from None
    except _WRONG_VALUES as error:
        raise LoadError(f"{shown(path)} cannot be loaded: {_sentence(error)}") from error


def _sentence(error: Exception) -> str:
    reason = str(error).strip()
    if isinstance(error, ValueError) and reason.endswith("."):
        # A sentence of ours, about what a class was given.
        return f"it holds a wrong value. {reason}"
    return "it holds a value of a wrong kind."
