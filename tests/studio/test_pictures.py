"""Pictures: shown only as thumbnails by row number, labelled before their features are there."""

import io
import os
import threading

import numpy as np
import pytest

pytest.importorskip("PIL")
from PIL import Image

from lapoleaf.inputs.images.colours import UnreadablePicture
from lapoleaf.inputs.images.encoder import ImageEncoder
from lapoleaf.studio.exporting import export
from lapoleaf.studio.opening import opened
from lapoleaf.studio.queues import queue
from lapoleaf.studio.thumbnails import type_of


@pytest.fixture
def folder(tmp_path):
    """Return a folder of pictures, some of them hostile."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for number, colour in enumerate(("red", "blue") * 4):
        Image.new("RGB", (300, 200), colour).save(folder / f"{number}.jpg", exif=_turned())
    Image.new("RGBA", (40, 30), (0, 255, 0, 128)).save(folder / "small <img src=x>.png")
    (folder / "attack.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>")
    (folder / "page.png").write_text("<html><script>alert(1)</script>")
    os.symlink("/etc/passwd", folder / "link.png")
    Image.new("RGB", (60, 60), "black").save(tmp_path / "elsewhere.png")
    os.symlink(tmp_path / "elsewhere.png", folder / "linked.png")
    return folder


def _turned():
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "a secret place"
    return exif


@pytest.fixture
def session(folder):
    session = opened(folder)
    yield session
    session.close()


def test_only_pictures_are_rows(session):
    names = session.data.names
    assert len(names) == 10
    assert not {"attack.svg", "page.png", "link.png"} & set(names)


def test_thumbnails_are_encoded_again(session):
    content = session.thumbnails.picture(0, 100)
    assert type_of(content) == "image/jpeg" or max(Image.open(io.BytesIO(content)).size) <= 128
    picture = Image.open(io.BytesIO(content))
    assert picture.size == (67, 100)  # turned upright
    assert not picture.getexif()
    assert b"secret" not in content
    assert session.thumbnails.picture(0, 100) is content
    small = session.thumbnails.picture(session.data.names.index("small <img src=x>.png"), 512)
    assert Image.open(io.BytesIO(small)).size == (40, 30)
    assert type_of(small) == "image/png"
    assert max(Image.open(io.BytesIO(session.thumbnails.picture(1, 10**6))).size) == 300


def test_a_picture_that_is_replaced_by_something_else(session, folder):
    (folder / "0.jpg").unlink()
    with pytest.raises(UnreadablePicture, match="gone"):
        session.thumbnails.picture(0, 64)
    os.symlink("/etc/passwd", folder / "0.jpg")
    with pytest.raises(UnreadablePicture):
        session.thumbnails.picture(0, 64)


def test_too_many_pixels_are_refused(session, folder):
    with Image.new("1", (20_000, 4_000)) as large:
        large.save(folder / "1.jpg", "PNG")
    with pytest.raises(UnreadablePicture, match="too many"):
        session.thumbnails.picture(1, 64)


def test_labelling_begins_before_the_features_are_there(folder, monkeypatch):
    """Pictures are shown and labelled while the network has seen none of them."""
    may_go_on = threading.Event()

    def encode(self, files, verbose=0):
        assert may_go_on.wait(60)
        return np.array([[1.0, file < "4", 0.1 * place] for place, file in enumerate(files)])

    monkeypatch.setattr(ImageEncoder, "encode", encode)
    session = opened(folder, n_jobs=1)
    ready = threading.Event()
    taken = session.take_result

    def take_result(result, state):
        taken(result, state)
        if result is not None:
            ready.set()

    session.take_result = take_result
    session.start()
    found = queue(session, "next", 4)
    assert len(found["items"]) == 4
    assert "until the model has read" in found["message"]
    for name in ("warm", "cold"):
        session.act({"kind": "add_class", "name": name})
    session.act({"kind": "label", "rows": [0], "class": 0})
    session.act({"kind": "label", "rows": [1], "class": 1})
    assert session.to_json()["model"]["message"].startswith("Reading pictures: 0 of 10")
    assert not ready.is_set()
    may_go_on.set()
    assert ready.wait(120), session.status
    assert (session.view().classes >= 0).all()
    session.close()


def test_pictures_are_copied_never_moved(session, tmp_path):
    for name in ("../../warm", "cold"):
        session.act({"kind": "add_class", "name": name})
    session.act({"kind": "label", "rows": [0, 2], "class": 0})
    session.act({"kind": "label", "rows": [1], "class": 1})
    answer = export(session, "pictures", "given")
    target = tmp_path / "photos-sorted"
    assert answer == {"path": str(target), "n": 3}
    assert sorted(str(path.relative_to(target)) for path in target.rglob("*.jpg")) == [
        "_._.._warm/0.jpg", "_._.._warm/2.jpg", "cold/1.jpg",
    ]  # fmt: skip
    assert (target / "labels.csv").read_text().count("yes") == 3
    assert len(list((tmp_path / "photos").iterdir())) == 13
    assert export(session, "pictures", "given")["path"] == str(tmp_path / "photos-sorted-2")
