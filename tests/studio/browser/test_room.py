"""Room: whatever is shown fits, and what comes up for a moment covers no button."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow

OUTSIDE = """() => [...document.querySelectorAll('#card button, #head button, #side button')]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const box = one.getBoundingClientRect();
    const room = one.closest('#card, #head, #side').getBoundingClientRect();
    return box.left < room.left - 1 || box.right > room.right + 1;
  })
  .map((one) => one.id || one.textContent)"""
COVERED = """() => {
  const notes = document.querySelector('#notes .note').getBoundingClientRect();
  return [...document.querySelectorAll('#answers button, .moves button, #head button')]
    .filter((one) => {
      const box = one.getBoundingClientRect();
      return box.left < notes.right && notes.left < box.right
        && box.top < notes.bottom && notes.top < box.bottom;
    })
    .map((one) => one.id || one.textContent);
}"""


@pytest.mark.parametrize("size", [(1280, 800), (1000, 760), (768, 1024), (390, 844)])
def test_buttons_are_inside_and_notes_cover_none(desk, table, size):
    page = desk(table)
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    page.add_class("apple")
    page.label("1")
    page.press("u")
    page.note("Undone")
    assert page.page.evaluate(COVERED) == []
    assert page.page.evaluate(OUTSIDE) == []
    assert page.page.evaluate("() => document.documentElement.scrollWidth") <= size[0]


def test_texts_of_cells_are_read_and_many_columns_are_told(desk, tmp_path):
    path = tmp_path / "wide.csv"
    words = ["brakes squeal on cold mornings", "battery is empty after two hours"]
    columns = ["name", "what", *(f"c{i}" for i in range(600))]
    lines = [
        f"r{i},{words[i % 2]}," + ",".join(str(i * j % 7) for j in range(600)) for i in range(40)
    ]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
    page = desk(path)
    page.page.wait_for_selector("#card-show >> text=The first 500 of 602 columns.")
    page.page.fill("#search", "brakes")
    page.page.wait_for_selector("#found .cell.long >> text=brakes squeal on cold mornings")
