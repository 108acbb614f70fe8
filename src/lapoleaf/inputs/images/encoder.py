"""Encoder of images: features computed by the packaged network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lapoleaf._encoding.images.network import Network, packaged_network
from lapoleaf._encoding.images.preparing import PRESETS
from lapoleaf._lazy import computed_once
from lapoleaf._messages import shown
from lapoleaf._parallel import n_threads
from lapoleaf._typing import FloatArray
from lapoleaf._warnings import warn_user
from lapoleaf.inputs.images.journal import FileResult
from lapoleaf.inputs.images.reading import Reader
from lapoleaf.inputs.images.working import Work


class ImageEncoder:
    """Encode images as unit-length features of the packaged network.

    Features are cached by the content of files, so that no picture is computed twice.

    Parameters
    ----------
    folder : str or path-like
        The folder that file names are relative to.

    Attributes
    ----------
    n_computed : int
        Number of files passed through the network so far.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from lapoleaf.inputs import ImageEncoder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Image.new("RGB", (80, 60), "blue").save(Path(folder, "sky.png"))
    ...     encoder = ImageEncoder(folder)
    ...     encoder.encode(["sky.png"]).shape, encoder.encode(["sky.png"]).shape
    ((1, 1280), (1, 1280))
    >>> encoder.n_computed
    1
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.n_computed = 0
        self._known: dict[bytes, FileResult] = {}

    @computed_once
    def network(self) -> Network:
        """The network, loaded on first use."""
        return packaged_network()

    def encode(self, files: Sequence[str], verbose: int = 0) -> FloatArray:
        """Return a row for every picture.

        Parameters
        ----------
        files : sequence of str
            Names of files, relative to the folder or absolute.
        verbose : int, default=0
            Report progress if 1 or more.

        Returns
        -------
        ndarray of float64 of shape (n_files, n_features)
            Features of unit length. Pictures that cannot be read have zeros, and a warning names
            them.
        """
        reader = Reader(self.folder, None, False, self.network.size, PRESETS["tensorflow"], 0)
        work = Work(reader, self.network, list(files))
        done = work.done(self._known, self._known.__setitem__, n_threads(None), verbose)
        self.n_computed += done.n_computed
        width = max((result.features.shape[1] for result in done.results), default=0)
        rows = np.zeros((len(done.results), width))
        broken = []
        for row, (file, result) in enumerate(zip(files, done.results, strict=True)):
            if result.views:
                rows[row] = result.features[0]
                rows[row] /= max(np.linalg.norm(rows[row]), np.finfo(np.float64).tiny)
            else:
                broken.append(f"{shown(file)} ({'; '.join(result.complaints)})")
        if broken:
            warn_user(
                f"{len(broken)} of {len(files)} pictures cannot be read, and their rows are zeros: "
                f"{', '.join(broken[:5])}{', ...' * (len(broken) > 5)}."
            )
        return rows

    def summary(self) -> str:
        """Return a one-line description of the features."""
        return f"features of a picture by {self.network.name}, of length 1"
