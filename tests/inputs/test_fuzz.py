"""Tables of any kind, written and read back: no cell changes, and no error is not ours."""

import csv
import io
import json
import math
import warnings

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lapoleaf.inputs import read
from lapoleaf.inputs.numbers import USUAL_MARKS

LETTERS = st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\0\ufeff")
WORDS = st.one_of(
    st.text(LETTERS, max_size=12),
    st.sampled_from(["", "NA", "007", "1e5", "1,234", "1.234", "-0", "+5", "9007199254740993",
                     "123456789012345678901234567890", "1e400", "1e-400", "inf", "true", "0x10",
                     "2024-05-01", '"', "''", "a,b;c\td|e", " x ", "1_000", "５", "½",
                     "#", "=1+1"]),
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
)


@st.composite
def tables(draw):
    """Rows of cells, all strings; columns are of words, of numbers, or of both."""
    n_columns, n_rows = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    columns = []
    for _ in range(n_columns):
        kind = draw(st.sampled_from([WORDS, NUMBERS, st.one_of(WORDS, NUMBERS),
                                     st.integers(-9, 10**18).map(str),
                                     st.floats(-1e6, 1e6).map(lambda x: f"{x:.2f}")]))  # fmt: skip
        cells = st.one_of(kind, kind, kind, st.just(""))
        columns.append(draw(st.lists(cells, min_size=n_rows, max_size=n_rows)))
    return [list(row) for row in zip(*columns, strict=True)]


def header_of(rows):
    return [f"name {place}" for place in range(len(rows[0]))]


def is_missing(cell):
    return cell.strip().lower() in USUAL_MARKS


def check_cell(cell, found, commas=False):
    """A cell is missing, or the same string, or the very number."""
    if is_missing(cell):
        assert found is None
        return
    if isinstance(found, str):
        assert found == cell
        return
    assert found is not None
    text = cell.strip().replace(",", ".") if commas else cell.strip()
    if isinstance(found, int) and text.lstrip("+-").isdecimal():
        assert found == int(text)
        assert not text.lstrip("+-").startswith("0") or text.lstrip("+-") == "0"
    else:
        assert found == float(text)
        assert math.isfinite(found)
        # What is not 0 does not become 0.
        assert found != 0 or not any(digit in text.lower().split("e")[0] for digit in "123456789")


def written(rows, separator, newline, quote_all):
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=separator, lineterminator=newline, quoting=quoting)
    writer.writerow(header_of(rows))
    writer.writerows(rows)
    return file.getvalue()


