"""Pictures: many, broken and hostile ones."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow

Image = pytest.importorskip("PIL.Image", reason="pictures need 'lapoleaf[images]'")
pytest.importorskip("onnxruntime", reason="pictures need 'lapoleaf[images]'")


def write_pictures(folder, n):
    """Write small pictures of two kinds: dark and bright ones."""
    rng = np.random.default_rng(0)
    folder.mkdir(exist_ok=True)
    for i in range(n):
        pixels = rng.integers(0, 90, size=(28, 28, 3)) + 150 * (i % 2)
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"{i:05}.png")


def test_broken_and_hostile_pictures(desk, tmp_path):
    folder = tmp_path / "photos"
    write_pictures(folder, 12)
    picture = (folder / "00000.png").read_bytes()
    (folder / "<img src=x onerror=alert(1)>.png").write_bytes(picture)
    (folder / "a\"b'c&d.png").write_bytes(picture)
    (folder / "broken.png").write_bytes(picture[:100])
    (folder / "drawing.png").write_text(
        "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(2)'><script>alert(3)</script></svg>"
    )
    page = desk(folder)
    n_rows = page.state()["n_rows"]
    for i in range(n_rows):
        answer = page.page.request.get(f"{page.origin}/api/rows/{i}/thumbnail?size=64")
        assert answer.headers["content-type"] in ("image/png", "image/jpeg", "image/webp")
    page.add_class("<svg onload=alert(4)>")
    page.add_class("../../escape")
    for _ in range(n_rows + 2):
        page.press("n")
        page.page.wait_for_timeout(60)
    page.label("1")
    page.label("2")
    page.wait_for_given(2)


def test_a_picture_is_enlarged(desk, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    for i in range(3):
        Image.new("RGB", (1200, 900), (60 * i, 90, 160)).save(folder / f"{i}.jpg")
    page = desk(folder)
    page.add_class("blue")
    page.page.click("#card-show .enlarge")
    page.page.wait_for_selector("dialog.picture img")
    width = "() => document.querySelector('dialog.picture img').naturalWidth"
    page.wait_until(f"() => ({width})() === 1024")
    page.press("1", "Escape")
    page.page.wait_for_selector("dialog", state="detached")
    assert page.state()["n_given"] == 0
    page.label("1")
    page.wait_for_given(1)


def test_ten_thousand_pictures(desk, tmp_path):
    folder = tmp_path / "many"
    write_pictures(folder, 10_000)
    page = desk(folder)
    assert page.state()["n_rows"] == 10_000
    page.add_class("dark")
    page.add_class("bright")
    # Labels are taken before the model has read all pictures.
    for key in "1212121212":
        page.page.wait_for_selector("#card-show img")
        page.label(key)
    page.wait_for_given(10)
    page.wait_for_text("#n-unlabelled", "9,990")
