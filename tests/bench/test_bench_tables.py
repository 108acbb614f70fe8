"""Tables of the benchmarks, as people and programs read them."""

import csv
import io
from importlib.metadata import version

from benchmarks.runner.tables import Table, machine_line
from lapoleaf import __version__

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


def test_csv_may_have_other_columns_than_people_read():
    table = Table("a", "A", ("x ± y",), [("1 ± 2",)], plain_columns=("x", "y"), plain_rows=[(1, 2)])
    assert table.csv() == "x,y\n1,2\n"
    assert "| 1 ± 2 |" in table.markdown()
