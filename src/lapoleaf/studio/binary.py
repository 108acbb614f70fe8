"""Positions and labels of all rows as bytes, as the page takes them."""

from __future__ import annotations

import struct

import numpy as np

from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

# Ids of classes from here on have another meaning, or take two bytes.
MOST_IN_A_BYTE = 250
_NONE = 0xFF
_WIDE_NONE = 0xFFFF


def packed_positions(places: FloatArray) -> bytes:
    """Return positions as float32, little endian, moved and scaled into [-1, 1].

    Parameters
    ----------
    places : ndarray of shape (n_rows, 2)
        Places of rows in the plane.
    """
    low, high = places.min(axis=0), places.max(axis=0)
    span = float((high - low).max()) or 1.0
    scaled = (places - (low + high) / 2) * (2 / span)
    return np.ascontiguousarray(scaled, dtype="<f4").tobytes()


def packed_labels(
    revision: int, classes: IntArray, confidence: FloatArray, given: BoolArray, n_classes: int
) -> bytes:
    """Return labels as bytes: a header, ids of classes, confidences, and bits of given ones.

    Parameters
    ----------
    revision : int
        Number of the answer.
    classes : ndarray of shape (n_rows,)
        Ids of classes, -1 for none.
    confidence : ndarray of shape (n_rows,)
        From 0 to 1.
    given : ndarray of shape (n_rows,), bool
        Which labels a person gave.
    n_classes : int
        Number of classes.
    """
    wide = bool(len(classes)) and int(classes.max()) >= MOST_IN_A_BYTE
    codes: AnyArray = np.where(classes < 0, _WIDE_NONE if wide else _NONE, classes)
    header = struct.pack("<IIII", revision & 0xFFFFFFFF, len(classes), n_classes, int(wide))
    shares = np.rint(np.clip(np.nan_to_num(confidence), 0.0, 1.0) * 255).astype(np.uint8)
    return b"".join(
        (
            header,
            codes.astype("<u2" if wide else np.uint8).tobytes(),
            shares.tobytes(),
            np.packbits(given, bitorder="little").tobytes(),
        )
    )
