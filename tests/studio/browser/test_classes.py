"""Classes: renamed, recoloured, merged, deleted; each one action that can be undone."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def names(desk):
    return [one["name"] for one in desk.state()["classes"]]


def edit(desk, name):
    """Open the dialog of a class."""
    desk.page.click(f"#legend [aria-label='Edit {name}']")
    desk.page.wait_for_selector("dialog[open]")


@pytest.fixture
def labelled(desk, table):
    """Return a page with three classes and six labels."""
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    for _ in range(6):
        page.label({"a": "1", "b": "2", "c": "3"}[page.title()[0]])
    page.wait_for_given(6)
    page.wait_until_labelled()
    return page


def test_renamed_and_undone(labelled):
    edit(labelled, "apple")
    labelled.page.fill("dialog input[name=name]", "Äpfel & <b>Birnen</b>")
    labelled.page.click("dialog >> text=Save")
    labelled.wait_for_state(lambda state: state["classes"][0]["name"] == "Äpfel & <b>Birnen</b>")
    labelled.page.wait_for_selector("#legend .name >> text=Äpfel & <b>Birnen</b>")
    assert labelled.page.locator("#legend b b, #legend .name b").count() == 0
    labelled.press("u")
    labelled.wait_for_state(lambda state: state["classes"][0]["name"] == "apple")
    labelled.press("Shift+U")
    labelled.wait_for_state(lambda state: state["classes"][0]["name"] != "apple")


def test_recoloured_and_undone(labelled):
    edit(labelled, "berry")
    labelled.page.check("dialog input[value='#5b40bf']")
    labelled.page.click("dialog >> text=Save")
    labelled.wait_for_state(lambda state: state["classes"][1]["colour"] == "#5b40bf")
    labelled.press("u")
    labelled.wait_for_state(lambda state: state["classes"][1]["colour"] == "#e69f00")


def test_merged_and_undone(labelled):
    before = labelled.state()
    edit(labelled, "apple")
    labelled.page.select_option("dialog select[name=into]", label="cherry")
    labelled.page.click("dialog >> text=Merge >> nth=-1")
    state = labelled.wait_for_state(lambda state: len(state["classes"]) == 2)
    assert state["n_given"] == 6
    labelled.wait_until_labelled()
    labelled.wait_for_state(lambda state: sorted(state["counts"]["labelled"]) == [20, 40])
    labelled.press("u")
    labelled.wait_for_state(lambda state: len(state["classes"]) == 3)
    labelled.wait_until_labelled()
    state = labelled.wait_for_state(
        lambda state: state["counts"]["labelled"] == before["counts"]["labelled"]
    )
    assert state["counts"]["given"] == before["counts"]["given"]


def test_deleted_and_undone(labelled):
    given = labelled.state()["counts"]["given"]
    edit(labelled, "cherry")
    labelled.page.click("dialog button.danger")
    labelled.wait_for_given(sum(given[:2]))
    assert names(labelled) == ["apple", "berry"]
    labelled.press("u")
    labelled.wait_for_given(6)
    assert names(labelled) == ["apple", "berry", "cherry"]


def test_a_name_that_is_taken_is_refused(labelled):
    edit(labelled, "apple")
    labelled.page.fill("dialog input[name=name]", "berry")
    labelled.page.click("dialog >> text=Save")
    labelled.note("is the name of a class already")
    assert names(labelled) == ["apple", "berry", "cherry"]
    # The browser notes the refusal (400) itself.
    assert len(labelled.complaints) == 1
    labelled.complaints.clear()


def test_hidden_on_the_map_and_shown_again(labelled):
    labelled.page.click("#legend [aria-label='Hide apple on the map']")
    labelled.page.wait_for_selector("#class-0-shown[aria-pressed=false]")
    labelled.page.click("#legend [aria-label='Show apple on the map']")
    labelled.page.wait_for_selector("#class-0-shown[aria-pressed=true]")


def test_chosen_by_name_or_made_on_the_way(labelled):
    before = labelled.row()
    labelled.press("Enter")
    labelled.page.keyboard.type("date")
    labelled.press("Enter")
    labelled.wait_for_given(7)
    assert names(labelled)[-1] == "date"
    labelled.wait_for_another_row(before)
    labelled.press("Enter")
    labelled.page.keyboard.type("dat")
    labelled.press("Enter")
    state = labelled.wait_for_given(8)
    assert state["counts"]["given"][-1] == 2


def test_classes_that_are_added_quickly_have_colours_of_their_own(desk, table):
    page = desk(table)
    # The server has answered nothing when the last one is added.
    held, is_answered = [], False

    def hold(route):
        if is_answered:
            route.continue_()
        else:
            held.append(route)

    page.page.route("**/api/actions**", hold)
    for name in ("apple", "berry", "cherry", "date"):
        page.press("+")
        page.page.wait_for_selector("dialog[open] input[name=name]")
        page.page.keyboard.insert_text(name)
        page.press("Enter")
        page.page.wait_for_selector("dialog", state="detached")
    is_answered = True
    for route in held:
        route.continue_()
    classes = page.wait_for_state(lambda state: len(state["classes"]) == 4)["classes"]
    assert len({one["colour"] for one in classes}) == 4
    assert [one["key"] for one in classes] == list("1234")


def test_keys_after_a_dialog_are_not_lost(desk, table):
    """The next key may come before the browser has drawn the page without the dialog."""
    page = desk(table)
    for number in range(12):
        page.press("+")
        page.page.wait_for_selector("dialog[open] input[name=name]")
        page.page.keyboard.insert_text(f"class {number}")
        page.press("Enter")
    page.wait_for_state(lambda state: len(state["classes"]) == 12)
    page.press("?", "Escape", "1")
    page.wait_for_given(1)
