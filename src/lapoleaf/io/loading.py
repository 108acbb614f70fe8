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

# Errors raised by values of a wrong type, outside of the checks.
_WRONG_VALUES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def load(
    path: str | os.PathLike[str],
    *,
    mmap: bool = False,
    text_encoder: Callable[[list[str]], Any] | None = None,
) -> Any:
    """Return a model that :func:`save` wrote.

    Loading never runs code from a file, and validates all of it: a file that is damaged, was edited
    or is something else raises :class:`LoadError`. So files from untrusted sources are safe to
    load; the quality of their models is not checked.

    Parameters
    ----------
    path : str or path-like
        The file.
    mmap : bool, default=False
        Map large arrays of numbers into memory, read-only, without reading them. Their checksums
        are then not verified. The file must not be modified while the model is used; replacing it
        with :func:`save` is safe.
    text_encoder : callable, default=None
        The function that encoded texts, if the model was fitted with one, since functions are not
        saved.

    Returns
    -------
    object
        The model: an estimator, an encoder, a tree, a forest or a propagation. Its predictions are
        identical to those of the saved model.

    Raises
    ------
    LoadError
        If the file is not a model saved by this version of lapoleaf.
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
        # A sentence of this package about an argument of a class.
        return f"it holds a wrong value. {reason}"
    return "it holds a value of a wrong kind."
