"""Pictures as a page may show them: decoded, shrunk, and encoded again."""

from __future__ import annotations

import base64
import io
import os
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf.inputs.images.budget import PixelBudget
from lapoleaf.inputs.images.colours import UnreadablePicture
from lapoleaf.inputs.images.pictures import read_picture, upright

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset

SMALLEST, LARGEST = 16, 1024
_MOST_BYTES = 64 * 2**20
_QUALITY = 85
_SMALL = 128


class Thumbnails:
    """Small pictures by the number of the row, the last ones kept in memory.

    Parameters
    ----------
    data : Dataset
        The rows.
    """

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self._kept: OrderedDict[tuple[int, int, float], bytes] = OrderedDict()
        self._n_bytes = 0
        self._guard = threading.Lock()
        self._budget = PixelBudget()

    def picture(self, row: int, size: int) -> bytes:
        """Return a picture as JPEG or PNG, at most ``size`` pixels wide and high.

        Parameters
        ----------
        row : int
            Number of the row.
        size : int
            Pixels; brought between 16 and 1024.
        """
        size = min(max(size, SMALLEST), LARGEST)
        path = self.path_of(row)
        name = (row, size, path.stat().st_mtime)
        with self._guard:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        content = self._encoded(path, size)
        with self._guard:
            self._n_bytes += len(content) - len(self._kept.get(name, b""))
            self._kept[name] = content
            while self._n_bytes > _MOST_BYTES:
                self._n_bytes -= len(self._kept.popitem(last=False)[1])
        return content

    def path_of(self, row: int) -> Path:
        """Return the file of a row, through all links; raise for what is no plain file."""
        if self.data.kind != "images":
            raise UnreadablePicture("the row is not a picture")
        path = Path(os.path.realpath(self.data.show(row)["picture"]))
        if not path.is_file():
            raise UnreadablePicture("the file is gone")
        return path

    def _encoded(self, path: Path, size: int) -> bytes:
        with self._budget.account() as take:
            picture, orientation = read_picture(path, enough=size, take=take)
            picture.thumbnail((size, size))
            content = io.BytesIO()
            # Small pictures would show the traces of JPEG.
            kind = "PNG" if max(picture.size) <= _SMALL else "JPEG"
            upright(picture, orientation).save(content, kind, quality=_QUALITY)
        return content.getvalue()


# What is shown of a picture that cannot be read: one transparent pixel.
ONE_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNgYAAAAAMAASsJTYQAAAAASUVORK5CYII="
)


def type_of(picture: bytes) -> str:
    """Return the type of an encoded picture, as in headers."""
    return "image/png" if picture.startswith(b"\x89PNG") else "image/jpeg"
