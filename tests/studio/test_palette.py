"""Colours of classes: told apart by the colour-blind, and seen on light and on dark."""

import numpy as np
import pytest

from lapoleaf.studio.actions import PALETTE

# How linear red, green and blue are seen: Machado, Oliveira and Fernandes, 2009, severity 1.
VISIONS = {
    "all cones": np.eye(3),
    "no red cones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green cones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue cones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colours):
    values = np.array([[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in colours]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(values):
    """Return CIELAB of linear colours: distances are as people see them, about."""
    xyz = values @ TO_XYZ.T / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116).T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_colours_differ(vision):
    places = lab(np.clip(linear(PALETTE) @ np.transpose(VISIONS[vision]), 0, 1))
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert distances[np.triu_indices(len(PALETTE), 1)].min() > 15


@pytest.mark.parametrize(("panel", "least"), [("#ffffff", 1.25), ("#181b23", 2.0)])
def test_colours_are_seen_on_the_panels(panel, least):
    light = linear([panel, *PALETTE]) @ TO_XYZ[1] + 0.05
    ratio = light[1:] / light[0]
    assert np.maximum(ratio, 1 / ratio).min() > least
