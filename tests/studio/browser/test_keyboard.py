"""The keyboard alone: from the first class to an export, with the focus always to be seen."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow


def test_everything_without_a_mouse(desk, table):
    page = desk(table)
    # Help opens and closes, and gives the focus back.
    page.press("?")
    page.page.wait_for_selector("dialog.help[open]")
    page.press("Escape")
    page.page.wait_for_selector("dialog", state="detached")
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    for _ in range(6):
        page.label({"a": "1", "b": "2", "c": "3"}[page.title()[0]])
    page.wait_for_given(6)
    page.wait_until_labelled()
    # A class is renamed by Tab and Enter.
    page.page.focus("#class-0-edit")
    page.press("Enter")
    page.page.wait_for_selector("dialog[open] input[name=name]")
    page.press("Control+A")
    page.page.keyboard.type("nut")
    page.press("Enter")
    page.wait_for_state(lambda state: state["classes"][0]["name"] == "nut")
    # Letters in a field are letters: nothing was labelled or undone by them.
    assert page.state()["n_given"] == 6
    page.press("Escape", "/")
    page.page.keyboard.type("u0n1")
    assert page.page.input_value("#search") == "u0n1"
    page.press("Escape", "Escape")
    assert page.page.input_value("#search") == ""
    assert page.state()["n_given"] == 6


def test_tab_reaches_every_control_and_shows_it(desk, table):
    page = desk(table)
    page.add_class("apple")
    reached = set()
    page.press("Escape")
    for _ in range(60):
        page.press("Tab")
        here = page.page.evaluate(
            """() => {
              const one = document.activeElement;
              const style = getComputedStyle(one);
              const name = one.id || one.getAttribute('data-mode') || one.textContent;
              const parent = one.type === 'file' ? getComputedStyle(one.parentElement) : style;
              return [name, parent.outlineStyle !== 'none' || one === document.body];
            }"""
        )
        reached.add(here[0])
        assert here[1], f"the focus on {here[0]} is not to be seen"
    wanted = {"search", "undo", "import", "export", "theme", "help", "add-class", "class-0-shown",
              "class-0-name", "class-0-edit", "asked", "tab-next", "clear", "accept", "next", "map",
              "pan", "lasso", "box", "zoom-in"}  # fmt: skip
    assert wanted - {"undo"} <= reached


def test_controls_have_names(desk, table):
    page = desk(table)
    page.add_class("apple")
    nameless = page.page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, [role]')]
          .filter((one) => one.checkVisibility())
          .filter((one) => !(one.ariaLabel || one.textContent.trim() || one.labels?.length
                             || one.getAttribute('aria-labelledby') || one.id === 'live'))
          .map((one) => one.outerHTML)"""
    )
    assert [one for one in nameless if 'role="status"' not in one] == []


def test_labels_are_read_aloud(desk, table):
    page = desk(table)
    page.add_class("apple")
    number = page.row() + 1
    page.label("1")
    page.wait_until(
        "n => document.getElementById('live').textContent === `Row ${n} labelled apple.`", number
    )


PRESS = """([key, code, shiftKey]) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true }))"""


@pytest.mark.parametrize(
    ("key", "code", "shift"),
    [
        ("1", "Numpad1", False),
        ("1", "Digit1", True),  # French, with Shift
        ("&", "Digit1", False),  # French, without
        ("1", "Digit1", False),
    ],
)
def test_digits_of_other_keyboards(desk, table, key, code, shift):
    page = desk(table)
    page.add_class("apple")
    page.row()
    page.page.evaluate(PRESS, [key, code, shift])
    page.wait_for_given(1)


def test_letters_of_other_alphabets_and_signs_above_digits(desk, table):
    page = desk(table)
    first = page.row()
    page.page.evaluate(PRESS, ["т", "KeyN", False])  # Russian, where N is
    page.wait_for_another_row(first)
    page.page.evaluate(PRESS, ["/", "Digit7", True])  # German
    page.wait_until("() => document.activeElement.id === 'search'")
    page.press("Escape")
    page.page.evaluate(PRESS, ["+", "Digit1", False])  # Czech
    page.page.wait_for_selector("dialog[open] input[name=name]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_theme_follows_the_system_and_the_button(desk, table, scheme):
    page = desk(table, color_scheme=scheme)
    ground = "() => getComputedStyle(document.body).backgroundColor"
    first = page.page.evaluate(ground)
    page.page.click("#theme")
    second = page.page.evaluate(ground)
    assert first != second
    page.page.reload()
    page.wait_until_ready()
    assert page.page.evaluate(ground) == second


def test_a_phone_has_no_sideways_scrolling(desk, table):
    page = desk(table, has_touch=True)
    page.page.set_viewport_size({"width": 390, "height": 844})
    page.add_class("a class with quite a long name")
    wide = page.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 390
    page.page.tap("#answers >> text=a class with quite a long name")
    page.wait_for_given(1)
