"""Labels by keys: shown at once, saved, followed by the others, undone and done again."""

from __future__ import annotations

import pytest

KEYS = {"a": "1", "b": "2", "c": "3"}


def label_truly(desk, n):
    """Label n rows of the queue by the first letter of their names."""
    for _ in range(n):
        desk.label(KEYS[desk.title()[0]])


def test_keys_label_and_undo(desk, table):
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    label_truly(page, 6)
    page.wait_for_given(6)
    page.wait_until_labelled()
    page.wait_for_text("#n-given", "6")
    page.press("u")
    page.note("Undone")
    page.wait_for_given(5)
    page.press("Shift+U")
    page.wait_for_given(6)
    counts = page.wait_for_state(lambda state: state["model"]["status"] == "ready")["counts"]
    # The first rows of the queue are random ones as long as the model has not read them all.
    assert sum(counts["labelled"]) == 60


@pytest.mark.slow
def test_one_class_propagates_nothing(desk, table):
    page = desk(table)
    page.page.wait_for_selector("#model >> text=Label the first row")
    page.add_class("apple")
    page.label("1")
    page.wait_for_given(1)
    page.page.wait_for_selector("#model >> text=nothing is propagated yet")
    page.wait_for_text("#n-unlabelled", "59")


@pytest.mark.slow
def test_clear_accept_back_and_next(desk, table):
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    label_truly(page, 5)
    page.wait_until_labelled()
    first = page.row()
    page.label("n")
    page.press("ArrowLeft")
    page.wait_for_row(first)
    page.label("Space")
    page.wait_for_given(6)
    page.press("ArrowLeft")
    page.page.wait_for_selector("#card-label >> text=given by you")
    page.press("0")
    page.wait_for_given(5)


@pytest.mark.slow
def test_undo_returns_to_the_row_before(desk, table):
    page = desk(table)
    page.add_class("apple")
    first = page.row()
    page.label("1")
    page.press("u")
    page.wait_for_row(first)
    page.wait_for_given(0)
    page.label("1")
    page.wait_for_given(1)


@pytest.mark.slow
def test_actions_do_not_wait_for_each_other(desk, table):
    page = desk(table)
    page.add_class("apple")
    page.add_class("berry")
    before = page.state()["revision"]
    for key in "12" * 8:
        page.label(key)
    page.wait_until_saved()
    state = page.wait_for_state(lambda state: state["model"]["status"] == "ready")
    assert state["revision"] >= before + 15
    for _ in range(30):
        page.press("u")
    page.wait_until_saved()
    assert page.state()["n_given"] == 0


@pytest.mark.slow
def test_a_page_beside_sees_the_same(desk, table):
    first = desk(table)
    second = desk(first.address)
    first.add_class("apple")
    second.page.wait_for_selector("#legend >> text=apple")
    first.label("1")
    second.wait_for_text("#n-given", "1")


@pytest.mark.slow
def test_a_page_that_is_loaded_again_has_everything(desk, table):
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    label_truly(page, 4)
    page.wait_for_given(4)
    page.wait_until_saved()
    page.page.reload()
    page.wait_until_ready()
    page.wait_until_labelled()
    page.wait_for_text("#n-given", "4")
    assert page.text("#legend").count("apple") == 1
