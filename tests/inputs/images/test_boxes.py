"""Boxes in XML files: whose they are, which part of a picture they mean, and bad ones."""

import re

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("PIL", reason="needs the extra images")

from inputs.images.drawing import annotation
from inputs.images.small_models import averages
from PIL import Image

from lapoleaf.inputs import image_features
from lapoleaf.inputs.images.boxes import (
    Box,
    BoxFolder,
    UnreadableBoxes,
    clipped,
    read_annotation,
    scaled,
    turned,
)
from lapoleaf.inputs.images.pictures import upright

SIZE = (60, 40)
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
PLACES = {"red": (2, 3, 22, 18), "green": (30, 5, 58, 38), "blue": (5, 25, 15, 35)}


def patches():
    """A white picture with a patch of every colour."""
    picture = Image.new("RGB", SIZE, "white")
    for name, place in PLACES.items():
        picture.paste(COLOURS[name], place)
    return picture


@pytest.fixture
def place(tmp_path):
    """Folders of pictures and of boxes, and a model that returns the mean colour, from 0 to 1."""
    for name in ("pictures", "boxes"):
        (tmp_path / name).mkdir()
    averages(tmp_path / "m.onnx")
    return tmp_path


def found_in(place, **options):
    return image_features(
        place / "pictures",
        boxes=place / "boxes",
        model=place / "m.onnx",
        layer="squares",
        preset="unit",
        **options,
    )


def objects():
    return list(PLACES.items())


def test_one_row_for_every_object(place):
    patches().save(place / "pictures" / "a.png")
    (place / "boxes" / "a.xml").write_text(annotation(SIZE, *objects()))
    found = found_in(place)
    np.testing.assert_allclose(found.features, np.array(list(COLOURS.values())) / 255, atol=1e-6)
    assert found.files.tolist() == ["a.png"] * 3
    assert found.objects.tolist() == [1, 2, 3]
    assert found.boxes.tolist() == [list(box) for box in PLACES.values()]
    assert found.labels.tolist() == [""] * 3
    assert found.thumbnails.shape == (3, 64, 64, 3)
    assert found_in(place, labels="boxes").labels.tolist() == ["red", "green", "blue"]


def test_the_largest(place):
    patches().save(place / "pictures" / "a.png")
    (place / "boxes" / "a.xml").write_text(annotation(SIZE, *objects()))
    found = found_in(place, objects="largest", labels="boxes")
    assert (found.objects.tolist(), found.labels.tolist()) == ([2], ["green"])


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("told", ["displayed", "stored", "half", "nothing"])
def test_boxes_and_rotation(place, orientation, told):
    """Boxes mean the picture as it is seen, unless their file has the size of the stored one."""
    away = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    stored = patches() if away is None else patches().transpose(Image.Transpose(away))
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored.save(place / "pictures" / "a.png", exif=exif)
    boxes, size = PLACES, SIZE
    if told == "stored" and orientation >= 5:
        boxes = {name: where(stored, colour) for name, colour in COLOURS.items()}
        size = stored.size
    elif told == "half":
        boxes = {name: tuple(side / 2 for side in box) for name, box in PLACES.items()}
        size = (30, 20)
    text = annotation(size, *boxes.items())
    if told == "nothing":
        text = text.replace("size>", "kind>")
    (place / "boxes" / "a.xml").write_text(text)
    found = found_in(place)
    assert found.boxes.tolist() == [list(box) for box in PLACES.values()]
    np.testing.assert_allclose(found.features, np.array(list(COLOURS.values())) / 255, atol=1e-6)


def where(picture, colour):
    rows, columns = np.nonzero((np.asarray(picture) == colour).all(axis=2))
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


@pytest.mark.parametrize("orientation", range(1, 9))
def test_turning_a_box_is_turning_the_picture(orientation):
    picture = patches()
    for colour in COLOURS.values():
        left, top, right, bottom = map(int, where(picture, colour))
        box = turned(Box(left, top, right, bottom), orientation, picture.size)
        wanted = where(upright(picture, orientation), colour)
        assert (box.left, box.top, box.right, box.bottom) == wanted


def test_scaling_and_clipping():
    assert scaled(Box(1, 2, 3, 4), (10, 20), (20, 20)) == Box(2, 2, 6, 4)
    assert clipped(Box(-5, -5, 99, 99), SIZE) == Box(0, 0, 60, 40)
    assert clipped(Box(1.4, 1.6, 5.5, 6.2), SIZE) == Box(1, 2, 6, 6)
    for outside in (Box(70, 5, 80, 9), Box(-9, 5, -1, 9), Box(5, 5, 5.2, 9)):
        with pytest.raises(UnreadableBoxes, match="nothing of its box is inside"):
            clipped(outside, SIZE)


