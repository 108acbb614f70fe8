"""Reading of a single image file: upright, opaque, RGB with 8 bits per channel."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from lapoleaf._encoding.images.extra import imported
from lapoleaf.inputs.images.budget import MOST_PIXELS
from lapoleaf.inputs.images.colours import UnreadablePicture, three_colours

if TYPE_CHECKING:
    from PIL.Image import Image

# Formats that are read by Pillow itself. Those that start another program (EPS) and those without a
# reliable signature are left out.
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
_ORIENTATION = 0x0112


def _take_all(pixels: int) -> None:
    """Do nothing, for a single picture without a budget."""


def read_picture(
    path: str | os.PathLike[str],
    enough: int | None = None,
    take: Callable[[int], None] = _take_all,
) -> tuple[Image, int]:
    """Read the first frame of a picture, as it is stored, and its orientation.

    Parameters
    ----------
    path : path-like
        The file.
    enough : int or None
        If the picture is only going to be shrunk: the size at which it is large enough. Large
        JPEG files are then read in a fraction of the time.
    take : callable
        Called with the number of pixels before they are decoded: it may wait until other
        threads have finished theirs (:class:`~lapoleaf.inputs.images.budget.PixelBudget`).

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
        return _read(path, enough, take)
    except UnreadablePicture:
        raise
    except Exception as error:
        # Pillow's decoders raise nearly anything on broken files.
        raise UnreadablePicture(_reason(error, path)) from error


def check_picture(path: str | os.PathLike[str]) -> str | None:
    """Return why a file cannot be read as a picture, from its first bytes; None if it can.

    Parameters
    ----------
    path : path-like
        The file.
    """
    try:
        with _opened(imported("PIL.Image"), path) as picture:
            # Large JPEG files are decoded at a fraction of their size.
            picture.draft(None, (1, 1))
            _check_size(*picture.size)
    except UnreadablePicture as error:
        return str(error)
    except ModuleNotFoundError:
        raise
    except Exception as error:
        return _reason(error, path)
    return None


def _read(
    path: str | os.PathLike[str], enough: int | None, take: Callable[[int], None]
) -> tuple[Image, int]:
    library = imported("PIL.Image")
    with _opened(library, path) as picture:
        if enough is not None:
            picture.draft(None, (enough, enough))
        _check_size(*picture.size)
        take(picture.width * picture.height)
        picture.load()
        return three_colours(picture), _orientation(picture)


@contextlib.contextmanager
def _opened(library: Any, path: str | os.PathLike[str]) -> Iterator[Image]:
    """Open a picture; most kinds are not decoded yet."""
    with open(path, "rb") as file:
        _check_icons(file)
        with library.open(file, formats=_kinds()) as picture:
            yield picture


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise UnreadablePicture(
            f"{width} x {height} pixels are too many: at most {MOST_PIXELS // 10**6} million are "
            f"read"
        )


def _check_icons(file: BinaryIO) -> None:
    """Raise for an icon with a PNG picture that is too large; Pillow decodes it on opening."""
    head = file.read(6)
    if head[:4] == b"\0\0\1\0":
        entries = file.read(16 * head[4])
        for entry in struct.iter_unpack("<12xI", entries[: len(entries) // 16 * 16]):
            file.seek(entry[0])
            inside = file.read(24)
            if inside[:8] == b"\x89PNG\r\n\x1a\n" and len(inside) == 24:
                _check_size(*struct.unpack(">II", inside[16:]))
    file.seek(0)


@functools.cache
def _kinds() -> list[str]:
    """Return the formats that can be read here."""
    library = imported("PIL.Image")
    library.init()
    with contextlib.suppress(ImportError):
        importlib.import_module("pillow_heif").register_heif_opener()
    return [kind for kind in (*_KINDS, "HEIF") if kind in library.OPEN]


def _is_heic(path: str | os.PathLike[str]) -> bool:
    """Whether a file has the signature of HEIC."""
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
        return f"too many pixels: at most {MOST_PIXELS // 10**6} million are read"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, MemoryError):
        return "too large for the memory"
    words = str(error).partition("\n")[0] if not isinstance(error, OSError) else _os_words(error)
    return f"broken ({words or type(error).__name__})"


def _os_words(error: OSError) -> str:
    return error.strerror or str(error).partition("\n")[0]


def _orientation(picture: Image) -> int:
    """Return the orientation; 1 if there is no valid one."""
    # A valid picture is not rejected for broken EXIF data.
    with contextlib.suppress(Exception):
        found = picture.getexif().get(_ORIENTATION, 1)
        if found in range(1, 9):
            return int(found)
    return 1


def upright(picture: Image, orientation: int) -> Image:
    """Return a picture, or a part of one, rotated by its EXIF orientation."""
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
