"""The first minute: what to do is on the page, and only what can be done is offered."""

from __future__ import annotations

import threading

import pytest


def is_off(page, button):
    """Whether a button is shown as off; it can be reached all the same."""
    return page.page.get_attribute(f"#{button}", "aria-disabled") == "true"


def test_the_first_label_needs_no_class_before_it(desk, table):
    page = desk(table)
    page.page.wait_for_selector("#card-label .steps >> text=Press Enter and type the name")
    assert is_off(page, "accept")
    assert is_off(page, "clear")
    page.page.click("#accept", force=True)
    page.note("There is no label to accept")
    first = page.row()
    page.press("Enter")
    page.page.wait_for_selector("dialog[open] input")
    page.page.keyboard.insert_text("apple")
    page.press("Enter")
    page.wait_for_given(1)
    page.wait_for_another_row(first)
    page.page.wait_for_selector("#card-label >> text=Press the key of its class")
    assert page.page.locator(".steps").count() == 0
    page.press("ArrowLeft")
    page.wait_for_row(first)
    page.page.wait_for_selector("#card-label >> text=given by you")
    assert not is_off(page, "accept")
    page.page.click("#clear")
    page.wait_for_given(0)
    page.page.wait_for_selector("#clear[aria-disabled=true]")
    page.press("0")
    page.note("has no label of yours to clear")


@pytest.mark.slow
def test_every_queue_says_what_it_holds(desk, table):
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    for _ in range(5):
        page.label({"a": "1", "b": "2", "c": "3"}[page.title()[0]])
    page.wait_until_labelled()
    for kind, words in {
        "unsure": "least sure",
        "check": "Only these answers estimate the accuracy",
        "next": "tell most about the others",
    }.items():
        page.page.click(f"#tab-{kind}")
        page.page.wait_for_selector(f"#queue-hint >> text={words}")
    assert not is_off(page, "accept")


@pytest.mark.slow
def test_a_label_that_is_hidden_cannot_be_accepted(desk, table):
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    for _ in range(5):
        page.label({"a": "1", "b": "2", "c": "3"}[page.title()[0]])
    page.wait_until_labelled()
    page.page.click("#tab-check")
    page.page.check("#blind-box")
    page.page.wait_for_selector("#card-label >> text=What is it?")
    assert is_off(page, "accept")


@pytest.mark.slow
def test_a_long_first_fit_is_explained(desk, table, monkeypatch):
    from lapoleaf import LaPOLeaFClassifier

    usual, go_on = LaPOLeaFClassifier.partial_fit, threading.Event()

    def slowly(self, *args, **options):
        assert go_on.wait(120)
        return usual(self, *args, **options)

    monkeypatch.setattr(LaPOLeaFClassifier, "partial_fit", slowly)
    page = desk(table)
    assert page.page.is_hidden("#model-slow")
    page.page.wait_for_selector("#model-slow >> text=the program is compiled, once")
    go_on.set()
    page.page.wait_for_selector("#model-slow", state="hidden")
    page.page.wait_for_selector("#model >> text=Label the first row")
