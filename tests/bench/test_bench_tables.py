"""Tables of the benchmarks, as people and programs read them."""

import base64
import csv
import io
from dataclasses import replace
from html.parser import HTMLParser
from importlib.metadata import version

from lapoleaf import __version__
from lapoleaf.bench.tables import Table, machine_line, write_tables

TABLE = Table(
    "speed",
    "How fast",
    ("method", "rows", "seconds", "gain"),
    [("exact", 12_345, 0.123456, "+1.0"), ("stages | all", 7, 10.0, "-2"), ("mean", None, 5.0, "")],
    note="Best of three.",
    digits=2,
)


def test_markdown_by_hand():
    assert TABLE.markdown() == (
        "### How fast\n\n"
        "Best of three.\n\n"
        "| method        |   rows | seconds | gain |\n"
        "| ------------- | -----: | ------: | ---- |\n"
        "| exact         | 12,345 |    0.12 | +1.0 |\n"
        "| stages \\| all |      7 |   10.00 | -2   |\n"
        "| mean          |      - |    5.00 |      |\n"
    )


def test_csv_keeps_every_digit():
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows[0] == list(TABLE.columns)
    assert rows[1] == ["exact", "12345", "0.123456", "+1.0"]
    assert rows[2][0] == "stages | all"
    assert rows[3] == ["mean", "", "5.0", ""]


def test_a_table_may_be_empty():
    empty = Table("none", "Nothing", ("a", "b"), [])
    assert empty.markdown() == "### Nothing\n\n| a   | b   |\n| --- | --- |\n"
    assert empty.csv() == "a,b\n"


def test_the_machine_line_names_cores_and_versions():
    line = machine_line()
    assert "\n" not in line
    assert line.startswith(f"lapoleaf {__version__}, ")
    for package in ("numpy", "scipy", "scikit-learn", "numba"):
        assert f"{package} {version(package)}" in line
    assert " cores (" in line


def test_files_are_written_into_a_folder_that_is_made(tmp_path):
    folder = tmp_path / "new" / "folder"
    paths = write_tables(folder, "demo", "A demo", "lapoleaf bench demo", [TABLE, TABLE])
    names = [path.name for path in paths]
    assert names == ["demo.html", "demo.md", "demo-speed.csv", "demo-speed.csv"]
    text = (folder / "demo.md").read_text(encoding="utf-8")
    assert text.startswith("## A demo\n")
    assert text.count("### How fast") == 2
    assert "`lapoleaf bench demo`" in text
    assert machine_line() in text
    assert (folder / "demo-speed.csv").read_text(encoding="utf-8") == TABLE.csv()


class Cells(HTMLParser):
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
    drawn = replace(TABLE, picture="demo.png", note="Best of `three` < four.")
    write_tables(tmp_path, "demo", "A <demo>", "lapoleaf bench demo", [drawn])
    page = Cells()
    page.feed((tmp_path / "demo.html").read_text(encoding="utf-8"))
    assert page.found["h1"][0] == "A <demo>"
    assert "three" in page.found["code"]
    assert page.found["th"][:4] == list(TABLE.columns)
    assert [text for text in page.found["td"] if text.strip()] == [
        "exact",
        "12,345",
        "0.12",
        "+1.0",
        "stages | all",
        "7",
        "10.00",
        "-2",
        "mean",
        "-",
        "5.00",
    ]
    (source,) = page.sources
    assert base64.b64decode(source.removeprefix("data:image/png;base64,")) == b"a picture"
