"""``lapoleaf label`` fills in what is missing in a CSV file, and changes nothing else."""

import csv

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lapoleaf.cli import main

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
KINDS = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def iris_lines(given=(5, 60, 70, 110, 120, 30), delimiter=",", missing=""):
    """Lines of a CSV file of irises of which a few have a label."""
    X, truth = load_iris(return_X_y=True)
    lines = [delimiter.join(["kind", *NAMES])]
    for row, (numbers, kind) in enumerate(zip(X.tolist(), KINDS[truth], strict=True)):
        label = kind if row in given else missing
        lines.append(delimiter.join([label, *map(str, numbers)]))
    return lines, KINDS[truth]


def filled(here, *options, source="in.csv"):
    assert main(["label", source, "-o", "out.csv", *options]) == 0
    return (here / "out.csv").read_bytes()


def put(here, text, encoding="utf-8"):
    (here / "in.csv").write_bytes(text if isinstance(text, bytes) else text.encode(encoding))


def rows_of(raw, delimiter=","):
    return list(csv.DictReader(raw.decode("utf-8-sig").splitlines(), delimiter=delimiter))


def test_iris(here, capsys):
    lines, truth = iris_lines()
    put(here, "\n".join(lines) + "\n")
    raw = filled(here, "--label", "kind")
    rows = rows_of(raw)
    assert list(rows[0]) == ["kind", *NAMES, "confidence", "leader"]
    assert np.mean([row["kind"] for row in rows] == truth) > 0.85
    # The original cells are all there, letter by letter.
    for line, found in zip(lines[1:], raw.decode().splitlines()[1:], strict=True):
        label, _, rest = line.partition(",")
        assert found.startswith(f"{label},{rest}," if label else "")
        assert f",{rest}," in found
    leaders = [row["leader"] for row in rows]
    assert leaders.count("") == 1
    assert all(1 <= int(leader) <= 150 for leader in leaders if leader)
    said = capsys.readouterr()
    assert "Labelled     144 rows that had no label" in said.out
    assert "From         6 given labels" in said.out
    assert said.err == ""
    assert "The labels are in out.csv" in said.out


def test_scales_do_not_matter(here):
    """Columns are standardised: millimetres instead of centimetres give the same labels."""
    lines, _ = iris_lines()
    put(here, "\n".join(lines))
    plain = [row["kind"] for row in rows_of(filled(here, "--label", "kind"))]
    other = [lines[0]]
    for line in lines[1:]:
        kind, first, *rest = line.split(",")
        other.append(",".join([kind, str(float(first) * 1024 + 7), *rest]))
    put(here, "\n".join(other))
    assert [row["kind"] for row in rows_of(filled(here, "--label", "kind"))] == plain


SMALL = "a,b,label\n0,0,x\n0,1,\n9,9,y\n9,8,NA\n"


def test_small(here):
    put(here, SMALL)
    rows = rows_of(filled(here))
    assert [row["label"] for row in rows] == ["x", "x", "y", "y"]
    assert rows[0]["confidence"] == rows[2]["confidence"] == "1.0000"
    leaders = [row["leader"] for row in rows]
    assert set(leaders) <= {"", "1", "2", "3", "4"}


@pytest.mark.parametrize("mark", ["", " ", "?", "NA", "na", "N/A", "NaN", "null"])
def test_marks_of_missing_labels(here, mark):
    put(here, SMALL.replace("NA", mark))
    assert [row["label"] for row in rows_of(filled(here))] == ["x", "x", "y", "y"]


def test_marks_of_ones_own(here):
    put(here, "a,label\n0,0\n1,-1\n8,NA\n9,-1\n")
    rows = rows_of(filled(here, "--missing", "-1"))
    assert [row["label"] for row in rows] == ["0", "0", "NA", "NA"]
    put(here, "a,label\n0,0\n1,none\n8,1\n9,\n")
    rows = rows_of(filled(here, "--missing", "none", "--missing", ""))
    assert [row["label"] for row in rows] == ["0", "0", "1", "1"]


def test_how_the_file_is_written_stays(here):
    """Byte order mark, ends of lines, semicolons, tabs, quotes and foreign letters."""
    put(here, "\ufeff" + SMALL.replace("\n", "\r\n"))
    raw = filled(here)
    assert raw.startswith("\ufeffa,b,label,confidence,leader\r\n".encode())
    assert raw.count(b"\r\n") == raw.count(b"\n") == 5
    for delimiter in ";\t|":
        put(here, SMALL.replace(",", delimiter))
        raw = filled(here)
        assert raw.startswith(f"a{delimiter}b{delimiter}label{delimiter}confidence".encode())
    quoted = '"a, b",note,label\n1,"say ""hi""\nthere",x\n2,plain,\n9,"a;b",y\n'
    put(here, quoted)
    raw = filled(here, "--ignore", "note").decode()
    assert raw.startswith('"a, b",note,label,confidence,leader\n')
    assert '1,"say ""hi""\nthere",x,1.0000,' in raw
    put(here, b"a,note,label\n0,caf\xe9,caf\xe9\n1,z\xc3\xa9,\n9,,y\n")
    raw = filled(here, "--ignore", "note")
    assert b"\n0,caf\xe9,caf\xe9," in raw
    assert b"\n1,z\xc3\xa9,caf\xe9," in raw


