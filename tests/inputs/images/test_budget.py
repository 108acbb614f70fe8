"""Pixels in memory at a time, over all threads."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra images")
pytest.importorskip("PIL", reason="needs the extra images")

from inputs.images.small_models import averages
from PIL import Image

import lapoleaf
from lapoleaf.inputs import image_features
from lapoleaf.inputs.images import reading
from lapoleaf.inputs.images.budget import PixelBudget


def test_threads_wait_for_each_other():
    budget, most, inside, errors = PixelBudget(100), [0], [0], []
    lock = threading.Lock()

    def work(seed):
        draws = np.random.default_rng(seed)
        for _ in range(200):
            pixels = int(draws.integers(1, 101))
            with budget.account() as take:
                take(pixels)
                with lock:
                    inside[0] += pixels
                    most[0] = max(most[0], inside[0])
                with lock:
                    inside[0] -= pixels

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert errors == []
    assert 0 < most[0] <= 100
    assert budget.left == 100


def test_what_was_taken_comes_back_after_an_error():
    budget = PixelBudget(100)

    def work():
        with budget.account() as take:
            take(60)
            take(40)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert budget.left == 100


@pytest.fixture
def place(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "boxes").mkdir()
    averages(tmp_path / "m.onnx")
    for number in range(12):
        Image.new("RGB", (40, 40), (20 * number, 0, 0)).save(
            tmp_path / "pictures" / f"{number}.png"
        )
        box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox>"
        xml = f"<annotation>{f'<object>{box}</object>' * 3}</annotation>"
        (tmp_path / "boxes" / f"{number}.xml").write_text(xml)
    return tmp_path


def features(place, **options):
    return image_features(
        place / "pictures",
        model=place / "m.onnx",
        layer="squares",
        preset="unit",
        n_jobs=4,
        **options,
    )


@pytest.mark.parametrize("boxes", [False, True])
def test_a_budget_for_one_picture_is_enough(place, boxes, monkeypatch):
    options = {"boxes": place / "boxes"} if boxes else {}
    wanted = features(place, **options)
    monkeypatch.setattr(reading.PixelBudget.__init__, "__defaults__", (1600,))
    found = features(place, **options)
    np.testing.assert_array_equal(found.features, wanted.features)
    assert len(found.features) == (36 if boxes else 12)


def test_an_error_in_a_thread_does_not_keep_the_others_waiting(place, monkeypatch):
    monkeypatch.setattr(reading.PixelBudget.__init__, "__defaults__", (1600,))
    with pytest.raises(ValueError, match="not finite"):
        features(place, boxes=place / "boxes", scale=1e-38, mean=-1e30)


MEMORY = """
import resource, sys
from lapoleaf.inputs import image_features

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = image_features(sys.argv[1], model=sys.argv[2], layer="squares", preset="unit",
                       n_jobs=4)
print(len(found.features), len(found.skipped), *found.reasons[:1], sep="|")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures kilobytes as Linux does")
def test_large_pictures_on_many_threads(place):
    """A few hundred kilobytes each; 4 GB were needed for such a folder."""
    for number in range(4):
        picture = Image.new("RGBA", (7000, 9000), (200, 30, 30, 128))
        picture.save(place / "pictures" / f"large{number}.png")
    Image.new("RGBA", (9990, 9990)).save(place / "pictures" / "too_large.png")
    del picture
    found = subprocess.run(
        [sys.executable, "-c", MEMORY, place / "pictures", place / "m.onnx"],
        env={**os.environ, "PYTHONPATH": str(Path(lapoleaf.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    counts, kilobytes = found.stdout.splitlines()
    assert counts == "16|1|9990 x 9990 pixels are too many: at most 64 million are read"
    assert int(kilobytes) < 1.6e6
