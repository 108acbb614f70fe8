"""Text files as people have them: understood, or refused by a sentence that names the line."""

import gzip
import re

import pytest

from lapoleaf.inputs import read

UNEVEN = "name;size\n" + "a;1\n" * 400


@pytest.fixture
def put(tmp_path):
    def write(content, name="in.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def cells(data):
    return [list(data.show(row)["cells"].values()) for row in range(len(data))]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "'in.csv' is empty: it needs a header and rows."),
        ("\n \n\n", "is empty"),
        ("a,b\n", "has a header but no rows"),
        ("a,b\n1,2\n3,4,5\n", "line 3 of 'in.csv' has 3 cells, the header has 2"),
        ("a,b\n1,2\n\n3\n", "line 4 of 'in.csv' has 1 cell, the header has 2"),
        ('a,b\n"1\n2",2\n"x,y",3,4\n', "line 4 of 'in.csv' has 3 cells"),
        ("Title of it\n\na,b\n1,2\n3,4,5\n", "line 5 of 'in.csv' has 3 cells"),
        ("a,b\n1,2,3\n4,5,6\n", "line 2 of 'in.csv' has 3 cells, the header has 2"),
        ("a\n1,2\n3,4\n", "line 2 of 'in.csv' has 2 cells, the header has 1"),
        ("label\nx,y\nu,v\n", "line 2 of 'in.csv' has 2 cells, the header has 1"),
        (UNEVEN + "b;2;3\n" + "a;1\n" * 9, "line 402 of 'in.csv' has 3 cells"),
        (UNEVEN + "b\n", "line 402 of 'in.csv' has 1 cell, the header has 2 (the last is 'b')"),
        ("1.5,2.5\n3.5,4.5,5.5\n6.5,7.5\n", "line 2 of 'in.csv' has 3 cells, others have 2"),
        ('a,b\n1,"2\n3,4\n', "cannot be told apart from line 2 on: a quote is not closed"),
        ('a,b\n1,2\n"x"y,4\n', "cannot be told apart from line 3 on"),
        (b"a,b\n1,\0\n", "holds neither text nor anything else"),
        (b"a,b\n" + b"1,2\n" * 5000 + b"\0", "holds bytes that are in no text"),
        (b"\xff\xfea\0,\0b\0\n\0x", "begins as 'utf-16' but is something else"),
        (gzip.compress(b"a,b\n1,2\n" * 50, mtime=0)[:-12], "is a broken gzip file"),
        (b"PK\x03\x04 something", "is a broken archive"),
        (b"PAR1 something", "is a broken Parquet file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "is an Excel file of the old kind"),
        ('{"a": 1}\n{"a": }\n', "line 2 of 'in.csv' is not JSON: Expecting value"),
        ('{"a": 1}\n[1]\n', "line 2 of 'in.csv' is not a JSON object"),
        ('{"a": 1, "a": 2}\n', "line 1 of 'in.csv' cannot be read: the name 'a' is used twice"),
    ],
)  # fmt: skip
def test_refused_by_one_sentence(content, words, put, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    put(content)
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        read("in.csv")
    assert len(str(caught.value).splitlines()) == 1


def test_no_such_file():
    with pytest.raises(FileNotFoundError, match=r"'no.csv': there is no such file"):
        read("no.csv")
    with pytest.raises(TypeError, match="source=3 must be the name of a file or folder"):
        read(3)


def test_numbers_stay_what_they_are(put):
    data = read(
        put(
            "id,code,big,bigger,mixed,sum,exact,tiny,plus\n"
            "007,1e5,9007199254740993,12345678901234567890,9007199254740993,1,1e5,1e-400,+5\n"
            "012,3f2,1,1,0.5,'1,2',-2.50,1,-3\n".replace("'", '"')
        )
    )
    assert cells(data) == [
        ["007", "1e5", 9007199254740993, "12345678901234567890", "9007199254740993", "1", 100000,
         "1e-400", 5],
        ["012", "3f2", 1, "1", "0.5", "1,2", -2.5, "1", -3],
    ]  # fmt: skip
    assert data.frame["big"].dtype == "int64"


def test_whole_numbers_with_holes(put):
    data = read(put("a,b\n9007199254740993,9007199254740992\n,\n5,5\n"))
    assert cells(data) == [["9007199254740993", 9007199254740992], [None, None], ["5", 5]]


def test_decimal_commas(put):
    """Only where cells are not separated by commas, and in the whole column."""
    data = read(put("a;b;c;d\n1,5;1,234;1,5;1.234\n2;2,345;2.5;5.678\n"))
    assert cells(data) == [[1.5, 1.234, "1,5", "1.234"], [2, 2.345, "2.5", "5.678"]]
    assert "decimal commas" in data.notes


def test_commas_that_may_be_thousands_stay(put):
    data = read(put("a\tb\n1,234\t1\n2,345,678\t2\n"))
    assert cells(data) == [["1,234", 1], ["2,345,678", 2]]
    data = read(put('a,b\n"1,5",1\n"2,5",2\n'))
    assert cells(data) == [["1,5", 1], ["2,5", 2]]


def test_names_of_columns(put):
    data = read(put("a,,a, a ,a.1\n1,2,3,4,5\n6,7,8,9,10\n"))
    assert list(data.frame.columns) == ["a", "column_2", "a.2", "a.3", "a.1"]
    with pytest.raises(ValueError, match=r"label='a': .* has several columns 'a' \(1, 3, 4\)"):
        read(put("a,,a, a ,a.1\n1,2,3,4,5\n6,7,8,9,10\n"), label="a")


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("country,2019,2020", True),
        ("0,1,2", True),
        ("a,b,c", True),
        ("5.1,3.5,setosa", False),
        ("1,2,3", False),
        ("7,x,y", False),
        ("2019,2020,2021", False),
        ("x,2019,2021", False),
        (",1,2", False),
    ],
)
def test_header_or_row(first, is_header, put):
    data = read(put(f"{first}\nFrance,5,6\nSpain,7,8\n"))
    assert len(data) == (2 if is_header else 3)
    assert list(data.frame.columns) == (
        [name or "column_1" for name in first.split(",")]
        if is_header
        else ["column_1", "column_2", "column_3"]
    )


