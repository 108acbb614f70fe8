"""Preprocessing of pictures for a network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._typing import AnyArray, FloatArray

if TYPE_CHECKING:
    from PIL.Image import Image

COLOURS = ("RGB", "BGR")


@dataclass(frozen=True)
class Preparation:
    """Normalisation of pixels from 0 to 255: ``(pixel - mean) / scale``.

    Attributes
    ----------
    mean, scale : tuple of 3 floats
        For red, green and blue, independent of the order of the colours.
    colours : {"RGB", "BGR"}
        Order in which the network takes them.
    crop : float
        Side of the central square relative to the shorter side of a picture; the rest is cropped.
        Boxes are not cropped.
    """

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    colours: str = "RGB"
    crop: float = 0.875

    def numbers(self, picture: Image) -> FloatArray:
        """Return the numbers of a picture that has the right size, row by row, colours last."""
        values: FloatArray = np.asarray(picture, dtype=np.float32)
        mean, scale = (np.array(three, np.float32) for three in (self.mean, self.scale))
        values = (values - mean) / scale
        return values if self.colours == "RGB" else values[:, :, ::-1]


PRESETS = {
    # EfficientNet-Lite, MobileNet and others trained with TensorFlow.
    "tensorflow": Preparation((127.0,) * 3, (128.0,) * 3),
    # Nearly everything trained with PyTorch.
    "torch": Preparation((123.675, 116.28, 103.53), (58.395, 57.12, 57.375)),
    # CaffeNet, AlexNet, VGG as published.
    "caffe": Preparation((123.0, 117.0, 104.0), (1.0,) * 3, "BGR"),
    # From 0 to 1, and nothing else.
    "unit": Preparation((0.0,) * 3, (255.0,) * 3),
}


def preparation(
    preset: str, mean: Any = None, scale: Any = None, colours: str | None = None
) -> Preparation:
    """Return a preset, overridden by arguments that are not None."""
    if preset not in PRESETS:
        raise ValueError(f"preset={shown(preset)} must be one of {', '.join(PRESETS)}.")
    if colours not in (None, *COLOURS):
        raise ValueError(f"colours={shown(colours)} must be 'RGB' or 'BGR'.")
    chosen = PRESETS[preset]
    if mean is not None:
        chosen = replace(chosen, mean=_three("mean", mean))
    if scale is not None:
        chosen = replace(chosen, scale=_three("scale", scale))
        if 0.0 in chosen.scale:
            raise ValueError(f"scale={shown(scale)} must not be 0: it divides.")
    return chosen if colours is None else replace(chosen, colours=colours)


def _three(name: str, value: Any) -> tuple[float, ...]:
    values = (value,) * 3 if is_real(value) else value
    try:
        numbers = tuple(float(number) for number in values)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 3 or not np.isfinite(numbers).all():
        raise ValueError(
            f"{name}={shown(value)} must be a number, or three of them: for red, green and blue."
        )
    return numbers


def square(picture: Image, size: tuple[int, int], crop: float | None) -> Image:
    """Return the central square of a picture, resized; the whole if ``crop`` is None."""
    from PIL.Image import Resampling

    width, height = picture.size
    part = (0.0, 0.0, float(width), float(height))
    if crop is not None:
        side = min(width, height) * crop
        part = (
            (width - side) / 2,
            (height - side) / 2,
            (width + side) / 2,
            (height + side) / 2,
        )
    # Width before height, as Pillow counts.
    return picture.resize(size[::-1], Resampling.BICUBIC, box=part)


def thumbnail(picture: Image, side: int) -> AnyArray:
    """Return a picture at a size of ``side`` x ``side``, all of it, on a grey ground."""
    from PIL import Image, ImageOps

    if side == 0:
        return np.zeros((0, 0, 3), np.uint8)
    small = ImageOps.contain(picture, (side, side), Image.Resampling.BICUBIC)
    ground = Image.new("RGB", (side, side), (128, 128, 128))
    ground.paste(small, ((side - small.width) // 2, (side - small.height) // 2))
    return np.asarray(ground)
