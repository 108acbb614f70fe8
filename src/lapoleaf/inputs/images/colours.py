"""Conversion of images to opaque RGB with 8 bits per channel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lapoleaf._typing import AnyArray

if TYPE_CHECKING:
    from PIL.Image import Image

# Number of pixels converted at a time.
_STRIP = 1_000_000
_BROWSERS_WHITE = (255, 255, 255)


class UnreadablePicture(Exception):
    """A file is not a picture or cannot be read; the message is the reason."""


def three_colours(picture: Image) -> Image:
    """Return the picture in mode RGB: transparent parts on white, deep greys in 8 bits.

    Converted strip by strip to bound temporary memory.
    """
    from PIL import Image

    if picture.mode == "RGB" and not picture.has_transparency_data:
        return picture.convert("RGB")
    range_of_greys = _range_of_greys(picture)
    result = Image.new("RGB", picture.size)
    for top, strip in _strips(picture):
        result.paste(_strip_in_colours(strip, range_of_greys), (0, top))
    return result


def _strips(picture: Image) -> Iterator[tuple[int, Image]]:
    """Return the strips of a picture, each with its first row."""
    width, height = picture.size
    step = max(1, _STRIP // width)
    for top in range(0, height, step):
        yield top, picture.crop((0, top, width, min(top + step, height)))


def _strip_in_colours(picture: Image, range_of_greys: tuple[float, float] | None) -> Image:
    from PIL import Image

    if range_of_greys is not None:
        return Image.fromarray(_eight_bits(picture, *range_of_greys)).convert("RGB")
    if picture.has_transparency_data:
        layer = picture.convert("RGBA")
        ground = Image.new("RGBA", layer.size, _BROWSERS_WHITE)
        return Image.alpha_composite(ground, layer).convert("RGB")
    return picture.convert("RGB")


def _range_of_greys(picture: Image) -> tuple[float, float] | None:
    """Return the black and white values of deep grey pictures; None for all others.

    Greys of 16 bits have a natural black and white; those of 32 bits or with decimals reach from
    their least to their greatest value.
    """
    if picture.mode.startswith("I;16"):
        return 0.0, 65535.0
    if picture.mode not in ("I", "F"):
        return None
    strips = (np.asarray(strip) for _, strip in _strips(picture))
    ends = np.array([(strip.min(), strip.max()) for strip in strips], dtype=np.float64)
    least, greatest = float(ends.min()), float(ends.max())
    if not (np.isfinite(least) and np.isfinite(greatest)):
        raise UnreadablePicture("some of its values are not finite")
    return least, greatest


def _eight_bits(picture: Image, least: float, greatest: float) -> AnyArray:
    """Return deep greys scaled to 8 bits."""
    values = np.asarray(picture)
    if picture.mode.startswith("I;16"):
        return (values.astype(np.uint16) >> 8).astype(np.uint8)
    if least == greatest:
        return np.full(values.shape, 127, np.uint8)
    levels: AnyArray = np.rint(
        (values.astype(np.float64) - least) * (255.0 / (greatest - least))
    ).astype(np.uint8)
    return levels