def read_or_refused(source):
    """Return the rows and None, or None and the message; any other error passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            return read(source), None
        except ValueError as error:
            return None, str(error)


def check_text(folder, rows, separator, newline, encoding, quote_all):
    # csv would write this end of a line without quotes.
    quote_all = quote_all or any("\r" in cell for row in rows for cell in row)
    text = written(rows, separator, newline, quote_all)
    try:
        raw = text.encode(encoding)
    except UnicodeEncodeError:
        return
    # Control characters of Latin-1 are letters of Windows-1252.
    if encoding == "latin-1" and any("\x80" <= letter <= "\x9f" for letter in text):
        return
    # Some pairs of letters are one in UTF-8.
    if encoding in ("latin-1", "cp1252") and raw.decode("utf-8", "replace").count("\ufffd") == 0:
        rows = [[cell.encode(encoding).decode() for cell in row] for row in rows]
    path = folder / "in.csv"
    path.write_bytes(raw)
    data, message = read_or_refused(path)
    if message is not None:
        # A file of one column without separators may look like one of several.
        assert len(rows[0]) == 1, message
        assert len(message.splitlines()) == 1
        return
    kept = [row for row in rows if len(row) > 1 or row[0] or quote_all]
    if len(rows[0]) > 1:
        assert list(data.frame.columns) == header_of(rows)
        assert len(data) == len(kept)
        for number, row in enumerate(kept):
            found = data.show(number).get("cells") or {
                header_of(rows)[0]: data.show(number)["text"]
            }
            for cell, value in zip(row, found.values(), strict=True):
                check_cell(cell, value, commas=separator != ",")


TEXTS = given(
    tables(),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]),
    st.booleans(),
)
FIXTURES = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(max_examples=60, suppress_health_check=FIXTURES)
@TEXTS
def test_text_files(tmp_path, rows, separator, newline, encoding, quote_all):
    check_text(tmp_path, rows, separator, newline, encoding, quote_all)


@pytest.mark.slow
@settings(max_examples=3000, suppress_health_check=FIXTURES)
@TEXTS
def test_text_files_at_length(tmp_path, rows, separator, newline, encoding, quote_all):
    check_text(tmp_path, rows, separator, newline, encoding, quote_all)


JSON_CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.text(LETTERS, max_size=8), st.lists(st.integers(), max_size=2),
)  # fmt: skip


def check_json(folder, records):
    path = folder / "in.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    data, message = read_or_refused(path)
    if message is not None:
        assert not any(records), message
        return
    for row, record in enumerate(records):
        shown = data.show(row)
        cells = shown.get("cells") or dict.fromkeys(data.frame.columns, shown.get("text"))
        for name, value in record.items():
            found = cells[name]
            if value is None or (isinstance(value, str) and is_missing(value)):
                assert found in (None, "")
            elif isinstance(found, str):
                wanted = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
                assert found == str(wanted)
            else:
                assert found == value


RECORDS = given(
    st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), JSON_CELLS), min_size=1, max_size=6)
)


@settings(max_examples=40, suppress_health_check=FIXTURES)
@RECORDS
def test_json_lines(tmp_path, records):
    check_json(tmp_path, records)


@pytest.mark.slow
@settings(max_examples=3000, suppress_health_check=FIXTURES)
@RECORDS
def test_json_lines_at_length(tmp_path, records):
    check_json(tmp_path, records)


def check_any_bytes(folder, raw, name):
    """Whatever is in a file, it is rows, or one sentence."""
    path = folder / name
    path.write_bytes(raw)
    data, message = read_or_refused(path)
    assert len(data) >= 1 if message is None else len(message.splitlines()) == 1


SNIPPETS = st.lists(
    st.sampled_from([b"a", b"1", b",", b";", b"\t", b"|", b"\n", b"\r\n", b"\r", b'"', b'""', b" ",
                     b"\xff", b"\xfe", b"\xe9", b"\xef\xbb\xbf", b"\xc3\xa9", b"1,5", b"name", b"{",
                     b"}", b'{"a": 1}\n', b"[", b"]", b"\0", b"0.5", b"NA", b"PAR1", b"PK\x03\x04",
                     b"\x1f\x8b"]), max_size=40,
).map(b"".join)  # fmt: skip
BYTES = given(
    st.one_of(SNIPPETS, st.binary(max_size=60)), st.sampled_from(["x.csv", "x.tsv", "x.json", "x"])
)


@settings(max_examples=100, suppress_health_check=FIXTURES)
@BYTES
def test_any_bytes(tmp_path, raw, name):
    check_any_bytes(tmp_path, raw, name)


@pytest.mark.slow
@settings(max_examples=5000, suppress_health_check=FIXTURES)
@BYTES
def test_any_bytes_at_length(tmp_path, raw, name):
    check_any_bytes(tmp_path, raw, name)


@settings(max_examples=15, suppress_health_check=FIXTURES)
@given(tables())
def test_excel(tmp_path, rows):
    """Strings in cells stay strings, but for letters that such a file cannot hold."""
    rows = [["".join(c for c in cell if c.isprintable()) for cell in row] for row in rows]
    frame = pd.DataFrame(rows, columns=header_of(rows), dtype=object)
    frame.to_excel(tmp_path / "in.xlsx", index=False)
    data, message = read_or_refused(tmp_path / "in.xlsx")
    if message is not None:
        # pandas writes what begins with = as a formula, which has no value yet.
        formulas = any(cell.startswith("=") for row in rows for cell in row)
        assert "has a header but no rows" in message or (formulas and "the formula" in message)
        return
    for number in range(len(data)):
        found = data.show(number).get("cells") or {"": data.show(number)["text"] or None}
        for cell, value in zip(rows[number], found.values(), strict=True):
            if is_missing(cell):
                assert value is None
            elif not cell.startswith("="):
                assert value == cell
