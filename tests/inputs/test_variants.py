"""One table, written in many ways, is the same rows."""

import zipfile

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest
from inputs.written import (
    COLUMNS,
    as_text,
    penguins,
    typed_frame,
    write_gzip,
    write_json_lines,
)

from lapoleaf.inputs import read

ROWS = penguins()


def put(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def text_variants():
    """Return arguments of as_text and the encoding, by a name."""
    return {
        "commas": ({}, "utf-8"),
        "tabs": ({"separator": "\t"}, "utf-8"),
        "semicolons with decimal commas": ({"separator": ";", "decimal": ","}, "utf-8"),
        "tabs with decimal commas": ({"separator": "\t", "decimal": ","}, "utf-8"),
        "bars": ({"separator": "|"}, "utf-8"),
        "all in quotes": ({"quote": True}, "utf-8"),
        "byte-order mark": ({"newline": "\r\n"}, "utf-8-sig"),
        "UTF-16": ({"separator": "\t", "newline": "\r\n"}, "utf-16"),
        "UTF-16 of the other order": ({}, "utf-16-be"),
        "Latin-1": ({"separator": ";", "decimal": ","}, "latin-1"),
        "Windows": ({}, "cp1252"),
        "old Mac": ({"newline": "\r"}, "utf-8"),
        "title": ({"title": ["Penguins of 2024"]}, "utf-8"),
        "title and blank line": ({"title": ["Penguins of 2024", ""], "separator": ";"}, "utf-8"),
        "two titles": ({"title": ["Penguins", "as of May"], "separator": "\t"}, "utf-8"),
        "title with separators": ({"title": ["Penguins of 2024" + ";" * 7],
                                   "separator": ";"}, "utf-8"),
        "blank lines": ({"title": ["", ""]}, "utf-8"),
        "Excel's hint": ({"title": ["sep=;"], "separator": ";", "decimal": ","}, "utf-8-sig"),
        "NA": ({"missing": "NA"}, "utf-8"),
        "n/a": ({"missing": " n/a "}, "utf-8"),
        "question marks": ({"missing": "?"}, "utf-8"),
    }  # fmt: skip


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = put(tmp_path_factory.mktemp("plain") / "in.csv", as_text(ROWS))
    return read(path, label="species")


def check_equal(found, plain):
    assert list(found.frame.columns) == list(plain.frame.columns)
    for row in range(len(plain)):
        assert found.show(row) == plain.show(row)
    assert found.labels.tolist() == plain.labels.tolist()
    np.testing.assert_array_equal(found.X, plain.X)


def test_the_plain_one_is_right(plain):
    """Cell by cell, by the rows that were written."""
    assert len(plain) == len(ROWS)
    assert plain.labels.tolist() == [row[0] for row in ROWS]
    for row, cells in enumerate(ROWS):
        island, bill, flipper, sex, seen, ringed, note = plain.show(row)["cells"].values()
        assert [island, sex, seen, ringed, note] == [cells[1], *cells[4:]]
        assert bill == (None if cells[2] is None else float(cells[2]))
        assert flipper == (None if cells[3] is None else int(cells[3]))


@pytest.mark.parametrize("name", text_variants())
def test_text_files(name, plain, tmp_path):
    options, encoding = text_variants()[name]
    text = as_text(ROWS, **options)
    if encoding == "utf-16-be":
        text = "\ufeff" + text
    found = read(put(tmp_path / "in.csv", text, encoding), label="species")
    check_equal(found, plain)


@pytest.mark.parametrize("name", ["in.csv.gz", "in.tsv.gz", "table"])
def test_gzip(name, plain, tmp_path):
    separator = "\t" if "tsv" in name else ","
    write_gzip(tmp_path / name, as_text(ROWS, separator=separator))
    check_equal(read(tmp_path / name, label="species"), plain)


def test_frames(plain):
    frame = typed_frame(ROWS)
    check_equal(read(frame, label="species"), plain)
    check_equal(read(frame.convert_dtypes(), label="species"), plain)
    strings = pl.DataFrame({name: frame[name].tolist() for name in COLUMNS if name not in
                            ("bill", "flipper")}, strict=False)  # fmt: skip
    numbers = [
        pl.Series("bill", [None if c[2] is None else float(c[2]) for c in ROWS]),
        pl.Series("flipper", [None if c[3] is None else int(c[3]) for c in ROWS]),
    ]
    check_equal(read(strings.with_columns(numbers).select(COLUMNS), label="species"), plain)


def test_parquet(plain, tmp_path):
    frame = typed_frame(ROWS)
    frame.to_parquet(tmp_path / "in.parquet")
    check_equal(read(tmp_path / "in.parquet", label="species"), plain)
    frame["flipper"] = frame["flipper"].astype("Int64")
    frame["island"] = frame["island"].astype("category")
    frame.index = [f"row{k}" for k in range(len(frame))]
    frame.to_parquet(tmp_path / "other.parquet")
    check_equal(read(tmp_path / "other.parquet", label="species"), plain)


def test_json_lines(plain, tmp_path):
    write_json_lines(tmp_path / "in.jsonl", ROWS)
    check_equal(read(tmp_path / "in.jsonl", label="species"), plain)
    lines = (tmp_path / "in.jsonl").read_text().splitlines()
    (tmp_path / "in.json").write_text("[" + ",\n".join(lines) + "]")
    check_equal(read(tmp_path / "in.json", label="species"), plain)


def test_excel(plain, tmp_path):
    frame = typed_frame(ROWS)
    frame.to_excel(tmp_path / "in.xlsx", index=False)
    check_equal(read(tmp_path / "in.xlsx", label="species"), plain)
    with pd.ExcelWriter(tmp_path / "sheets.xlsx") as book:
        pd.DataFrame({"a": [1]}).to_excel(book, sheet_name="first", index=False)
        frame.to_excel(book, sheet_name="birds", index=False, startrow=2)
        book.sheets["birds"]["A1"] = "Penguins of 2024"
    for sheet in ("birds", 1):
        check_equal(read(tmp_path / "sheets.xlsx", label="species", sheet=sheet), plain)
    data = read(tmp_path / "sheets.xlsx")
    assert data.frame.columns.tolist() == ["a"]
    assert "sheet 'first' of ['first', 'birds']" in data.notes


def test_standard_input(plain, monkeypatch):
    class Stdin:
        buffer = __import__("io").BytesIO(as_text(ROWS).encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    check_equal(read("-", label="species"), plain)


def test_no_header(plain, tmp_path):
    rows = [["5.1", *row[:2], *row[3:]] for row in ROWS]
    data = read(put(tmp_path / "in.csv", as_text(rows, header=None)), label="column_2")
    assert data.labels.tolist() == [row[0] for row in ROWS]
    assert data.frame.columns[0] == "column_1"
    assert any("no header" in note for note in data.notes)


def test_a_formula_without_a_value_is_not_an_empty_cell(tmp_path):
    """As programs write it that do not compute; an empty text is a value."""
    book = openpyxl.Workbook()
    for cells in [["a", "b", "label"], [1, "=A2*2", "x"], [2, "=A3*2", "y"]]:
        book.active.append(cells)
    book.save(tmp_path / "open.xlsx")
    with pytest.raises(
        ValueError, match=r"cell B2 of sheet 'Sheet' .* the formula '=A2\*2' and no"
    ):
        read(tmp_path / "open.xlsx")
    with (
        zipfile.ZipFile(tmp_path / "open.xlsx") as archive,
        zipfile.ZipFile(tmp_path / "closed.xlsx", "w") as closed,
    ):
        for name in archive.namelist():
            text = archive.read(name)
            text = text.replace(b'<c r="B2"><f>A2*2</f><v />', b'<c r="B2"><f>A2*2</f><v>2</v>')
            text = text.replace(b'<c r="B3"><f>', b'<c r="B3" t="str"><f>')
            closed.writestr(name, text)
    assert read(tmp_path / "closed.xlsx").frame["b"].tolist()[0] == 2
