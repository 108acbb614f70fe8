"""The start page: a path, a dropped file, recent projects."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Keep recent projects and dropped files in a folder of the test."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    folder = tmp_path / "started-here"
    folder.mkdir()
    monkeypatch.chdir(folder)


def test_a_path_opens_a_project_which_is_recent_then(desk, table):
    page = desk()
    page.page.fill("#path", str(table))
    page.press("Enter")
    page.page.wait_for_selector("#card[data-row]")
    assert page.text("#project") == "fruit.csv"
    again = desk()
    again.page.wait_for_selector("#recent button")
    assert "fruit.csv" in again.text("#recent")
    assert re.search(r"0 labels, \d+ \w+ 2\d{3}, \d\d:\d\d", again.text("#recent small"))


def test_a_path_that_is_not_there_is_told(desk):
    page = desk()
    page.page.fill("#path", "/nowhere/at/all.csv")
    page.press("Enter")
    page.page.wait_for_selector("#notes .trouble")
    assert page.page.is_enabled("#open")
    page.complaints.clear()


def test_a_file_is_uploaded(desk, table):
    page = desk()
    page.page.set_input_files("#file", str(table))
    page.page.wait_for_selector("#card[data-row]")
    page.add_class("apple")
    page.label("1")
    page.wait_for_given(1)


def test_columns_are_named(desk, table):
    page = desk()
    page.page.fill("#path", str(table))
    page.page.click("summary")
    page.page.fill("#label", "note")
    page.page.fill("#id", "name")
    page.page.click("#open")
    page.page.wait_for_selector("#legend >> text=plain")
    assert page.state()["n_given"] == 60
    page.page.wait_for_selector("#queue-message >> text=Every row has a label")


def test_a_page_follows_when_another_project_is_opened(desk, table, tmp_path):
    """Two start pages: what the second one opens takes the place of the first one's project."""
    first = desk()
    second = desk(first.address)
    first.page.fill("#path", str(table))
    first.press("Enter")
    first.page.wait_for_selector("#card[data-row]")
    other = tmp_path / "other.csv"
    other.write_text("name,x\n" + "".join(f"z{i},{i}\n" for i in range(30)), encoding="utf-8")
    second.page.fill("#path", str(other))
    second.press("Enter")
    second.page.wait_for_selector("#card[data-row]")
    # The page is loaded again: nothing may be evaluated meanwhile.
    first.page.wait_for_selector("#project >> text=other.csv")
    first.page.wait_for_selector("#n-rows >> text=of 30 rows")
    # What was asked of the project before is refused.
    assert all("409" in text for text in first.complaints)
    first.complaints.clear()


def test_a_file_is_dropped(desk, table):
    page = desk()
    page.page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.csv"));
          const options = { dataTransfer: data, bubbles: true, cancelable: true };
          document.getElementById("drop").dispatchEvent(new DragEvent("drop", options));
        }""",
        table.read_text("utf-8"),
    )
    page.page.wait_for_selector("#card[data-row]")
    assert page.text("#project") == "dropped.csv"
    assert page.state()["n_rows"] == 60


def test_the_way_to_other_projects_and_back(desk, table):
    page = desk(table)
    session = page.state()["session"]
    page.page.click(".home")
    page.page.click("#recent button >> text=fruit.csv")
    page.page.wait_for_selector("#card[data-row]")
    # The project was open all the time.
    assert page.state()["session"] == session
