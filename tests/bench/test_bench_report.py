"""What benchmarks leave in a folder, and that it grows from run to run."""

import base64
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from benchmarks.runner.command import main, make_parser, repeating_command
from benchmarks.runner.report import Report
from benchmarks.runner.tables import Table, illustrated, machine_line

TABLE = Table(
    "speed",
    "How fast",
    ("method", "rows", "seconds"),
    [("exact", 12_345, 0.123456), ("stages | all", np.int64(7), np.float64(10)), ("-", None, 5.0)],
    note="Best of `three` < *four or* 2 * 3 * 4.",
    digits=2,
)


def report(folder, command="python -m benchmarks demo"):
    return Report(folder, "demo", "A <demo>", command)


def titles(folder):
    lines = (folder / "demo.md").read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("### ") for line in lines if line.startswith("### ")]


def test_files_are_written_into_a_folder_that_is_made(tmp_path):
    folder = tmp_path / "new" / "folder"
    report(folder).add(TABLE)
    assert {path.name for path in folder.iterdir()} == {
        "demo.html", "demo.md", "demo-speed.csv", "demo-tables.json",
    }  # fmt: skip
    text = (folder / "demo.md").read_text(encoding="utf-8")
    assert text.startswith("## A <demo>\n")
    assert "`python -m benchmarks demo`" in text
    assert machine_line() in text
    assert (folder / "demo-speed.csv").read_text(encoding="utf-8") == TABLE.csv()


def test_tables_of_an_earlier_run_stay_until_they_are_measured_again(tmp_path):
    first = report(tmp_path)
    for name in ("a", "b", "c"):
        first.add(replace(TABLE, name=name, title=name))
    again = report(tmp_path)
    again.add(replace(TABLE, name="b", title="b, anew"))
    assert titles(tmp_path) == ["a", "b, anew", "c"]
    again.add(replace(TABLE, name="d", title="d"))
    assert titles(tmp_path) == ["a", "b, anew", "d", "c"]
    page = (tmp_path / "demo.html").read_text(encoding="utf-8")
    assert page.count("<h2>") == 4


def test_another_command_begins_anew(tmp_path):
    report(tmp_path).add(TABLE)
    report(tmp_path, "python -m benchmarks demo --quick").add(replace(TABLE, name="b", title="b"))
    assert titles(tmp_path) == ["b"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"made by": 1}', "nothing"])
def test_a_broken_file_of_tables_begins_anew(content, tmp_path):
    (tmp_path / "demo-tables.json").write_text(content, encoding="utf-8")
    report(tmp_path).add(TABLE)
    assert titles(tmp_path) == ["How fast"]


class Page(HTMLParser):
    """Collects the texts of the elements of a page, and the sources of its pictures."""

    def __init__(self):
        super().__init__()
        self.found, self.sources, self.tags = {}, [], ["html"]

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "img":
            self.sources.append(dict(attributes)["src"])

    def handle_data(self, data):
        self.found.setdefault(self.tags[-1], []).append(data)


def test_the_page_needs_no_other_file(tmp_path):
    (tmp_path / "demo.png").write_bytes(b"a picture")
    report(tmp_path).add(replace(TABLE, picture="demo.png"))
    page = Page()
    page.feed((tmp_path / "demo.html").read_text(encoding="utf-8"))
    assert page.found["h1"][0] == "A <demo>"
    assert "three" in page.found["code"]
    assert page.found["em"][0] == "four or"
    assert page.found["th"][:3] == list(TABLE.columns)
    assert [text for text in page.found["td"] if text.strip()] == [
        "exact", "12,345", "0.12", "stages | all", "7", "10.00", "-", "-", "5.00",
    ]  # fmt: skip
    (source,) = page.sources
    assert base64.b64decode(source.removeprefix("data:image/png;base64,")) == b"a picture"


def test_a_table_has_the_picture_that_is_drawn_for_it(tmp_path):
    folder = tmp_path / "new"
    drawn = illustrated(TABLE, folder, "demo.png", lambda path: path.write_bytes(b"a picture"))
    assert drawn == replace(TABLE, picture="demo.png")
    assert illustrated(TABLE, folder, "other.png", lambda path: None) == TABLE
    assert illustrated(TABLE, None, "demo.png", lambda path: path.write_bytes(b"")) == TABLE


def test_large_numbers_have_few_digits():
    table = replace(TABLE, rows=[("a", 12_345.678, 12_345.678), ("b", 0.25, -100.0)])
    assert [row[1:] for row in table.texts()] == [["12,345.68", "12,345.7"], ["0.25", "-100.0"]]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("paper", "paper"),
        ("paper --only small --jobs 1 --output out", "paper"),
        ("paper --data here/there --quick", "paper --data DIR --quick"),
        ("paper --splits 5 --rows 300", "paper --rows 300 --splits 5"),
        ("accuracy --methods svc 1-nn", "accuracy --methods svc 1-nn"),
    ],
)
def test_the_command_on_the_page_repeats_what_is_measured(words, found):
    arguments = make_parser().parse_args(words.split())
    assert repeating_command(arguments) == f"python -m benchmarks {found}"


def test_a_folder_of_data_must_be_there(tmp_path, capsys):
    assert main(["accuracy", "--quick", "--data", str(tmp_path / "nothing")]) == 2
    assert "is not a folder: name one, or leave it out" in capsys.readouterr().err
