"""Bounding boxes of objects from XML files in the format of PASCAL VOC and ImageNet."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from lapoleaf._messages import shown

_MOST_BYTES = 10_000_000
# Maximum coordinate: larger than any image, and safe to scale and round.
_FARTHEST = 1e9


class UnreadableBoxes(Exception):
    """An XML file cannot be read, or an object in it has no usable box."""


@dataclass(frozen=True)
class Box:
    """The part of a picture from ``left`` and ``top`` up to, not including, ``right``, ``bottom``.

    ``number`` counts the objects of a file from 1, ``name`` is what the file calls this one.
    """

    left: float
    top: float
    right: float
    bottom: float
    number: int = 1
    name: str = ""

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)


@dataclass(frozen=True)
class Annotation:
    """The content of an XML file: the size of the picture, boxes, and bad objects."""

    size: tuple[int, int] | None
    boxes: tuple[Box, ...]
    complaints: tuple[str, ...]


class _NoDoctype(ElementTree.TreeBuilder):
    """A builder of element trees that rejects files with a document type declaration."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise UnreadableBoxes("its XML has a DOCTYPE, which is not read")


def read_annotation(path: Path) -> Annotation:
    """Read the boxes of an XML file.

    Coordinates are pixels counted from 1, the last one included, as in PASCAL VOC.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UnreadableBoxes("its XML is larger than 10 megabytes")
        root = ElementTree.fromstring(path.read_bytes(), ElementTree.XMLParser(target=_NoDoctype()))
    except OSError as error:
        raise UnreadableBoxes(f"its XML cannot be read ({error.strerror})") from error
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise UnreadableBoxes(f"its XML is broken ({error})") from error
    boxes, complaints = [], []
    for number, element in enumerate(root.findall("object"), 1):
        try:
            boxes.append(_box(element, number))
        except UnreadableBoxes as error:
            complaints.append(f"object {number}: {error}")
    if not boxes and not complaints:
        raise UnreadableBoxes("its XML names no object")
    return Annotation(_size(root), tuple(boxes), tuple(complaints))


def _box(element: ElementTree.Element, number: int) -> Box:
    corners = element.find("bndbox")
    if corners is None:
        raise UnreadableBoxes("it has no bndbox")
    left, top, right, bottom = (_number(corners, side) for side in ("xmin", "ymin", "xmax", "ymax"))
    if left > right or top > bottom:
        raise UnreadableBoxes(
            f"its box is reversed (from {left:g}, {top:g} to {right:g}, {bottom:g})"
        )
    name = " ".join((element.findtext("name") or "").split())
    return Box(left - 1.0, top - 1.0, right, bottom, number, name)


def _number(element: ElementTree.Element, name: str) -> float:
    text = (element.findtext(name) or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UnreadableBoxes(f"its {name} is {shown(text)}, not a number")
    if abs(value) > _FARTHEST:
        raise UnreadableBoxes(f"its {name} is {shown(text)}, which is in no picture")
    return value


def _size(root: ElementTree.Element) -> tuple[int, int] | None:
    """Return width and height by the file; None if they are missing or invalid."""
    size = root.find("size")
    if size is None:
        return None
    try:
        width, height = (int(_number(size, side)) for side in ("width", "height"))
    except UnreadableBoxes:
        return None
    return (width, height) if width > 0 and height > 0 else None


def scaled(box: Box, size: tuple[int, int], to: tuple[int, int]) -> Box:
    """Return the box on a resized copy of the picture."""
    across, down = to[0] / size[0], to[1] / size[1]
    return replace(
        box,
        left=box.left * across,
        right=box.right * across,
        top=box.top * down,
        bottom=box.bottom * down,
    )


def turned(box: Box, orientation: int, size: tuple[int, int]) -> Box:
    """Return a box drawn on a picture as it is stored, of that size, on the upright picture.

    ``orientation`` is numbered as EXIF does it; 5 to 8 exchange width and height.
    """
    (width, height), left, top, right, bottom = size, box.left, box.top, box.right, box.bottom
    if orientation in (2, 3, 7, 8):
        left, right = width - right, width - left
    if orientation in (3, 4, 6, 7):
        top, bottom = height - bottom, height - top
    if orientation >= 5:
        left, top, right, bottom = top, left, bottom, right
    return replace(box, left=left, top=top, right=right, bottom=bottom)


def clipped(box: Box, size: tuple[int, int]) -> Box:
    """Return the part of a box that is inside of a picture, in whole pixels."""
    left, top = max(round(box.left), 0), max(round(box.top), 0)
    right, bottom = min(round(box.right), size[0]), min(round(box.bottom), size[1])
    if left >= right or top >= bottom:
        raise UnreadableBoxes("nothing of its box is inside of the picture")
    return replace(box, left=left, top=top, right=right, bottom=bottom)


class BoxFolder:
    """The XML files of a folder, found by the picture they belong to.

    ``cat/1.jpg`` belongs to ``cat/1.xml``; or to the only ``1.xml`` of the folder, if no other
    picture is called ``1``.
    """

    def __init__(self, folder: Path, pictures: list[str]) -> None:
        self.folder = folder
        self._exact: dict[str, Path] = {}
        self._by_stem: dict[str, list[Path]] = {}
        for place, _folders, names in os.walk(folder):
            for name in sorted(names):
                stem, ending = os.path.splitext(name)
                if ending.lower() == ".xml":
                    path = Path(place, name)
                    key = os.path.splitext(path.relative_to(folder).as_posix())[0]
                    self._exact[key] = path
                    self._by_stem.setdefault(stem, []).append(path)
        self._n_pictures: dict[str, int] = {}
        for picture in pictures:
            stem = os.path.splitext(os.path.basename(picture))[0]
            self._n_pictures[stem] = self._n_pictures.get(stem, 0) + 1

    def of(self, picture: str) -> Path | None:
        """Return the XML file of a picture, None if it has none."""
        key = os.path.splitext(picture)[0]
        if key in self._exact:
            return self._exact[key]
        stem = os.path.basename(key)
        found = self._by_stem.get(stem, [])
        if not found:
            return None
        if len(found) > 1 or self._n_pictures[stem] > 1:
            raise UnreadableBoxes(
                f"several pictures or XML files are called {shown(stem)}: name the XML folders "
                f"like those of the pictures"
            )
        return found[0]
