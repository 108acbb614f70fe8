"""Which files of a folder are looked at, by which names, and of which class they are."""

import os

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("PIL", reason="needs the extra images")

from inputs.images.small_models import averages
from PIL import Image

from lapoleaf.inputs import ImageFeatures, image_features, load_features
from lapoleaf.inputs.images.folders import find_files


def put(folder, *names):
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), (10 * number, 99, 99)).save(path)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "pictures"
    place.mkdir()
    return place


@pytest.fixture
def model(tmp_path):
    return averages(tmp_path / "m.onnx")


def test_classes_are_the_folders_at_the_top(folder, model):
    put(
        folder, "cat/1.png", "dog/1.png", "dog/small/2.png", "3.png", "unlabelled/4.png",
        "Unlabeled/5.png", "unlabelled/cat/6.png",
    )  # fmt: skip
    found = image_features(folder, model=model)
    assert dict(zip(found.files.tolist(), found.labels.tolist(), strict=True)) == {
        "3.png": "",
        "Unlabeled/5.png": "",
        "cat/1.png": "cat",
        "dog/1.png": "dog",
        "dog/small/2.png": "dog",
        "unlabelled/4.png": "",
        "unlabelled/cat/6.png": "",
    }
    assert found.files.tolist() == sorted(found.files)
    assert len(found) == 7


def test_odd_names(folder, model, tmp_path):
    names = ["a b/c,d.png", 'quo"te.png', "new\nline.png", "zoë/日本.png", "-o.png", "' OR 1.png"]
    put(folder, *names)
    wanted = set(names)
    if os.name == "posix":
        raw = os.fsencode(folder) + b"/latin\xe9.png"
        os.rename(folder / "-o.png", raw)
        wanted = wanted - {"-o.png"} | {os.fsdecode(b"latin\xe9.png")}
    image_features(folder, model=model, output=tmp_path / "f.npz")
    found = load_features(tmp_path / "f.npz")
    assert set(found.files.tolist()) == wanted
    assert len(found.skipped) == 0


def test_hidden_files_are_passed_over(folder):
    put(folder, "a.png", ".hidden.png", ".git/b.png", "cat/._a.png")
    assert find_files(folder).files == ("a.png",)
    assert find_files(folder).skipped == ()


@pytest.mark.skipif(os.name != "posix", reason="links and pipes as Unix has them")
def test_links_and_pipes(folder, tmp_path):
    """Links are followed, each folder once; circles end, links to nothing are named."""
    put(folder, "cat/1.png")
    put(tmp_path / "elsewhere", "2.png", "deep/3.png")
    (folder / "dog").symlink_to(tmp_path / "elsewhere")
    (folder / "bird").symlink_to(tmp_path / "elsewhere")
    (folder / "4.png").symlink_to(folder / "cat" / "1.png")
    (folder / "cat" / "up").symlink_to(folder)
    (tmp_path / "elsewhere" / "deep" / "back").symlink_to(tmp_path / "elsewhere")
    (folder / "nothing.png").symlink_to(folder / "gone.png")
    (folder / "itself").symlink_to(folder / "itself")
    os.mkfifo(folder / "pipe.png")
    found = find_files(folder)
    assert found.files == ("4.png", "bird/2.png", "bird/deep/3.png", "cat/1.png")
    assert dict(found.skipped) == {
        "dog": "a link to a folder that is read under another name",
        "cat/up": "a link to a folder that is read under another name",
        "bird/deep/back": "a link to a folder that is read under another name",
        "nothing.png": "no file, or a link to nothing",
        "itself": "no file, or a link to nothing",
        "pipe.png": "no file, or a link to nothing",
    }


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may read all files")
def test_no_permission(folder, model):
    put(folder, "a.png", "b.png", "closed/c.png")
    (folder / "b.png").chmod(0)
    (folder / "closed").chmod(0)
    try:
        found = image_features(folder, model=model)
    finally:
        (folder / "closed").chmod(0o700)
    assert found.files.tolist() == ["a.png"]
    assert found.skipped.tolist() == ["b.png", "closed"]


def test_nothing_to_do(folder, model, tmp_path):
    with pytest.raises(ValueError, match=r"pictures' holds no files"):
        image_features(folder, model=model)
    (folder / "notes.txt").write_text("text")
    with pytest.raises(ValueError, match=r"no file is a picture that can be used; 'notes\.txt'"):
        image_features(folder, model=model, output=tmp_path / "f.npz")
    assert list(tmp_path.glob("f.npz*")) == []
    with pytest.raises(NotADirectoryError, match="is not there: name a folder"):
        image_features(tmp_path / "gone", model=model)
    with pytest.raises(NotADirectoryError, match="is a file: name a folder"):
        image_features(model, model=model)
    with pytest.raises(TypeError, match="folder=3 must be the name of a folder"):
        image_features(3, model=model)


def test_the_output_may_be_in_the_folder(folder, model):
    put(folder, "a.png", "b.png")
    output = folder / "f.npz"
    image_features(folder, model=model, output=output)
    first = output.read_bytes()
    image_features(folder, model=model, output=output)
    assert output.read_bytes() == first
    assert load_features(output).skipped.tolist() == []