def test_bad_objects_are_named_and_the_others_used(place):
    patches().save(place / "pictures" / "a.png")
    good = annotation(SIZE, ("red", PLACES["red"]))
    bad = annotation(
        SIZE,
        ("reversed", (30, 5, 10, 8)),
        ("outside", (100, 5, 110, 8)),
        ("green", (30, 5, 200, 38)),
    )
    further = (
        "<object><name>none</name></object>"
        "<object><bndbox><xmin>left</xmin><ymin>1</ymin><xmax>2</xmax><ymax>3</ymax></bndbox></object>"
        "<object><bndbox><xmin>1</xmin><ymin>inf</ymin><xmax>2</xmax><ymax>3</ymax></bndbox></object>"
        "<object><bndbox><xmin>1</xmin></bndbox></object>"
    )
    text = good.replace("</annotation>", "") + bad[bad.index("<object>") :]
    (place / "boxes" / "a.xml").write_text(text.replace("</annotation>", further + "</annotation>"))
    found = found_in(place)
    assert found.objects.tolist() == [1, 4]
    assert found.boxes.tolist() == [[2, 3, 22, 18], [30, 5, 60, 38]]
    assert found.reasons.tolist() == [
        "object 2: its box is reversed (from 31, 6 to 10, 8)",
        "object 3: nothing of its box is inside of the picture",
        "object 5: it has no bndbox",
        "object 6: its xmin is 'left', not a number",
        "object 7: its ymin is 'inf', not a number",
        "object 8: its ymin is '', not a number",
    ]
    assert set(found.skipped.tolist()) == {"a.png"}


@pytest.mark.parametrize("side", ["xmin", "ymin", "xmax", "ymax", "width", "height"])
@pytest.mark.parametrize(
    "value", ["1e308", "-1e308", "1.7e308", "1e30", "-1e10", "1e-320", "1e400"]
)
def test_numbers_of_any_size_are_no_end(side, value, place):
    """Such an object is skipped and listed; all others are used."""
    for name in ("a", "b"):
        patches().save(place / "pictures" / f"{name}.png")
        text = annotation((30, 20), ("red", (1, 1, 11, 9)))
        (place / "boxes" / f"{name}.xml").write_text(text)
    text = re.sub(f"<{side}>[^<]*<", f"<{side}>{value}<", text)
    assert value in text
    (place / "boxes" / "b.xml").write_text(text)
    found = found_in(place)
    assert found.files[0] == "a.png"
    assert found.boxes[0].tolist() == [2, 2, 22, 18]
    if side in ("xmax", "ymax") and value == "1e308":
        assert found.files.tolist() == ["a.png"]
        assert found.skipped.tolist() == ["b.png"]
        assert found.reasons.tolist() == [
            f"object 1: its {side} is '1e308', which is in no picture"
        ]


LAUGHS = """<?xml version="1.0"?>
<!DOCTYPE lol [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<annotation><object><name>&b;</name></object></annotation>"""


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LAUGHS, "has a DOCTYPE"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "has a DOCTYPE"),
        ("", "is broken"),
        ("<annotation>", "is broken"),
        ("no xml", "is broken"),
        ("<annotation></annotation>", "names no object"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "is broken"),
        ("<annotation>\x00</annotation>", "is broken"),
        ("<a>" * 50_000, "is broken"),
        (" " * 10_000_001, "larger than 10 megabytes"),
    ],
    ids=["laughs", "system", "empty", "open", "text", "bare", "encoding", "nul", "deep", "long"],
)
def test_xml_that_is_not_read(content, words, tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(UnreadableBoxes, match=words) as caught:
        read_annotation(path)
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(UnreadableBoxes, match="cannot be read"):
        read_annotation(tmp_path / "gone.xml")


def test_a_picture_with_bad_xml_is_skipped_and_one_without_is_whole(place):
    for name in ("a", "b", "c"):
        patches().save(place / "pictures" / f"{name}.png")
    (place / "boxes" / "a.xml").write_text(LAUGHS)
    (place / "boxes" / "b.xml").write_text(annotation(SIZE, ("red", PLACES["red"])))
    found = found_in(place)
    assert found.files.tolist() == ["b.png", "c.png"]
    assert found.objects.tolist() == [1, 0]
    assert found.skipped.tolist() == ["a.png"]


def test_whose_boxes(tmp_path):
    """By folder and name; by name alone where that leaves no doubt."""
    for name in ("cat/1.xml", "2.xml", "deep/3.XML", "x/4.xml", "y/4.xml", "5.xml", "no.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    pictures = ["cat/1.jpg", "cat/2.jpg", "dog/3.jpg", "dog/4.jpg", "a/5.jpg", "b/5.jpg", "6.jpg"]
    boxes = BoxFolder(tmp_path, pictures)
    assert boxes.of("cat/1.jpg") == tmp_path / "cat" / "1.xml"
    assert boxes.of("cat/2.jpg") == tmp_path / "2.xml"
    assert boxes.of("dog/3.jpg") == tmp_path / "deep" / "3.XML"
    assert boxes.of("6.jpg") is None
    for doubtful in ("dog/4.jpg", "a/5.jpg", "b/5.jpg"):
        with pytest.raises(UnreadableBoxes, match="several pictures or XML files are called"):
            boxes.of(doubtful)


def test_xml_files_beside_the_pictures(place):
    patches().save(place / "pictures" / "a.png")
    (place / "pictures" / "a.xml").write_text(annotation(SIZE, ("red", PLACES["red"])))
    found = image_features(
        place / "pictures", boxes=place / "pictures", model=place / "m.onnx", layer="squares"
    )
    assert (found.objects.tolist(), found.skipped.tolist()) == ([1], [])
