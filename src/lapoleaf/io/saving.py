"""Write models to files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from lapoleaf._typing import AnyArray
from lapoleaf._version import __version__
from lapoleaf._writing import target_of, write_whole
from lapoleaf.estimators.cells import Cells
from lapoleaf.io import header as headers
from lapoleaf.io.archive import lay_out
from lapoleaf.io.arrays import ArrayMember, describe, members_of, to_stored
from lapoleaf.io.encoding import Encoder


def save(model: Any, path: str | os.PathLike[str], *, rows: bool = False) -> None:
    """Write a model to a file, from which :func:`load` returns it.

    The file is written atomically: ``path`` is either the earlier file or the new one. Equal models
    give identical bytes.

    Parameters
    ----------
    model : estimator, TableEncoder, LeadingTree, LeadingForest or Propagation
        The model; an estimator may be unfitted. Its callbacks are not saved, nor is a function as
        text encoder, which must be passed to :func:`load`.
    path : str or path-like
        The file, with any extension. An existing file is replaced.
    rows : bool, default=False
        Whether the original cells of an encoded frame are saved as well, so that ``explain`` shows
        them after :func:`load`. The index of a frame is always saved.

    Raises
    ------
    TypeError
        If ``model`` is something else.
    ValueError
        If a part of the model cannot be written, such as a metric that is a function. The message
        names it, and nothing is written.

    See Also
    --------
    load : Read a model from its file.

    Notes
    -----
    The file is an uncompressed zip file of ``header.json`` and ``.npy`` arrays.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from lapoleaf import LaPOLeaFClassifier, load, save
    >>> model = LaPOLeaFClassifier().fit([[0.0], [1.0], [8.0]], ["low", None, "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.lapoleaf")
    ...     save(model, path)
    ...     load(path).predict([[0.4], [7.0]])
    array(['low', 'high'], dtype='<U4')
    """
    target = target_of(path)
    encoder = Encoder(omitted=() if rows else (Cells,))
    encoded = encoder.model(model)
    members = [describe(*to_stored(array)) for array in encoder.arrays]
    text = headers.to_text(
        {
            "format": headers.FORMAT,
            "format_version": headers.VERSION,
            "lapoleaf": __version__,
            "model": encoded,
            "objects": encoder.objects,
            "arrays": [member.to_json() for member in members],
        }
    )
    write_whole(target, _parts(text, members, encoder.arrays))


def _parts(text: bytes, members: list[ArrayMember], arrays: list[AnyArray]) -> Iterator[Any]:
    """Yield the file in parts."""
    layout = lay_out(members_of(text, members))
    yield layout.places[0].entry
    yield text
    for place, array in zip(layout.places[1:], arrays, strict=True):
        spec, raw = to_stored(array)
        yield place.entry
        yield spec.beginning
        yield raw
    yield layout.directory