def test_lines_without_anything_are_left_out(here):
    put(here, "a,label\n\n0,x\n\n1,\n9,y\n\n\n")
    assert len(filled(here).splitlines()) == 4


def test_a_column_that_is_always_the_same(here):
    put(here, "a,b,label\n0,5,x\n1,5,\n9,5,y\n")
    assert [row["label"] for row in rows_of(filled(here))] == ["x", "x", "y"]


def test_equal_rows(here):
    put(here, "a,label\n0,x\n0,\n0,\n9,y\n9,\n")
    rows = rows_of(filled(here))
    assert [row["label"] for row in rows] == ["x", "x", "x", "y", "y"]
    # Rows that are equal are led together, by others.
    assert len({row["leader"] for row in rows[:3]}) == 1


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("", [], "'in.csv' is empty: it needs a header and rows."),
        ("a,label\n", [], "has a header but no rows."),
        ("a,b\n1,2\n", [], "--label 'label': 'in.csv' has no such column, but 'a', 'b'."),
        (SMALL, ["--label", "kind"], "--label 'kind': 'in.csv' has no such column"),
        (SMALL, ["--ignore", "c"], "--ignore 'c': 'in.csv' has no such column"),
        ("label\nx\n", [], "has no column besides 'label' to go by."),
        (SMALL, ["--ignore", "a", "--ignore", "b"], "has no column besides 'label' to go by."),
        ("a,a,label\n1,2,x\n", [], "has two columns 'a': rename one of them."),
        (",a,label\n1,2,x\n", [], "column 1 of 'in.csv' has no name"),
        ("a,leader,label\n1,2,x\n", [], "has a column 'leader' already"),
        ("a,confidence,label\n1,2,x\n", [], "has a column 'confidence' already"),
        ("a,colour,label\n1,red,x\n", [], "column 'colour' holds text ('red' in row 1)"),
        ("a,b,label\n1,2,x\n1,1_000,x\n", [], "column 'b' holds text ('1_000' in row 2)"),
        ('a;b;label\n1;"3,14";x\n', [], "column 'b' holds text ('3,14' in row 1)"),
        ("a,b,label\n1,2,x\n1,,x\n", [], "column 'b' has no number in row 2 ('')"),
        ("a,b,label\n1,NaN,x\n", [], "column 'b' has no number in row 1 ('NaN')"),
        ("a,b,label\n1,inf,x\n", [], "column 'b' has no number in row 1 ('inf')"),
        ("a,b,label\n1,2,x\n1,2\n", [], "row 2 of 'in.csv' has 2 cells, the header has 3."),
        ("a,label\n1,\n2,\n", [], "has no labels at all: give a few of every class."),
        ("a,label\n1,x\n2,\n", [], "has labels of one class only, 'x'"),
        ("a,label\n1,x\n2,y\n", [], "has no row without a label: all is done."),
        ('a,label\n1,"x\n2,y\n', [], "is not a CSV file from line"),
        ("a,label\n1," + "x" * 200_000 + "\n", [], "is not a CSV file from line"),
        ("a,label\n1,x\n".encode("utf-16"), [], "'in.csv' is in UTF-16: save it as UTF-8."),
        (b"\x89PNG\r\n\x1a\n\x00\x00", [], "holds neither features of pictures nor text"),
        (SMALL, ["--jobs", "0"], "n_jobs=0"),
        (b"PK\x03\x04 an archive", [], "'in.csv' is not a file of image features."),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(here, content, options, words, capsys):
    put(here, content)
    assert main(["label", "in.csv", "-o", "out.csv", *options]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.startswith("lapoleaf: ")
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
    assert [path.name for path in here.iterdir()] == ["in.csv"]


def test_the_input_is_not_overwritten(here, capsys):
    put(here, SMALL)
    (here / "link.csv").symlink_to(here / "in.csv")
    for output in ("in.csv", "./in.csv", "link.csv"):
        assert main(["label", "in.csv", "-o", output]) == 2
        assert "is the input" in capsys.readouterr().err
    assert (here / "in.csv").read_text() == SMALL
