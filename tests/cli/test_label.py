"""``lapoleaf label`` adds columns to a table, and changes nothing else."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from lapoleaf.cli import main

ADDED = ["lapoleaf_label", "lapoleaf_confidence", "lapoleaf_given", "lapoleaf_leader"]
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


def labelled(here, *options, source="in.csv"):
    assert main(["label", source, "-o", "out.csv", "--force", *options]) == 0
    return (here / "out.csv").read_bytes()


def found_in(rows):
    return [row["lapoleaf_label"] for row in rows]


def put(here, text, encoding="utf-8"):
    (here / "in.csv").write_bytes(text if isinstance(text, bytes) else text.encode(encoding))


def rows_of(raw, delimiter=","):
    return list(csv.DictReader(raw.decode("utf-8-sig").splitlines(), delimiter=delimiter))


def test_iris(here, capsys):
    lines, truth = iris_lines(given=range(5, 150, 15))
    put(here, "\n".join(lines) + "\n")
    raw = labelled(here, "--label", "kind")
    rows = rows_of(raw)
    assert list(rows[0]) == ["kind", *NAMES, *ADDED]
    assert np.mean(found_in(rows) == truth) > 0.85
    # The original cells are all there, letter by letter, and the column of labels is not filled in.
    for line, found in zip(lines[1:], raw.decode().splitlines()[1:], strict=True):
        assert found.startswith(f"{line},")
    assert [row["lapoleaf_given"] == "yes" for row in rows] == [bool(row["kind"]) for row in rows]
    leaders = [row["lapoleaf_leader"] for row in rows]
    assert leaders.count("") == 1
    assert all(1 <= int(leader) <= 150 for leader in leaders if leader)
    said = capsys.readouterr()
    assert "Labelled     140 rows that had no label" in said.out
    assert "From         10 given labels" in said.out
    assert said.err == ""
    assert "The labels are in out.csv" in said.out


def test_scales_do_not_matter(here):
    """Columns are standardised: millimetres instead of centimetres give the same labels."""
    lines, _ = iris_lines()
    put(here, "\n".join(lines))
    plain = found_in(rows_of(labelled(here, "--label", "kind")))
    other = [lines[0]]
    for line in lines[1:]:
        kind, first, *rest = line.split(",")
        other.append(",".join([kind, str(float(first) * 1024 + 7), *rest]))
    put(here, "\n".join(other))
    assert found_in(rows_of(labelled(here, "--label", "kind"))) == plain


SMALL = "a,b,label\n0,0,x\n0,1,\n9,9,y\n9,8,NA\n"


def test_small(here):
    put(here, SMALL)
    rows = rows_of(labelled(here))
    assert found_in(rows) == ["x", "x", "y", "y"]
    assert rows[0]["lapoleaf_confidence"] == rows[2]["lapoleaf_confidence"] == "1.0000"
    leaders = [row["lapoleaf_leader"] for row in rows]
    assert set(leaders) <= {"", "1", "2", "3", "4"}


@pytest.mark.parametrize("mark", ["", " ", "?", "NA", "na", "N/A", "NaN", "null"])
def test_marks_of_missing_labels(here, mark):
    put(here, SMALL.replace("NA", mark))
    assert found_in(rows_of(labelled(here))) == ["x", "x", "y", "y"]


def test_marks_of_ones_own(here):
    put(here, "a,label\n0,0\n1,-1\n8,NA\n9,-1\n")
    rows = rows_of(labelled(here, "--missing", "-1"))
    assert found_in(rows) == ["0", "0", "NA", "NA"]
    put(here, "a,label\n0,0\n1,none\n8,1\n9,\n")
    rows = rows_of(labelled(here, "--missing", "none", "--missing", ""))
    assert found_in(rows) == ["0", "0", "1", "1"]


def test_how_the_file_is_written_stays(here):
    """Byte order mark, ends of lines, semicolons, tabs, quotes and foreign letters."""
    put(here, "\ufeff" + SMALL.replace("\n", "\r\n"))
    raw = labelled(here)
    assert raw.startswith(f"\ufeffa,b,label,{','.join(ADDED)}\r\n".encode())
    assert raw.count(b"\r\n") == raw.count(b"\n") == 5
    for delimiter in ";\t|":
        put(here, SMALL.replace(",", delimiter))
        raw = labelled(here)
        assert raw.startswith(f"a{delimiter}b{delimiter}label{delimiter}lapoleaf_label".encode())
    quoted = '"a, b",note,label\n1,"say ""hi""\nthere",x\n2,plain,\n9,"a;b",y\n'
    put(here, quoted)
    raw = labelled(here, "--ignore", "note").decode()
    assert raw.startswith('"a, b",note,label,lapoleaf_label,')
    assert '1,"say ""hi""\nthere",x,x,1.0000,yes,' in raw
    put(here, b"a,note,label\n0,caf\xe9,caf\xe9\n1,z\xc3\xa9,\n9,,y\n")
    raw = labelled(here, "--ignore", "note")
    assert b"\n0,caf\xe9,caf\xe9,caf\xe9," in raw
    assert b"\n1,z\xc3\xa9,,caf\xe9," in raw


def test_lines_without_anything_are_left_out(here):
    put(here, "a,label\n\n0,x\n\n1,\n9,y\n\n\n")
    assert len(labelled(here).splitlines()) == 4


def test_a_column_that_is_always_the_same(here):
    put(here, "a,b,label\n0,5,x\n1,5,\n9,5,y\n")
    assert found_in(rows_of(labelled(here))) == ["x", "x", "y"]


def test_equal_rows(here):
    put(here, "a,label\n0,x\n0,\n0,\n9,y\n9,\n")
    rows = rows_of(labelled(here))
    assert found_in(rows) == ["x", "x", "x", "y", "y"]
    # Rows that are equal are led together, by others.
    assert len({row["lapoleaf_leader"] for row in rows[:3]}) == 1


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("", [], "'in.csv' is empty: it needs a header and rows."),
        ("a,label\n", [], "has a header but no rows."),
        ("a,b\n1,2\n", [], "'in.csv' has no column 'label'; its columns are 'a', 'b': name"),
        (SMALL, ["--label", "kind"], "--label 'kind': 'in.csv' has no such column; its columns"),
        (SMALL, ["--ignore", "c"], "--ignore 'c': 'in.csv' has no such column"),
        ("label\nx\n", [], "has no column besides 'label' to compare rows by."),
        (SMALL, ["--ignore", "a", "--ignore", "b"], "has no column besides 'label' to compare"),
        ("a,label,label\n1,2,x\n", ["--label", "label"], "several columns 'label' (2, 3)"),
        ("a,b,label\n1,2,x\n1,2\n", [], "line 3 of 'in.csv' has 2 cells, the header has 3"),
        ("a,b,label\n1,2,x\n1,2,y,5\n", [], "line 3 of 'in.csv' has 4 cells, the header has 3"),
        ("a,label\n1,x\n1,y\n1,\n", [], "no column that can be encoded"),
        ("a,label\n1,\n2,\n", [], "has no labels at all: give a few of every class; '"),
        ("a,label\n1,x\n2,\n", [], "has labels of one class only, 'x'"),
        ("a,label\n1,x\n2,y\n", [], "has no row without a label: there is nothing to do."),
        ('a,label\n1,"x\n2,y\n', [], "cannot be told apart from line 2 on: a quote is not closed"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", [], "holds neither text nor anything else"),
        (SMALL, ["--jobs", "0"], "--jobs 0"),
        (b"PK\x03\x04 an archive", [], "'in.csv' is a broken archive"),
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
        assert "is the input: name another file" in capsys.readouterr().err
    assert (here / "in.csv").read_text() == SMALL


@pytest.mark.parametrize("exponent", [1020, -1000])
def test_numbers_up_to_the_limits_of_floats(here, exponent):
    """Their squares are not finite, or 0; another unit changes nothing."""
    X, truth = load_iris(return_X_y=True)
    found = []
    for power in (0, exponent):
        lines = ["kind,a,b,c,d"]
        for row, (numbers, kind) in enumerate(zip(X * 2.0**power, KINDS[truth], strict=True)):
            cells = map(repr, numbers.tolist())
            lines.append(",".join([kind if row % 25 == 0 else "", *cells]))
        put(here, "\n".join(lines))
        rows = rows_of(labelled(here, "--label", "kind"))
        found.append(
            [
                (row["lapoleaf_label"], row["lapoleaf_confidence"], row["lapoleaf_leader"])
                for row in rows
            ]
        )
    assert found[0] == found[1]


def pairs(n_rows=20):
    """Rows of two clearly different kinds, and their labels, of which four are given."""
    rows, labels = [], []
    for row in range(n_rows):
        kind = row % 2
        weight = f"{39 + 20 * kind + row / 100:.1f}"
        rows.append(
            [weight if row != 6 else "", ("red", "blue")[kind], f"2024-0{1 + kind}-0{1 + row % 9}",
             ("small bird in a garden", "large gull at the sea shore")[kind] + f" {row}"]
        )  # fmt: skip
        labels.append(("tit", "gull")[kind])
    return rows, labels, [label if row < 4 else "" for row, label in enumerate(labels)]


HEADER = ["weight", "colour", "seen", "note", "label"]


def test_everything_in_a_table(here):
    """Holes, categories, dates and texts, with semicolons and decimal commas."""
    rows, labels, given = pairs()
    lines = [";".join(HEADER)]
    lines += [";".join([row[0].replace(".", ","), *row[1:], label])
              for row, label in zip(rows, given, strict=True)]  # fmt: skip
    put(here, "\r\n".join(["Birds of a year", "", *lines]), "cp1252")
    raw = labelled(here).decode()
    assert raw.startswith(
        f"Birds of a year\r\n\r\nweight;colour;seen;note;label;{';'.join(ADDED)}\r\n"
    )
    found = list(csv.DictReader(raw.splitlines()[2:], delimiter=";"))
    assert found_in(found) == labels
    assert [row["weight"] for row in found] == [row[0].replace(".", ",") for row in rows]


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "jsonl", "csv.gz"])
def test_other_files(here, kind):
    rows, labels, given = pairs()
    frame = pd.DataFrame([[*row, label] for row, label in zip(rows, given, strict=True)],
                         columns=HEADER)  # fmt: skip
    frame["weight"] = pd.to_numeric(frame["weight"])
    path = here / f"in.{kind}"
    if kind == "xlsx":
        frame.to_excel(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    found = rows_of(labelled(here, source=str(path)))
    assert list(found[0]) == [*HEADER, *ADDED]
    assert found_in(found) == labels
    assert [row["weight"] and float(row["weight"]) for row in found] == [
        row[0] and float(row[0]) for row in rows
    ]


def test_utf_16_stays(here):
    put(here, SMALL.replace(",", "\t"), "utf-16")
    raw = labelled(here)
    assert raw.decode("utf-16").startswith(
        "a\tb\tlabel\t" + "\t".join(ADDED) + "\n0\t0\tx\tx\t1.0000\t"
    )
    assert raw.decode("utf-16").count("\ufeff") == 0


def test_numbers_as_labels_are_written_as_they_were(here):
    put(here, "a;label\n0;1,50\n1;\n8;2,00\n9;NA\n")
    raw = labelled(here, "--task", "classes")
    assert found_in(rows_of(raw, ";")) == ["1,50", "1,50", "2,00", "2,00"]
    # Numbers of ours have decimal commas, too: a spreadsheet program reads them as the others.
    assert rows_of(raw, ";")[0]["lapoleaf_confidence"] == "1,0000"


def test_no_header(here):
    put(here, "0.5,0,x\n0.5,1,\n9,9,y\n9,8,NA\n")
    lines = labelled(here, "--label", "column_3").decode().splitlines()
    assert [line.split(",")[3] for line in lines] == ["x", "x", "y", "y"]


def test_standard_input(here, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SMALL.encode())))
    assert found_in(rows_of(labelled(here, source="-"))) == ["x", "x", "y", "y"]


def test_warnings_are_on_standard_error(here, capsys):
    put(here, "a,label\n0,x\n1,X\n2,\n8,y\n9,unknown\n")
    labelled(here)
    said = capsys.readouterr()
    assert "'X' (1) and 'x' (1)" in said.err
    assert "'unknown' (1); if they are, pass them with --missing: 'unknown'" in said.err
    assert all(line.startswith("lapoleaf: ") for line in said.err.splitlines())
