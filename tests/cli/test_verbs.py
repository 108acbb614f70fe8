"""The verbs besides label: suggest, doubt, explain, fit and predict, on small tables."""

import csv
import io
import json
import sys

import numpy as np
import openpyxl
import pandas as pd
import pytest

from lapoleaf import LaPOLeaFClassifier, load
from lapoleaf.cli import COMMANDS, main, make_parser
from lapoleaf.cli.copies import copy_files, folder_names

RNG = np.random.default_rng(0)


def birds(n=24, given=6):
    """Two kinds that differ in weight and colour; the first rows have a label."""
    rows = [
        {"ring": f"B{k:02d}", "weight": 10 + 30 * (k % 2) + k / 100, "colour": "ab"[k % 2],
         "kind": ("tit", "gull")[k % 2] if k < given else None}
        for k in range(n)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    birds().to_csv("birds.csv", index=False)
    return tmp_path


def rows_of(path, delimiter=","):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def run(*arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code


BIRDS = ("birds.csv", "--label", "kind", "--id", "ring")


def test_every_verb_has_two_examples():
    subparsers = make_parser()._subparsers._group_actions[0].choices
    assert tuple(subparsers) == COMMANDS
    for name, subparser in subparsers.items():
        text = subparser.format_help()
        lines = text.partition("\nexamples:\n")[2].splitlines()
        assert len(lines) == 4, name
        assert all(f"lapoleaf {name} " in f"{line} " for line in lines[::2])


# ---------------------------------------------------------------------------------------- suggest


def test_suggest_puts_rows_on_top_and_keeps_all_others():
    run("suggest", *BIRDS, "-n", 3, "-o", "todo.csv")
    rows = rows_of("todo.csv")
    assert [row["lapoleaf_rank"] for row in rows] == ["1", "2", "3", *[""] * 21]
    assert not any(row["kind"] for row in rows[:3])
    assert [row["ring"] for row in rows[3:]] == sorted(row["ring"] for row in rows[3:])
    assert {row["ring"] for row in rows} == set(birds()["ring"])


def test_a_table_without_labels_gets_a_column_for_them():
    birds().drop(columns="kind").to_csv("new.csv", index=False)
    run("suggest", "new.csv", "-n", 2, "-o", "todo.csv")
    rows = rows_of("todo.csv")
    assert list(rows[0]) == ["ring", "weight", "colour", "label", "lapoleaf_rank"]
    assert {row["colour"] for row in rows[:2]} == {"a", "b"}


def test_labels_of_one_class_are_not_suggested_again():
    frame = birds()
    frame["kind"] = np.where(frame["kind"] == "tit", "tit", None)
    frame.to_csv("birds.csv", index=False)
    run("suggest", *BIRDS, "-n", 5, "-o", "todo.csv")
    assert not any(row["kind"] for row in rows_of("todo.csv")[:5])


@pytest.mark.parametrize("ending", ["xlsx", "csv", "parquet"])
def test_the_loop(ending, here):
    """Suggest, type labels into the table, sort it, label, correct a label, label again."""
    kinds = dict(zip(birds()["ring"], ["tit", "gull"] * 12, strict=True))
    birds(given=0).to_csv("birds.csv", index=False, sep=";", decimal=",")
    run("suggest", *BIRDS, "-n", 4, "-o", f"todo.{ending}")
    read, write = _READ[ending], _WRITE[ending]
    todo = read(f"todo.{ending}")
    assert todo["lapoleaf_rank"].notna().sum() == 4
    todo["kind"] = todo["kind"].astype(object)
    first = todo["lapoleaf_rank"].notna()
    todo.loc[first, "kind"] = todo["ring"][first].map(kinds)
    write(todo.sort_values("weight", ascending=False), f"todo2.{ending}")
    run("label", f"todo2.{ending}", *BIRDS[1:], "-o", f"labelled.{ending}")
    labelled = read(f"labelled.{ending}")
    assert list(labelled["lapoleaf_label"]) == list(labelled["ring"].map(kinds))
    assert labelled["kind"].notna().sum() == 4
    assert "lapoleaf_rank" not in labelled
    # A correction wins; whatever the last run wrote is not read.
    wrong = labelled["ring"] == "B20"
    labelled["kind"] = labelled["kind"].astype(object)
    labelled.loc[wrong, "kind"] = "wader"
    write(labelled.sample(frac=1, random_state=0), f"corrected.{ending}")
    run("label", f"corrected.{ending}", *BIRDS[1:], "-o", f"again.{ending}")
    again = read(f"again.{ending}").set_index("ring")
    assert again.loc["B20", ["kind", "lapoleaf_label", "lapoleaf_given"]].tolist() == [
        "wader",
        "wader",
        "yes",
    ]
    assert list(again.columns).count("lapoleaf_label") == 1


_READ = {
    "xlsx": pd.read_excel,
    "csv": lambda path: pd.read_csv(path, sep=";", decimal=","),
    "parquet": pd.read_parquet,
}
_WRITE = {
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "csv": lambda frame, path: frame.to_csv(path, index=False, sep=";", decimal=","),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
}


# ----------------------------------------------------------------------------- doubt and explain


def test_doubt_lists_a_wrong_label(capsys):
    frame = birds(given=20)
    frame.loc[6, "kind"] = "gull"
    frame.to_csv("birds.csv", index=False)
    run("doubt", *BIRDS)
    out = capsys.readouterr().out
    assert "1 of 20 given labels" in out
    assert "gull" in out
    assert "B06" in out
    run("doubt", *BIRDS, "-o", "check.xlsx")
    found = pd.read_excel("check.xlsx")
    assert found.loc[0, ["ring", "kind", "lapoleaf_instead"]].tolist() == ["B06", "gull", "tit"]
    assert found["lapoleaf_doubt"].notna().sum() == 1
    assert len(found) == 24


def test_nothing_to_doubt(capsys):
    run("doubt", *BIRDS)
    assert "None of the 6 given labels is contradicted" in capsys.readouterr().out


def test_explain_counts_from_1_or_by_names(capsys):
    run("explain", "birds.csv", "8", "--label", "kind", "--ignore", "ring")
    by_number = capsys.readouterr().out
    assert by_number.startswith("Row 8 gets 'gull'")
    assert "weight 40.07" in by_number
    run("explain", "birds.csv", "B07", *BIRDS[1:])
    by_name = capsys.readouterr().out
    assert by_name.startswith("Row 8 (B07) gets 'gull'")
    for row in ("0", "25", "x", "-1"):
        assert main(["explain", "birds.csv", "--label", "kind", "--", row]) == 2
        assert "must be a number from 1" in capsys.readouterr().err


def test_names_with_newlines_and_escape_sequences(capsys):
    frame = birds()
    frame.loc[7, "ring"] = "B\x1b[31m\n7"
    frame.to_csv("birds.csv", index=False)
    run("explain", "birds.csv", "B\x1b[31m\n7", *BIRDS[1:])
    run("suggest", *BIRDS, "-n", 18, "-o", "todo.csv")
    assert "\x1b" not in capsys.readouterr().out
    assert "B\x1b[31m\n7" in {row["ring"] for row in rows_of("todo.csv")}


# ------------------------------------------------------------------------------- fit and predict


def test_a_model_is_kept_and_answers(capsys):
    run("fit", *BIRDS, "--save", "birds.lapoleaf")
    assert "tit" in capsys.readouterr().out
    # Neither ids nor labels are needed.
    new = pd.DataFrame({"colour": ["b", "a"], "weight": [41.5, 9.5], "more": [1, 2]})
    new.to_csv("new.csv", index=False)
    run("predict", "birds.lapoleaf", "new.csv", "-o", "answers.csv")
    rows = rows_of("answers.csv")
    assert [row["lapoleaf_label"] for row in rows] == ["gull", "tit"]
    assert list(rows[0]) == ["colour", "weight", "more", "lapoleaf_label", "lapoleaf_confidence"]
    run("fit", *BIRDS, "--save", "birds.lapoleaf", code=2)
    assert "exists already" in capsys.readouterr().err
    new.drop(columns="weight").to_csv("new.csv", index=False)
    run("predict", "birds.lapoleaf", "new.csv", code=2)
    assert "has no column 'weight', which the model needs" in capsys.readouterr().err


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_rows_that_join(monkeypatch, capsys):
    run("fit", *BIRDS, "--save", "birds.lapoleaf")
    lines = "weight;colour;label\n41,5;b;\n9,5;a;wader\n1;2\n9,6;a;\nx;a;\n"
    feed(monkeypatch, lines)
    capsys.readouterr()
    run("predict", "birds.lapoleaf", "-", "--learn", "--save", "more.lapoleaf", code=1)
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(out.splitlines(), delimiter=";"))
    assert [row["lapoleaf_label"] for row in rows] == ["gull", "tit", "wader"]
    assert [row["weight"] for row in rows] == ["41,5", "9,5", "9,6"]
    assert "line 4 is left out: it has 2 cells, the header has 3" in err
    assert "line 6 is left out: 'x' in column 'weight' is not a number" in err
    assert "3 rows joined the model, 1 with a label, 2 left out" in err
    model = load("more.lapoleaf")
    assert len(model.ids_) == 27
    assert "wader" in model.classes_


def test_json_lines_join(monkeypatch, capsys):
    run("fit", *BIRDS, "--save", "birds.lapoleaf")
    rows = [{"weight": 41.5, "colour": "b", "label": None}, {"weight": 9, "colour": None}]
    feed(monkeypatch, "".join(json.dumps(row) + "\n" for row in rows))
    capsys.readouterr()
    run("predict", "birds.lapoleaf", "-", "--learn")
    out, err = capsys.readouterr()
    found = [json.loads(line) for line in out.splitlines()]
    assert [row["lapoleaf_label"] for row in found] == ["gull", "tit"]
    assert "the model was not kept" in err


def test_what_was_learnt_is_kept_after_ctrl_c(monkeypatch):
    run("fit", *BIRDS, "--save", "birds.lapoleaf")

    class Interrupted(io.BytesIO):
        def readline(self, *_):
            line = super().readline()
            if not line:
                raise KeyboardInterrupt
            return line

    class Standard:
        buffer = Interrupted(b"weight,colour\n41.5,b\n")

    monkeypatch.setattr(sys, "stdin", Standard())
    run("predict", "birds.lapoleaf", "-", "--learn", "--save", "more.lapoleaf", code=130)
    assert len(load("more.lapoleaf").ids_) == 25


def test_bad_calls_of_predict(capsys):
    run("fit", *BIRDS, "--save", "birds.lapoleaf")
    for arguments, words in [
        (["birds.csv", "birds.csv"], "it is not a model saved by lapoleaf"),
        (["birds.lapoleaf", "birds.csv", "--save", "x"], "--save x is for --learn"),
        (["birds.lapoleaf", "birds.csv", "--learn", "-o", "x.csv"], "redirect it with > x.csv"),
        (["birds.lapoleaf", "birds.csv", "--learn", "--label", "x"], "the header has no such"),
    ]:
        run("predict", *arguments, code=2)
        assert words in capsys.readouterr().err


# --------------------------------------------------------------------------- numbers as labels


def numbers(values, n=40):
    frame = pd.DataFrame({"x": np.arange(n) / 4})
    frame["price"] = [values(k) if k % 3 == 0 else None for k in range(n)]
    frame.to_csv("prices.csv", index=False)


@pytest.mark.parametrize(
    ("values", "options", "kind"),
    [
        (lambda k: k / 2 + 0.25, [], "numbers: they have decimals"),
        (lambda k: k % 4, [], "classes: 4 different whole numbers"),
        (lambda k: k % 4, ["--task", "numbers"], "numbers: as asked for"),
        (lambda k: k // 5 + 0.5, ["--task", "classes"], "classes: as asked for"),
    ],
)
def test_numbers_as_labels(values, options, kind, capsys):
    numbers(values)
    run("label", "prices.csv", "--label", "price", "-o", "out.csv", *options)
    assert f"labels are taken for {kind}" in capsys.readouterr().err
    rows = rows_of("out.csv")
    if kind.startswith("classes"):
        assert "lapoleaf_low" not in rows[0]
        return
    for row in rows:
        low, value, high = (float(row[f"lapoleaf_{name}"]) for name in ("low", "label", "high"))
        assert low <= value <= high
        if row["price"]:
            assert value == low == high == float(row["price"])


def test_many_whole_numbers_are_amounts(capsys):
    numbers(lambda k: k, n=80)
    run("fit", "prices.csv", "--label", "price", "--save", "m.lapoleaf")
    assert "numbers: 27 different whole numbers" in capsys.readouterr().err
    run("predict", "m.lapoleaf", "prices.csv", "-o", "out.csv")
    found = [float(row["lapoleaf_label"]) for row in rows_of("out.csv")]
    np.testing.assert_allclose(found, np.arange(80), atol=3)
    run("doubt", "prices.csv", "--label", "price")
    run("explain", "prices.csv", "5", "--label", "price")
    assert "Row 5 gets " in capsys.readouterr().out


# -------------------------------------------------------------------------- labels from elsewhere


@pytest.mark.parametrize("by", ["id", "content"])
def test_labels_from_another_file(by, capsys):
    birds(given=0).to_csv("birds.csv", index=False)
    labels = birds().iloc[[9, 2, 3, 4]].assign(label=["gull", "tit", "gull", "tit"])
    columns = ["ring", "label"] if by == "id" else ["weight", "colour", "label"]
    labels[columns].to_excel("labels.xlsx", index=False)
    run("label", *BIRDS, "--labels", "labels.xlsx", "-o", "out.csv")
    assert "4 labels of 'labels.xlsx' taken" in capsys.readouterr().err
    rows = rows_of("out.csv")
    assert [row["lapoleaf_label"] for row in rows] == ["tit", "gull"] * 12
    # The user's column stays as it is.
    assert not any(row["kind"] for row in rows)
    assert {row["ring"] for row in rows if row["lapoleaf_given"] == "yes"} == {
        "B09",
        "B02",
        "B03",
        "B04",
    }


def test_labels_of_rows_that_are_not_there(capsys):
    pd.DataFrame({"ring": ["B00", "Z1"], "kind": ["gull", "tit"]}).to_csv("more.csv", index=False)
    run("label", *BIRDS, "--labels", "more.csv", "-o", "out.csv", code=1)
    err = capsys.readouterr().err
    assert "1 labels of 'more.csv' taken, 1 in place of another" in err
    assert "1 belong to rows that are not there" in err
    assert rows_of("out.csv")[0]["lapoleaf_label"] == "gull"
    pd.DataFrame({"ring": ["B00", "B00"], "kind": ["gull", "tit"]}).to_csv("two.csv", index=False)
    run("label", *BIRDS, "--labels", "two.csv", code=2)
    assert "two labels for the same row, 'gull' and 'tit'" in capsys.readouterr().err
    pd.DataFrame({"a": [1], "kind": ["x"]}).to_csv("other.csv", index=False)
    run("label", *BIRDS, "--labels", "other.csv", code=2)
    assert "to find rows by" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------ output


def test_the_least_sure_come_first():
    run("label", *BIRDS, "--sort", "confidence", "-o", "out.csv")
    rows = rows_of("out.csv")
    given = [row["lapoleaf_given"] for row in rows]
    assert given == ["no"] * 18 + ["yes"] * 6
    sure = [float(row["lapoleaf_confidence"]) for row in rows[:18]]
    assert sure == sorted(sure)


def test_leaders_are_rows_of_the_file_that_is_written():
    run("label", "birds.csv", "--label", "kind", "--sort", "confidence", "-o", "out.csv")
    plain = rows_of("out.csv")
    run("label", *BIRDS, "--ignore", "kind", "-o", "x.csv", code=2)
    run("label", *BIRDS, "--sort", "confidence", "-o", "named.csv")
    named = {row["ring"]: row["lapoleaf_leader"] for row in rows_of("named.csv")}
    for row in plain:
        leader = row["lapoleaf_leader"]
        assert named[row["ring"]] == (plain[int(leader) - 1]["ring"] if leader else "")


def test_standard_output_is_the_table(capfdbinary):
    run("label", *BIRDS)
    out, err = capfdbinary.readouterr()
    assert out.startswith(b"ring,weight,colour,kind,lapoleaf_label,")
    assert len(out.splitlines()) == 25
    assert err == b""


def test_at_a_terminal_cells_are_shown_and_not_obeyed(monkeypatch, capsys):
    frame = birds()
    frame["note"] = "\x1b[31m"
    frame.to_csv("birds.csv", index=False)
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    run("label", *BIRDS)
    out, err = capsys.readouterr()
    assert "\x1b" not in out
    assert "\\x1b[31m" in out
    assert len(out.splitlines()) == 25
    # The report is for a person, and no part of the table.
    assert "Labelled     18 rows that had no label" in err


def test_formulas_stay_text():
    frame = birds()
    frame["note"] = "=1+1"
    frame.loc[0, "kind"] = "=cmd"
    frame.to_csv("birds.csv", index=False)
    run("label", *BIRDS, "-o", "out.xlsx")
    cells = [cell for row in openpyxl.load_workbook("out.xlsx").active.iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    run("label", "out.xlsx", *BIRDS[1:], "-o", "again.csv")
    assert {row["note"] for row in rows_of("again.csv")} == {"=1+1"}


def test_cells_of_a_sheet_stay_what_they_are(here):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "May"
    sheet.append(["Birds of a year"])
    sheet.append(["ring", "weight", "mixed", "kind"])
    for k, row in enumerate(birds().itertuples()):
        sheet.append([row.ring, row.weight, k if k % 2 else f"0{k}", row.kind])
    book.save("birds.xlsx")
    run("label", "birds.xlsx", *BIRDS[1:], "-o", "out.xlsx")
    rows = list(openpyxl.load_workbook("out.xlsx")["May"].iter_rows(values_only=True))
    assert rows[0][:4] == ("ring", "weight", "mixed", "kind")
    assert [row[2] for row in rows[1:5]] == ["00", 1, "02", 3]
    run("label", "birds.xlsx", *BIRDS[1:], "-o", "out.csv")
    assert rows_of("out.csv")[0]["mixed"] == "00"


def test_letters_that_the_file_cannot_hold(here):
    (here / "birds.csv").write_bytes("ring,größe,kind\na,1,x\nb,2,\nc,9,y\n".encode("cp1252"))
    (here / "labels.csv").write_text("ring,kind\na,čáp\n", encoding="utf-8")
    run("label", *BIRDS, "--labels", "labels.csv", "-o", "out.csv")
    rows = rows_of("out.csv")
    assert rows[0]["lapoleaf_label"] == "čáp"
    assert rows[0]["größe"] == "1"


def test_copies_are_whole_and_have_names_of_their_own(here):
    for name in ("a/1.jpg", "b/1.jpg", "b/2.jpg"):
        path = here / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    files = [("a/1.jpg", "x/1.jpg"), ("b/1.jpg", "x/1.jpg"), ("b/2.jpg", "y/2.jpg")]
    for _ in range(2):
        assert copy_files(here / "photos", files, here / "sorted") == 3
    found = sorted(str(p.relative_to(here / "sorted")) for p in (here / "sorted").rglob("*.jpg"))
    assert found == ["x/1-2.jpg", "x/1-3.jpg", "x/1-4.jpg", "x/1.jpg", "y/2-2.jpg", "y/2.jpg"]
    assert (here / "sorted/x/1-2.jpg").read_text() == "b/1.jpg"
    with pytest.raises(OSError, match="Nothing was copied"):
        copy_files(here / "photos", [*files, ("c/9.jpg", "z/9.jpg")], here / "other")
    assert not (here / "other").exists()
    assert [p for p in here.iterdir() if p.name.endswith(".saving")] == []


def test_no_class_leads_elsewhere():
    names = folder_names(["..", "/etc/passwd", "a/b", "A/B", ".hidden", "con\n", "x" * 500, " "])
    assert len({name.casefold() for name in names.values()}) == len(names)
    for name in names.values():
        assert name not in ("", ".", "..")
        assert not set(name) & set("/\\\n\0")
        assert len(name) < 120


def test_pictures_are_copied_only_to_other_places(here, capsys):
    (here / "photos").mkdir()
    (here / "full").mkdir()
    (here / "full" / "x").write_text("x")
    for folder, words in [
        ("photos/sorted", "in the folder of the pictures"),
        ("photos", "in the folder of the pictures"),
        ("full", "is not empty"),
        ("birds.csv", "is a file"),
        ("no/such", "there is no folder"),
    ]:
        run("label", "photos", "--into", folder, code=2)
        assert words in capsys.readouterr().err


def test_models_of_python_answer_too(capsys):
    X = RNG.normal(size=(30, 2)) + 8 * (np.arange(30) % 2)[:, None]
    y = np.where(np.arange(30) < 6, np.arange(30) % 2, -1)
    from lapoleaf import save

    save(LaPOLeaFClassifier().fit(X, y), "m.lapoleaf")
    np.savez("new.npz", X=np.array([[0.0, 0.0], [8.0, 8.0]]))
    run("predict", "m.lapoleaf", "new.npz", "-o", "out.csv")
    assert [row["lapoleaf_label"] for row in rows_of("out.csv")] == ["0", "1"]
    np.savez("all.npz", X=X, y=y)
    run("label", "all.npz", "-o", "all.csv")
    found = [int(row["lapoleaf_label"]) for row in rows_of("all.csv")]
    assert found == (np.arange(30) % 2).tolist()
