"""The map: lasso and box, hover, click, zoom, both back ends."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.slow


def box_of(desk):
    desk.wait_until("() => Number(document.querySelector('canvas.points').dataset.frames) > 0")
    desk.page.wait_for_selector("#map-none", state="hidden")
    return desk.page.locator("#map").bounding_box()


def places(desk):
    """Return where rows are on the page, as pixels."""
    answer = desk.page.request.get(f"{desk.origin}/api/map/positions")
    positions = np.frombuffer(answer.body(), dtype="<f4").reshape(-1, 2)
    box = box_of(desk)
    scale = min(box["width"], box["height"]) / 2 * 0.92
    x = box["x"] + box["width"] / 2 + positions[:, 0] * scale
    y = box["y"] + box["height"] / 2 - positions[:, 1] * scale
    return np.column_stack([x, y])


def drag(desk, points):
    mouse = desk.page.mouse
    mouse.move(*points[0])
    mouse.down()
    for point in points[1:]:
        mouse.move(*point, steps=4)
    mouse.up()


def around(points, margin=9):
    left, top = (points.min(axis=0) - margin).tolist()
    right, bottom = (points.max(axis=0) + margin).tolist()
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top + 1)]


@pytest.fixture
def page(desk, table):
    page = desk(table)
    page.add_class("apple")
    page.add_class("berry")
    box_of(page)
    return page


def test_lasso_labels_many_rows_in_one_action(page):
    corners = around(places(page)[:20])
    page.page.click("#map-tools [data-mode=lasso]")
    drag(page, corners)
    page.page.wait_for_selector("#selection:not([hidden])")
    n = int(page.text("#n-selected").split()[0])
    assert n >= 20
    before = page.state()["revision"]
    page.press("1")
    state = page.wait_for_given(n)
    assert state["revision"] == before + 1
    page.press("u")
    page.wait_for_given(0)


def test_box_by_alt_and_escape(page):
    corners = around(places(page)[20:40])
    page.page.keyboard.down("Alt")
    drag(page, [corners[0], corners[2]])
    page.page.keyboard.up("Alt")
    page.page.wait_for_selector("#selection:not([hidden])")
    assert int(page.text("#n-selected").split()[0]) >= 20
    page.press("Escape")
    page.page.wait_for_selector("#selection", state="hidden")
    assert page.state()["n_given"] == 0


def test_lasso_by_shift_and_pills(page):
    page.page.keyboard.down("Shift")
    drag(page, around(places(page)[40:]))
    page.page.keyboard.up("Shift")
    page.page.click("#selection-answers >> text=berry")
    page.note("labelled berry")
    page.wait_for_state(lambda state: state["n_given"] >= 20)


def test_hover_shows_a_row_and_click_takes_it(page):
    x, y = places(page)[7].tolist()
    page.page.mouse.move(x, y)
    page.page.wait_for_selector("#tip:not([hidden]) .cell")
    name = page.text("#tip > b")
    page.page.mouse.down()
    page.page.mouse.up()
    page.wait_for_text("#card-title", name)


def test_zoom_and_pan_redraw(page):
    box = box_of(page)
    frames = "() => Number(document.querySelector('canvas.points').dataset.frames)"
    before = page.page.evaluate(frames)
    page.page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.page.mouse.wheel(0, -400)
    page.wait_until(f"n => ({frames})() > n", before)
    before = page.page.evaluate(frames)
    drag(page, [(box["x"] + 100, box["y"] + 300), (box["x"] + 200, box["y"] + 350)])
    page.wait_until(f"n => ({frames})() > n", before)
    for name in ("in", "out", "fit"):
        page.page.click(f"#zoom-{name}")


def pixels_of(desk):
    """Return the colours on the map, as counts."""
    import io
    from collections import Counter

    from PIL import Image

    desk.page.wait_for_timeout(300)
    picture = Image.open(io.BytesIO(desk.page.locator("#map").screenshot()))
    pixels = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    return Counter(map(tuple, pixels.tolist()))


@pytest.mark.parametrize("backend", ["canvas", "webgl"])
def test_points_have_the_colours_of_their_labels(page, backend):
    for group, key, name in ((slice(0, 20), "1", "apple"), (slice(20, 60), "2", "berry")):
        page.page.keyboard.down("Shift")
        drag(page, around(places(page)[group]))
        page.page.keyboard.up("Shift")
        page.page.wait_for_selector("#selection:not([hidden])")
        page.press(key)
        page.note(f"labelled {name}")
        page.wait_until_saved()
    page.page.goto(f"{page.origin}/?map={backend}")
    page.wait_until_ready()
    page.wait_until_labelled()
    box_of(page)
    assert page.page.get_attribute("canvas.points", "data-backend") == backend
    page.page.mouse.move(5, 5)
    colours = pixels_of(page)
    assert colours[(0x00, 0x72, 0xB2)] > 100
    assert colours[(0xE6, 0x9F, 0x00)] > 100
    page.page.click("#class-0-shown")
    assert pixels_of(page)[(0x00, 0x72, 0xB2)] < colours[(0x00, 0x72, 0xB2)] / 4


def test_the_map_by_keyboard(page):
    page.page.focus("#map")
    page.press("+", "+", "-", "Home", "ArrowLeft", "ArrowRight")
    for _ in range(40):
        page.press("Shift+ArrowUp")
    page.page.wait_for_selector("#selection:not([hidden])")
    n = int(page.text("#n-selected").split()[0])
    assert n > 0
    page.press("2")
    page.wait_for_given(n)