def test_the_file_is_plain_arrays(folder, model, tmp_path):
    put(folder, "cat/a.png", "b.png")
    (folder / "notes.txt").write_text("text")
    made = image_features(folder, model=model, output=tmp_path / "f.npz", thumbnail_size=32)
    with np.load(tmp_path / "f.npz", allow_pickle=False) as stored:
        assert {name: (stored[name].dtype.kind, stored[name].shape) for name in stored.files} == {
            "features": ("f", (2, 48)),
            "files": ("U", (2,)),
            "labels": ("U", (2,)),
            "objects": ("i", (2,)),
            "boxes": ("i", (2, 4)),
            "thumbnails": ("u", (2, 32, 32, 3)),
            "skipped": ("U", (1,)),
            "reasons": ("U", (1,)),
            "contents": ("U", (2,)),
            "settings": ("U", ()),
        }
    read = load_features(tmp_path / "f.npz")
    for name in ("features", "files", "labels", "objects", "boxes", "thumbnails", "reasons"):
        np.testing.assert_array_equal(getattr(read, name), getattr(made, name))
    assert read.settings == made.settings
    assert read.settings["network"] == "m.onnx"
    none = image_features(folder, model=model, output=tmp_path / "f.npz", thumbnail_size=0)
    assert load_features(tmp_path / "f.npz").thumbnails.shape == none.thumbnails.shape


def test_thumbnails_show_the_whole_picture_upright(folder, model):
    picture = Image.new("RGB", (100, 50), "red")
    picture.paste((0, 0, 255), (50, 0, 100, 50))
    picture.save(folder / "a.png")
    (thumbnail,) = image_features(folder, model=model, thumbnail_size=40).thumbnails
    assert thumbnail[20, 2].tolist() == [255, 0, 0]
    assert thumbnail[20, 37].tolist() == [0, 0, 255]
    assert thumbnail[2, 20].tolist() == [128, 128, 128]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": [1]}, "it has no 'features'"),
        ({"features": [[1.0]], "files": ["a"]}, "it has no 'labels'"),
        ({"features": [1.0], "files": ["a"], "labels": [""]}, "must be a table"),
        ({"features": [[np.nan]], "files": ["a"], "labels": [""]}, "finite"),
        ({"features": [["x"]], "files": ["a"], "labels": [""]}, "could not convert"),
        ({"features": [[1.0]], "files": ["a", "b"], "labels": [""]}, "files must have one entry"),
        ({"features": [[1.0]], "files": ["a"], "labels": [""], "boxes": [[1]]}, "boxes must"),
        ({"features": [[1.0]], "files": ["a"], "labels": [""], "thumbnails": [1]}, "thumbnails"),
        ({"features": [[1.0]], "files": ["a"], "labels": [""], "skipped": ["b"]}, "one length"),
        ({"features": [[1.0]], "files": ["a"], "labels": [""], "settings": "{"}, "cannot be used"),
        ({"features": [[1.0]], "files": ["a"], "labels": [""], "settings": "[]"}, "cannot be used"),
        (
            {"features": [[1.0]], "files": ["a"], "labels": [""], "settings": '{"version": 9}'},
            "a later version",
        ),
        ({"features": np.array([{}]), "files": ["a"], "labels": [""]}, "not a file of image"),
    ],
)
def test_files_that_are_not_features(arrays, words, tmp_path):
    np.savez(tmp_path / "f.npz", **arrays)
    with pytest.raises(ValueError, match=words) as caught:
        load_features(tmp_path / "f.npz")
    assert "f.npz'" in str(caught.value)


def test_damaged_files_are_not_features(folder, model, tmp_path):
    put(folder, "a.png")
    image_features(folder, model=model, output=tmp_path / "f.npz", thumbnail_size=4)
    whole = (tmp_path / "f.npz").read_bytes()
    for content in (b"", b"text", b"PK\x03\x04", whole[:-100], whole[:200]):
        (tmp_path / "f.npz").write_bytes(content)
        with pytest.raises(ValueError, match="is not a file of image features"):
            load_features(tmp_path / "f.npz")
    np.save(tmp_path / "f.npy", np.ones(3))
    with pytest.raises(ValueError, match="is not a file of image features"):
        load_features(tmp_path / "f.npy")
    with pytest.raises(FileNotFoundError):
        load_features(tmp_path / "gone.npz")
    with pytest.raises(TypeError, match="path=3"):
        load_features(3)


def test_features_of_ones_own(tmp_path):
    """Any features can be labelled: three arrays are enough."""
    ImageFeatures([[1, 2]], ["a"], ["cat"]).save(tmp_path / "f.npz")
    found = load_features(tmp_path / "f.npz")
    assert repr(found) == "ImageFeatures(1 rows of 2 columns, 1 labelled, 1 class)"
    assert found.boxes.tolist() == [[0, 0, 0, 0]]
