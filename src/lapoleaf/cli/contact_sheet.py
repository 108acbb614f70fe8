"""Contact sheets: grids of pictures, each with its rank and name."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapoleaf._messages import shown
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    from lapoleaf._typing import IntArray
    from lapoleaf.inputs import Dataset

_SIDE, _TEXT, _MARGIN, _COLUMNS = 160, 18, 8, 6
_MOST_LETTERS = 26
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
_MOST = 600


def contact_sheet(data: Dataset, rows: IntArray, source: str, ending: str) -> bytes:
    """Return a contact sheet as the bytes of an image file.

    Parameters
    ----------
    data : Dataset
        Pictures of a folder, or their features.
    rows : ndarray of int
        The rows to show, in order.
    source : str
        The folder, or the file of features with thumbnails.
    ending : str
        Ending of the file: ``.png``, ``.jpg`` or ``.jpeg``.
    """
    from PIL import Image, ImageDraw

    if len(rows) > _MOST:
        raise ValueError(f"-n {len(rows)}: a contact sheet holds {_MOST} pictures at most.")
    thumbnails = _Thumbnails(data, source)
    columns = min(_COLUMNS, len(rows))
    lines = -(-len(rows) // columns)
    wide, high = _SIDE + _MARGIN, _SIDE + _TEXT + _MARGIN
    sheet = Image.new("RGB", (columns * wide + _MARGIN, lines * high + _MARGIN), "white")
    draw = ImageDraw.Draw(sheet)
    for place, row in enumerate(rows.tolist()):
        left = _MARGIN + place % columns * wide
        top = _MARGIN + place // columns * high
        picture = thumbnails.of(row)
        corner = (left + (_SIDE - picture.width) // 2, top + (_SIDE - picture.height) // 2)
        sheet.paste(picture, corner)
        draw.text((left, top + _SIDE + 3), _caption(place + 1, str(data.names[row])), fill="black")
    content = io.BytesIO()
    sheet.save(content, _FORMATS[ending])
    return content.getvalue()


def _caption(rank: int, name: str) -> str:
    text = printable(name).encode("ascii", "replace").decode()
    room = _MOST_LETTERS - len(str(rank)) - 1
    return f"{rank} {text if len(text) <= room else '...' + text[3 - room :]}"


class _Thumbnails:
    """Thumbnails, read from the folder or from a file of features."""

    def __init__(self, data: Dataset, source: str) -> None:
        self._names: list[str] = data.frame["image"].tolist()
        self._folder = Path(source)
        self._stored: Any = None
        if not self._folder.is_dir():
            from lapoleaf.inputs import load_features

            self._stored = load_features(source).thumbnails
            if self._stored is None or not len(self._stored):
                raise ValueError(
                    f"{shown(source)} has no thumbnails for a contact sheet: name the folder of "
                    f"the pictures."
                )

    def of(self, row: int) -> Any:
        """Return the upright thumbnail of a row."""
        from PIL import Image, ImageOps

        if self._stored is not None:
            return Image.fromarray(self._stored[row]).resize((_SIDE, _SIDE))
        with Image.open(self._folder / self._names[row]) as picture:
            picture.draft("RGB", (2 * _SIDE, 2 * _SIDE))
            found = ImageOps.exif_transpose(picture).convert("RGB")
        # Small pictures are enlarged to be visible.
        return ImageOps.contain(found, (_SIDE, _SIDE))
