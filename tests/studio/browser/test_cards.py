"""Cards whose reasons take long: the row is there at once, the reasons follow."""

from __future__ import annotations

import threading

import pytest

pytestmark = pytest.mark.slow


def test_reasons_follow_the_row(desk, table, monkeypatch):
    from lapoleaf import LaPOLeaFClassifier

    usual, go_on = LaPOLeaFClassifier.explain, threading.Event()

    def slowly(self, place):
        assert go_on.wait(120)
        return usual(self, place)

    monkeypatch.setattr(LaPOLeaFClassifier, "explain", slowly)
    page = desk(table)
    for name in ("apple", "berry", "cherry"):
        page.add_class(name)
    for _ in range(4):
        page.label({"a": "1", "b": "2", "c": "3"}[page.title()[0]])
    page.wait_until_labelled()
    page.page.wait_for_selector("#card-why >> text=Nearest rows")
    assert page.page.locator("#card-why >> text=Decided by").count() == 0
    go_on.set()
    page.page.wait_for_selector("#card-why >> text=Decided by")
