"""One picture file as a person would see it: upright, opaque, in three colours of 8 bits."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
from typing import TYPE_CHECKING

import numpy as np

from lapoleaf._typing import AnyArray
from lapoleaf.images.extra import imported

if TYPE_CHECKING:
    from PIL.Image import Image

# Kinds that are read by Pillow itself. Those that start another program (EPS) and those that are
# recognised by next to nothing are left out.
_KINDS = (
    "AVIF",
    "BMP",
    "DIB",
    "GIF",
    "ICO",
    "JPEG",
    "JPEG2000",
    "MPO",
    "PNG",
    "PPM",
    "TIFF",
    "WEBP",
)
# 0.4 gigabytes while it is being read.
MOST_PIXELS = 100_000_000
_ORIENTATION = 0x0112
_BROWSERS_WHITE = (255, 255, 255)


class UnreadablePicture(Exception):
    """A file is no picture, or one that cannot be read; the message is the reason."""


def read_picture(path: str | os.PathLike[str], enough: int | None = None) -> tuple[Image, int]:
    """Read the first frame of a picture, as it is stored, and how it wants to be turned.

    Parameters
    ----------
    path : path-like
        The file.
    enough : int or None
        If the picture is only going to be shrunk: the size at which it is large enough. Large
        JPEG files are then read in a fraction of the time.

    Returns
    -------
    picture : PIL.Image.Image
        In mode RGB.
    orientation : int
        From 1 (upright) to 8, as EXIF numbers them; for :func:`upright`.

    Raises
    ------
    UnreadablePicture
        If the file is no picture, too large, broken or of an unknown kind.
    """
    try:
        return _read(path, enough)
    except UnreadablePicture:
        raise
    except Exception as error:
        # Pillow's decoders raise nearly anything on broken files.
        raise UnreadablePicture(_reason(error, path)) from error


def _read(path: str | os.PathLike[str], enough: int | None) -> tuple[Image, int]:
    library = imported("PIL.Image")
    with open(path, "rb") as file, library.open(file, formats=_kinds()) as picture:
        if enough is not None:
            picture.draft(None, (enough, enough))
        width, height = picture.size
        if width * height > MOST_PIXELS:
            raise UnreadablePicture(f"{width} x {height} pixels are too many")
        picture.load()
        return _three_colours(picture), _orientation(picture)


@functools.cache
def _kinds() -> list[str]:
    """Return the kinds that can be read here."""
    library = imported("PIL.Image")
    library.init()
    with contextlib.suppress(ImportError):
        importlib.import_module("pillow_heif").register_heif_opener()
    return [kind for kind in (*_KINDS, "HEIF") if kind in library.OPEN]


def _is_heic(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as the photos of many telephones do."""
    with open(path, "rb") as file:
        begin = file.read(12)
    return begin[4:8] == b"ftyp" and begin[8:] in (b"heic", b"heix", b"hevc", b"mif1", b"msf1")


def _reason(error: Exception, path: str | os.PathLike[str]) -> str:
    from PIL import Image, UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        if _is_heic(path):
            return "HEIC, which needs one more package: pip install pillow-heif"
        return "not a picture, or of a kind that is not read here"
    if isinstance(error, Image.DecompressionBombError):
        return "more pixels than any camera takes"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, MemoryError):
        return "too large for the memory"
    words = str(error).partition("\n")[0] if not isinstance(error, OSError) else _os_words(error)
    return f"broken ({words or type(error).__name__})"


def _os_words(error: OSError) -> str:
    return error.strerror or str(error).partition("\n")[0]


def _orientation(picture: Image) -> int:
    """Return the orientation; 1 where there is none, or none that makes sense."""
    # Broken EXIF data must not cost a sound picture.
    with contextlib.suppress(Exception):
        found = picture.getexif().get(_ORIENTATION, 1)
        if found in range(1, 9):
            return int(found)
    return 1


def upright(picture: Image, orientation: int) -> Image:
    """Turn a picture, or a part of one, as its EXIF data say."""
    from PIL.Image import Transpose

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    return picture if orientation == 1 else picture.transpose(turns[orientation])


def _three_colours(picture: Image) -> Image:
    """Return the picture in mode RGB: transparent parts on white, deep greys in 8 bits."""
    from PIL import Image

    if picture.mode[0] in "IF":
        return Image.fromarray(_eight_bits(np.asarray(picture), picture.mode)).convert("RGB")
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        ground = Image.new("RGBA", layer.size, _BROWSERS_WHITE)
        return Image.alpha_composite(ground, layer).convert("RGB")
    return picture.convert("RGB")


def _eight_bits(values: AnyArray, mode: str) -> AnyArray:
    """Bring grey values of 16 bits, of 32 bits or with decimals to 8 bits.

    Those of 16 bits have a natural black and white; the others reach from their least to their
    greatest value.
    """
    if mode.startswith("I;16"):
        return (values.astype(np.uint16) >> 8).astype(np.uint8)
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise UnreadablePicture("some of its values are not finite")
    least, greatest = numbers.min(), numbers.max()
    spread = greatest - least
    if spread == 0:
        return np.full(numbers.shape, 127, np.uint8)
    levels: AnyArray = np.rint((numbers - least) * (255.0 / spread)).astype(np.uint8)
    return levels
