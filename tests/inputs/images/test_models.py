"""Any ONNX model computes features; one that cannot is refused with a clear error."""

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("PIL", reason="needs the extra images")

from inputs.images.small_models import SIDE, averages, dense, save_model
from onnx import TensorProto, helper
from PIL import Image

from lapoleaf._encoding.images.preparing import PRESETS
from lapoleaf.inputs import image_features


@pytest.fixture
def folder(tmp_path):
    """Three pictures of one colour each, and their colours."""
    place = tmp_path / "pictures"
    place.mkdir()
    for name, colour in (("a", (200, 100, 50)), ("b", (0, 0, 0)), ("c", (255, 255, 255))):
        Image.new("RGB", (40, 30), colour).save(place / f"{name}.png")
    return place


COLOURS = np.array([[200, 100, 50], [0, 0, 0], [255, 255, 255]], dtype=np.float64)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_what_they_say(preset, folder, tmp_path):
    found = image_features(
        folder, model=averages(tmp_path / "m.onnx"), layer="squares", preset=preset
    )
    wanted = {
        "tensorflow": (COLOURS - 127) / 128,
        "torch": (COLOURS / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225],
        "caffe": (COLOURS - [123, 117, 104])[:, ::-1],
        "unit": COLOURS / 255,
    }[preset]
    # The layer has squares; they are averaged, and three colours are left.
    np.testing.assert_allclose(found.features, wanted, atol=1e-5)


def test_mean_scale_and_colours(folder, tmp_path):
    model = averages(tmp_path / "m.onnx")
    own = {"mean": (1, 2, 3), "scale": 2.0, "colours": "BGR"}
    found = image_features(folder, model=model, layer="squares", **own)
    np.testing.assert_allclose(found.features, (COLOURS - [1, 2, 3])[:, ::-1] / 2, atol=1e-5)


def test_colours_last_and_fixed_batches(folder, tmp_path):
    """Models from TensorFlow want colours last; some models want so many pictures at once."""
    plain = image_features(folder, model=averages(tmp_path / "m.onnx"), layer="squares")
    for batch in (1, 2, 4):
        model = averages(tmp_path / f"{batch}.onnx", batch=batch)
        found = image_features(folder, model=model, layer="squares")
        np.testing.assert_array_equal(found.features, plain.features)
    model = averages(tmp_path / "last.onnx", colours_last=True)
    found = image_features(folder, model=model)
    assert found.features.shape == (3, 48)
    np.testing.assert_allclose(found.features.reshape(3, 3, 16).mean(2), plain.features, atol=1e-6)


def test_layers_by_node_and_by_output(folder, tmp_path):
    model = dense(tmp_path / "m.onnx")
    by_node = image_features(folder, model=model, layer="fc7").features
    by_output = image_features(folder, model=model, layer="fc7_1").features
    assert by_node.shape == (3, 7)
    np.testing.assert_array_equal(by_node, by_output)
    assert image_features(folder, model=model).features.shape == (3, 2)
    with pytest.raises(ValueError, match=r"layer='fc9': model 'm.onnx' has none.*'fc8'"):
        image_features(folder, model=model, layer="fc9")


def test_open_sizes(folder, tmp_path):
    model = averages(tmp_path / "m.onnx", side="side")
    assert image_features(folder, model=model, size=8).features.shape == (3, 12)
    assert image_features(folder, model=model).features.shape == (3, 3 * 56**2)
    fixed = averages(tmp_path / "fixed.onnx")
    with pytest.raises(ValueError, match=r"size=8: model 'fixed.onnx' takes pictures of 16 x 16"):
        image_features(folder, model=fixed, size=8)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.write_bytes(b"nothing of the kind"), "is not an ONNX model"),
        (lambda path: path.write_bytes(b""), "is not an ONNX model"),
        (lambda path: None, "there is no such file"),
        (
            lambda path: save_model(
                path, [helper.make_node("NoSuchNode", ["x"], ["y"])], ["n", 3, 8, 8], [("y", None)]
            ),
            "cannot be run",
        ),
        (
            lambda path: save_model(
                path, [helper.make_node("Identity", ["x"], ["y"])], ["n", 5], [("y", ["n", 5])]
            ),
            "does not take pictures of three colours",
        ),
        (
            lambda path: save_model(
                path,
                [helper.make_node("Identity", ["x"], ["y"])],
                ["n", 3, 8, 8],
                [("y", ["n", 3, 8, 8])],
                kind=TensorProto.UINT8,
            ),
            "only floating-point numbers",
        ),
        (
            lambda path: save_model(
                path, [helper.make_node("Log", ["x"], ["y"])], ["n", 3, 8, 8], [("y", None)]
            ),
            "not finite for 'a.png'",
        ),
        (
            lambda path: save_model(
                path,
                [helper.make_node("ReduceMean", ["x"], ["y"], axes=[1, 2, 3], keepdims=0)],
                ["n", 3, 8, 8],
                [("y", ["n"])],
            ),
            "layer 'y' gives single numbers",
        ),
        (
            lambda path: save_model(
                path,
                [helper.make_node("MatMul", ["x", "w"], ["y"])],
                ["n", 3, "h", "w"],
                [("y", None)],
                [("w", np.ones((9, 2), np.float32))],
            ),
            "cannot work on pictures of 224 x 224",
        ),
    ],
    ids=["text", "empty", "gone", "node", "table", "bytes", "log", "one", "size"],
)
def test_models_that_cannot(make, words, folder, tmp_path):
    path = tmp_path / "m.onnx"
    make(path)
    with pytest.raises((ValueError, OSError), match=words) as caught:
        image_features(folder, model=path, output=tmp_path / "f.npz")
    assert len(str(caught.value).splitlines()) == 1
    assert list(tmp_path.glob("f.npz*")) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"preset": "vgg"}, "preset='vgg' must be one of tensorflow, torch, caffe, unit"),
        ({"mean": (1, 2)}, r"mean=\(1, 2\) must be a number, or three of them"),
        ({"mean": "white"}, "mean='white' must be a number"),
        ({"scale": float("nan")}, "scale=nan must be a number"),
        ({"scale": 0}, "scale=0 must not be 0"),
        ({"colours": "CMYK"}, "colours='CMYK' must be 'RGB' or 'BGR'"),
        ({"size": 0}, "size=0 must be a whole number"),
        ({"thumbnail_size": 2.5}, "thumbnail_size=2.5 must be a whole number"),
        ({"thumbnail_size": -1}, "thumbnail_size=-1 must be a whole number"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"objects": "some"}, "objects='some' must be 'all' or 'largest'"),
        ({"objects": "largest"}, "objects='largest' needs boxes"),
        ({"labels": "boxes"}, "labels='boxes' needs boxes"),
        ({"boxes": "no/such/folder"}, "boxes='no/such/folder' is not there"),
        ({"output": "no/such/folder/f.npz"}, "there is no folder"),
    ],
)
def test_bad_parameters_are_named(options, words, folder, tmp_path):
    model = averages(tmp_path / "m.onnx")
    with pytest.raises((ValueError, OSError), match=words):
        image_features(folder, **{"model": model, **options})


@pytest.mark.parametrize("name", ["size", "preset", "mean", "scale", "colours"])
def test_the_packaged_network_has_its_own_ways(name, folder):
    value = {"size": SIDE, "preset": "torch", "colours": "RGB"}.get(name, 1.0)
    with pytest.raises(ValueError, match=f"{name}=.* is for a model of your own"):
        image_features(folder, **{name: value})
