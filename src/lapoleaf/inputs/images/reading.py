"""Views of a file for the network: the whole picture, or the objects in it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lapoleaf._encoding.images.preparing import Preparation, square, thumbnail
from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf.inputs.images.boxes import (
    Annotation,
    Box,
    BoxFolder,
    UnreadableBoxes,
    clipped,
    read_annotation,
    scaled,
    turned,
)
from lapoleaf.inputs.images.budget import PixelBudget
from lapoleaf.inputs.images.colours import UnreadablePicture
from lapoleaf.inputs.images.pictures import read_picture, upright

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True)
class View:
    """A picture or a part of one, ready for the network; ``box`` is None for the whole."""

    file: str
    box: Box | None
    numbers: FloatArray
    thumbnail: AnyArray


@dataclass(frozen=True)
class Complaint:
    """A file, or an object in it, without features, and the reason."""

    file: str
    reason: str


@dataclass(frozen=True)
class Reader:
    """Reads files of a folder for a network that takes a fixed size."""

    folder: Path
    boxes: BoxFolder | None
    only_largest: bool
    size: tuple[int, int]
    preparation: Preparation
    thumbnail_size: int
    budget: PixelBudget = field(default_factory=PixelBudget)

    def read(self, file: str) -> Generator[View | Complaint, None, None]:
        """Return the views of a file, and complaints; never raises.

        Pixels are accounted for until the last view: close the iterator if it is not exhausted.
        """
        try:
            xml = None if self.boxes is None else self.boxes.of(file)
            if xml is None:
                yield self._whole(file)
                return
            with self.budget.account() as take:
                # The picture first: boxes of a file that is not a picture need no complaint.
                stored, orientation = read_picture(self.folder / file, take=take)
                yield from self._objects(file, stored, orientation, read_annotation(xml))
        except (UnreadablePicture, UnreadableBoxes) as error:
            yield Complaint(file, str(error))

    def _whole(self, file: str) -> View:
        enough = 2 * max(*self.size, self.thumbnail_size)
        with self.budget.account() as take:
            picture = upright(*read_picture(self.folder / file, enough, take))
            return self._view(file, picture, None)

    def _objects(
        self, file: str, stored: Image, orientation: int, annotation: Annotation
    ) -> Iterator[View | Complaint]:
        for complaint in annotation.complaints:
            yield Complaint(file, complaint)
        picture = upright(stored, orientation)
        boxes = []
        for box in annotation.boxes:
            try:
                boxes.append(_on_picture(box, annotation.size, stored, picture, orientation))
            except UnreadableBoxes as error:
                yield Complaint(file, f"object {box.number}: {error}")
        if boxes and self.only_largest:
            boxes = [max(boxes, key=lambda box: box.area)]
        for box in boxes:
            corners = (int(box.left), int(box.top), int(box.right), int(box.bottom))
            yield self._view(file, picture.crop(corners), box)

    def _view(self, file: str, picture: Image, box: Box | None) -> View:
        crop = self.preparation.crop if box is None else None
        numbers = self.preparation.numbers(square(picture, self.size, crop))
        return View(file, box, numbers, thumbnail(picture, self.thumbnail_size))


def _on_picture(
    box: Box, size: tuple[int, int] | None, stored: Image, picture: Image, orientation: int
) -> Box:
    """Return a box on the upright picture, whichever picture it was drawn on.

    Without a size, or with that of the upright picture, it was drawn on that. With the size of the
    picture as it is stored, before EXIF turns it, on that one. With any other, on a smaller or
    larger copy of the upright picture.
    """
    if size is not None and size != picture.size:
        if size == stored.size:
            box = turned(box, orientation, stored.size)
        else:
            box = scaled(box, size, picture.size)
    return clipped(box, picture.size)
