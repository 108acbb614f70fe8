"""Search, export and import."""

from __future__ import annotations

import csv
import io
import json

import pytest

pytestmark = pytest.mark.slow


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


def exported(desk, form, labels="all", escape=False):
    """Return the bytes of an export."""
    desk.page.click("#export")
    desk.page.select_option("dialog select[name=format]", form)
    desk.page.select_option("dialog select[name=labels]", labels)
    if escape:
        desk.page.check("dialog input[name=escape]")
    with desk.page.expect_download() as coming:
        desk.page.click("dialog button[type=submit]")
    return coming.value.path().read_bytes()


def imported(desk, name, content, label=""):
    desk.page.click("#import")
    desk.page.set_input_files(
        "dialog input[type=file]",
        {"name": name, "mimeType": "application/octet-stream", "buffer": content},
    )
    desk.page.fill("dialog input[name=label]", label)
    desk.page.click("dialog button[type=submit]")
    desk.note("taken")


def test_search_lights_up_opens_and_selects(labelled):
    labelled.press("/")
    labelled.page.keyboard.type("b1")
    labelled.wait_for_text("#n-found", "11 rows found")
    labelled.page.wait_for_selector("#found .found-row")
    labelled.press("ArrowDown", "Enter")
    labelled.wait_for_text("#card-title", "b1")
    labelled.press("/")
    labelled.page.keyboard.type("berry")
    labelled.wait_for_text("#n-found", "20 rows found")
    labelled.page.click("#select-found")
    labelled.page.wait_for_selector("#selection:not([hidden])")
    labelled.press("2")
    labelled.wait_for_state(lambda state: state["counts"]["given"][1] == 20)


def test_search_finds_nothing_and_says_so(labelled):
    labelled.page.fill("#search", "<script>")
    labelled.wait_for_text("#n-found", "0 rows found")
    labelled.press("Escape")
    assert labelled.page.is_hidden("#found-box")


def test_csv_tells_given_labels_apart(labelled):
    rows = list(csv.DictReader(io.StringIO(exported(labelled, "csv").decode())))
    assert len(rows) == 60
    assert sum(row["lapoleaf_given"] == "yes" for row in rows) == 6
    assert {row["lapoleaf_label"] for row in rows} == {"apple", "berry", "cherry"}
    given = list(csv.DictReader(io.StringIO(exported(labelled, "csv", "given").decode())))
    assert len(given) == 6


def test_other_formats(labelled):
    lines = exported(labelled, "jsonl").decode().splitlines()
    assert len(lines) == 60
    assert json.loads(lines[0])
    tasks = json.loads(exported(labelled, "label-studio"))
    assert sum(bool(task["annotations"]) for task in tasks) == 6
    assert exported(labelled, "parquet")[:4] == b"PAR1"


def test_a_model_is_written_beside_the_project(labelled, table):
    labelled.page.click("#export")
    labelled.page.select_option("dialog select[name=format]", "model")
    labelled.page.click("dialog button[type=submit]")
    labelled.note("Written to")
    assert list(table.parent.glob("*model*"))


@pytest.mark.parametrize("form", ["csv", "label-studio", "jsonl", "parquet"])
def test_an_export_is_imported_again(labelled, form):
    before = labelled.state()["counts"]["given"]
    content = exported(labelled, form, "given")
    labelled.press("Escape")
    for _ in range(6):
        labelled.press("u")
        labelled.wait_until_saved()
    labelled.wait_for_given(0)
    ending = {"label-studio": "json"}.get(form, form)
    imported(labelled, f"labels.{ending}", content)
    state = labelled.wait_for_given(6)
    assert state["counts"]["given"] == before
    labelled.press("u")
    labelled.wait_for_given(0)


def test_labels_of_a_column_of_another_name(labelled):
    given = labelled.state()["counts"]["given"]
    imported(labelled, "theirs.csv", b"name,sort,age\na1,fig,3\nb2,fig,4\n", "sort")
    state = labelled.wait_for_state(lambda state: len(state["classes"]) == 4)
    assert state["counts"]["given"][3] == 2
    labelled.press("u")
    labelled.wait_for_state(lambda state: state["counts"]["given"] == given)


def test_a_file_without_labels_is_refused(labelled):
    labelled.page.click("#import")
    labelled.page.set_input_files(
        "dialog input[type=file]",
        {"name": "x.csv", "mimeType": "text/csv", "buffer": b"\x00\xff not a table"},
    )
    labelled.page.click("dialog button[type=submit]")
    labelled.page.wait_for_selector("#notes .trouble")
    assert labelled.state()["n_given"] == 6
    labelled.complaints.clear()