def test_a_label_makes_a_header(put):
    assert len(read(put("7,x,y\n5,6,a\n7,8,b\n"), label="7")) == 2


@pytest.mark.parametrize("title", ["Birds of 2024", "Birds of 2024\n\n", "Birds\nof 2024", "\n\n"])
def test_titles(title, put):
    data = read(put(f"{title}\nsize;kind\n1,5;a\n2,5;b\n"))
    assert cells(data) == [[1.5, "a"], [2.5, "b"]]
    left_out = [note for note in data.notes if "above the header" in note]
    assert bool(left_out) == bool(title.strip())


def test_quotes_in_a_file_of_tabs_are_letters(put):
    """As in collections of messages: quotes are part of the text."""
    text = 'label\ttext\nham\t"Hello" he said\nspam\tsay 5" more words, now\nham\t"never closed\n'
    data = read(put(text, "in.tsv"))
    assert [data.show(row)["cells"]["text"] for row in range(3)] == [
        '"Hello" he said', 'say 5" more words, now', '"never closed']  # fmt: skip
    assert "quotes are taken as part of the cells" in data.notes
    # Lines that quotes would join stay lines.
    text = 'label\ttext\nham\t"Hello he said\nspam\tsay more"\nham\tplain\n'
    assert len(read(put(text, "in.tsv"))) == 3
    # A line break in a cell is one.
    text = 'label\ttext\nham\t"Hello\nhe said"\nspam\tmore\n'
    data = read(put(text, "in.tsv"))
    assert [data.show(row)["cells"]["text"] for row in range(2)] == ["Hello\nhe said", "more"]


def test_encodings_are_noted(put):
    data = read(put(b"a,b\ncaf\xe9,1\nbar \x80,2\n"))
    assert cells(data) == [["café", 1], ["bar €", 2]]
    assert data.notes == ("not in UTF-8: read as Windows-1252",)
    data = read(put(b"a,b\ncaf\xe9,1\nbar \x81,2\n"))
    assert data.notes == ("not in UTF-8: read as Latin-1",)


def test_long_cells_and_rows(put):
    """Longer than a block that is read at a time."""
    long = "word " * 2_000_000
    data = read(put(f'a,b\n"{long}\n",1\nx,2\n'))
    assert cells(data) == [[f"{long}\n", 1], ["x", 2]]


def test_marks_of_missing_cells(put):
    text = "a,b,c\n1,NA,x\n-999,5,-\n-999.0,n/a,?\n2,null,NaN\n"
    assert cells(read(put(text))) == [
        [1, None, "x"], [-999, 5, "-"], [-999, None, None], [2, None, None]]  # fmt: skip
    assert cells(read(put(text), missing=[-999, "-"])) == [
        [1, None, "x"], [None, 5, None], [None, None, None], [2, None, None]]  # fmt: skip
    assert cells(read(put(text), missing={"c": ["-"]})) == [
        [1, None, "x"], [-999, 5, None], [-999, None, "?"], [2, None, "NaN"]]  # fmt: skip


@pytest.mark.slow
def test_a_million_rows_show_progress(put, capsys, monkeypatch):
    monkeypatch.setattr("lapoleaf._progress.Progress._every", 0.0)
    path = put("a,b\n" + "1.5,x\n" * 1_500_000)
    assert len(read(path)) == 1_500_000
    assert capsys.readouterr().err == ""
    read(path, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert "Reading" in lines[0]
    assert "100 %" in lines[-1]
    assert len(lines) < 40
