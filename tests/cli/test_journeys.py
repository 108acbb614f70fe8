"""Journeys of a user, from end to end, by the command as it is installed.

They run the command that LAPOLEAF_COMMAND names: ``.ci/run`` builds the wheel, installs it into an
environment of its own, and sets it. Each command starts in a process of its own, so that all of
them take some minutes; ``test_verbs.py`` has the same verbs in one process.
"""

import csv
import os
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data_folder import FOLDER, existing

import lapoleaf

INSTALLED = os.environ.get("LAPOLEAF_COMMAND")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="LAPOLEAF_COMMAND does not name a command to run"),
]


def started(*arguments, **options):
    """Start the command; nothing of the checkout is seen."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    streams = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(
        [INSTALLED, *map(str, arguments)], env=environment, **{**streams, **options}
    )


def run(*arguments, code=0, given=None, **options):
    process = started(*arguments, stdin=subprocess.PIPE, **options)
    out, err = process.communicate(given, timeout=900)
    err = err.decode()
    assert "Traceback" not in err, err
    assert process.returncode == code, err
    return (out or b"").decode("utf-8", "surrogateescape"), err


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(path, delimiter=","):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def with_hidden_labels(source, label, share, separator=","):
    """Write a table to in.csv of which few rows have a label, and return all labels."""
    frame = pd.read_csv(source, sep=separator, quoting=csv.QUOTE_NONE if separator == "\t" else 0)
    truth = frame[label].copy()
    hidden = np.random.default_rng(0).random(len(frame)) > share
    frame.loc[hidden, label] = None
    frame.to_csv("in.csv", index=False)
    return truth, hidden


# ------------------------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("path", "label", "share", "least"),
    [
        ("raw/penguins.csv", "species", 0.1, 0.9),
        ("raw/planets.csv", "method", 0.1, 0.85),
        ("raw/tips.csv", "time", 0.15, 0.6),
        ("tables/wisconsin.csv", "label", 0.05, 0.9),
        ("tables/housevotes.csv", "label", 0.1, 0.8),
    ],
)
def test_labels_of_real_tables(path, label, share, least):
    truth, hidden = with_hidden_labels(existing(FOLDER / path), label, share)
    run("label", "in.csv", "--label", label, "-o", "out.csv")
    found = pd.read_csv("out.csv")
    assert found[label].isna().sum() == hidden.sum()
    # A column of whole numbers with holes is written with a point by pandas.
    right = found["lapoleaf_label"].astype(str).str.removesuffix(".0") == truth.astype(str)
    assert right[hidden].mean() > least


def test_real_numbers_have_intervals():
    truth, hidden = with_hidden_labels(existing(FOLDER / "raw" / "tips.csv"), "tip", 0.3)
    _, err = run("label", "in.csv", "--label", "tip", "-o", "out.csv")
    assert "labels are taken for numbers: they have decimals" in err
    found = pd.read_csv("out.csv")
    inside = (found["lapoleaf_low"] <= truth) & (truth <= found["lapoleaf_high"])
    assert 0.8 < inside[hidden].mean() < 0.99


def test_real_texts_through_a_pipe():
    existing(FOLDER / "texts" / "sms.tsv")
    truth, hidden = with_hidden_labels(FOLDER / "texts" / "sms.tsv", "label", 0.02, "\t")
    out, err = run("label", "-", given=Path("in.csv").read_bytes())
    assert err == ""
    Path("out.csv").write_text(out)
    right = pd.read_csv("out.csv")["lapoleaf_label"] == truth
    assert right[hidden].mean() > 0.93


def test_real_photos():
    """Suggested on a contact sheet, sorted into folders, corrected in a table."""
    photos = existing(FOLDER / "photos")
    for place, kind in enumerate(sorted(os.listdir(photos))[:4]):
        for number, file in enumerate(sorted(os.listdir(photos / kind))[:12]):
            target = Path("photos", kind if number < 2 else "unlabelled")
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(photos / kind / file, target / f"{place}-{file}")
    Path("photos", "unlabelled", "odd").mkdir()
    shutil.copy(photos / kind / file, Path("photos", "unlabelled", "odd", f"3-\x1b[31m\n{file}"))
    run("suggest", "photos", "-n", "6", "-o", "sheet.png")
    assert Path("sheet.png").read_bytes().startswith(b"\x89PNG")
    run("suggest", "photos", "-n", "6", "--into", "next")
    assert len(list(Path("next").iterdir())) == 6
    out, _ = run("label", "photos", "--into", "sorted", "-o", "labels.csv")
    assert "49 copies are in sorted" in out
    assert "\x1b" not in out
    assert len(list(Path("photos").rglob("*.jpg"))) == 49
    kinds = sorted(os.listdir(photos))[:4]
    right = [kinds[int(path.name[0])] == path.parent.name for path in Path("sorted").rglob("*.jpg")]
    assert np.mean(right) > 0.9
    rows = rows_of("labels.csv")
    corrected = next(row for row in rows if row["file"].startswith("unlabelled/0"))
    corrected["label"] = kinds[3]
    pd.DataFrame(rows).to_csv("corrected.csv", index=False)
    run("label", "photos", "--labels", "corrected.csv", "-o", "again.csv")
    again = {row["file"]: row for row in rows_of("again.csv")}
    assert again[corrected["file"]]["lapoleaf_label"] == kinds[3]


def test_a_real_river():
    source = existing(FOLDER / "water" / "TonyGrove2019_run.csv")
    lines = source.read_text().splitlines()[:3001]
    Path("in.csv").write_text("\n".join(lines) + "\n")
    _, err = run("stream", "in.csv", "--column", "do", "-o", "a.csv", "--horizon", "4")
    rows = rows_of("a.csv")
    assert len(rows) == 3000
    assert len(err.splitlines()) >= 6
    # The same river as a logger in Germany writes it.
    german = [lines[0].replace(",", ";")]
    for line in lines[1:]:
        stamp, *numbers = line.split(",")
        day, _, clock = stamp.partition(" ")
        stamp = f"{'.'.join(reversed(day.split('-')))} {clock}"
        german.append(";".join([stamp, *(number.replace(".", ",") for number in numbers)]))
    Path("de.csv").write_text("\n".join(german) + "\n")
    run("stream", "de.csv", "--column", "do", "-o", "b.csv", "--horizon", "4")
    drop = ("timestamp",)
    for one, other in zip(rows, rows_of("b.csv"), strict=True):
        assert {**one, **dict.fromkeys(drop)} == {**other, **dict.fromkeys(drop)}


# ------------------------------------------------------------------------------- files made here


def made(n=300, given=12, seed=0):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "id": [f"n{k}" for k in range(n)],
            "x": (rng.normal(size=n) + np.array([0, 9, 0])[kinds]).round(2),
            "y": (rng.normal(size=n) + np.array([0, 0, 9])[kinds]).round(2),
            "note": rng.choice(["=1+1", "@x", "a;b", "line\nbreak", "\x1b[31m"], n),
        }
    )
    truth = np.array(["low", "right", "high"])[kinds]
    frame["kind"] = np.where(np.arange(n) < given, truth, None)
    return frame, dict(zip(frame["id"], truth, strict=True))


OPTIONS = ("--label", "kind", "--id", "id", "--ignore", "note")


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_loop_of_a_table(ending):
    """Suggest, type, sort, label, correct, label: through Excel, or CSV with semicolons."""
    frame, truth = made(given=0)
    if ending == "xlsx":
        # pandas writes the first as a formula, and Excel has no room for the second.
        frame["note"] = frame["note"].str.replace("=1+1", "1+1").str.replace("\x1b", "")
        frame.to_excel("in.xlsx", index=False)
        read, write = pd.read_excel, lambda table, path: table.to_excel(path, index=False)
    else:
        frame.to_csv("in.csv", index=False, sep=";", decimal=",")

        def read(path):
            return pd.read_csv(path, sep=";", decimal=",")

        def write(table, path):
            table.to_csv(path, index=False, sep=";", decimal=",")

    run("suggest", f"in.{ending}", *OPTIONS, "-n", "9", "-o", f"todo.{ending}")
    todo = read(f"todo.{ending}")
    todo["kind"] = [truth[i] if rank == rank else None
                    for i, rank in zip(todo["id"], todo["lapoleaf_rank"], strict=True)]  # fmt: skip
    write(todo.sort_values("x"), f"typed.{ending}")
    run("label", f"typed.{ending}", *OPTIONS, "-o", f"first.{ending}")
    first = read(f"first.{ending}")
    assert np.mean(first["lapoleaf_label"] == first["id"].map(truth)) > 0.95
    first.loc[first["id"] == "n7", "kind"] = "odd one"
    write(first.sample(frac=1, random_state=1), f"corrected.{ending}")
    run("label", f"corrected.{ending}", *OPTIONS, "-o", f"second.{ending}")
    second = read(f"second.{ending}").set_index("id")
    assert second.loc["n7", "lapoleaf_label"] == "odd one"
    assert second["kind"].notna().sum() == 10
    assert sorted(second["note"].astype(str)) == sorted(frame["note"].astype(str))


def test_doubt_explain_fit_predict_learn():
    frame, truth = made(given=60)
    frame.loc[5, "kind"] = next(kind for kind in ("low", "high") if kind != truth["n5"])
    frame.to_csv("in.csv", index=False)
    out, _ = run("doubt", "in.csv", *OPTIONS)
    assert "n5" in out.splitlines()[3]
    assert "\x1b" not in out
    out, _ = run("explain", "in.csv", "n200", *OPTIONS)
    assert out.startswith("Row 201 (n200) gets ")
    run("fit", "in.csv", *OPTIONS, "--save", "m.lapoleaf")
    new, new_truth = made(n=40, given=0, seed=1)
    new.drop(columns=["kind", "id"]).to_csv("new.csv", index=False)
    run("predict", "m.lapoleaf", "new.csv", "-o", "out.csv")
    found = [row["lapoleaf_label"] for row in rows_of("out.csv")]
    assert np.mean(np.array(found) == list(new_truth.values())) > 0.95
    lines = new[["x", "y"]].to_csv(index=False) + "1,2,3\n"
    out, err = run("predict", "m.lapoleaf", "-", "--learn", "--save", "n.lapoleaf", code=1,
                   given=lines.encode())  # fmt: skip
    answers = list(csv.DictReader(out.splitlines()))
    assert len(answers) == 40
    assert "40 rows joined the model, 1 left out" in err
    out, _ = run("predict", "n.lapoleaf", "new.csv")
    assert len(out.splitlines()) > 40


def test_answers_come_line_by_line_and_ctrl_c_keeps_the_model():
    made()[0].to_csv("in.csv", index=False)
    run("fit", "in.csv", *OPTIONS, "--save", "m.lapoleaf")
    process = started(
        "predict", "m.lapoleaf", "-", "--learn", "--save", "n.lapoleaf", stdin=subprocess.PIPE
    )
    process.stdin.write(b"x,y\n0.5,0.5\n")
    process.stdin.flush()
    assert process.stdout.readline() == b"x,y,lapoleaf_label,lapoleaf_confidence\n"
    assert process.stdout.readline().startswith(b"0.5,0.5,low,")
    for line, answer in [(b"9.5,0.5", b"right"), (b"0.5,9.5", b"high")]:
        process.stdin.write(line + b"\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(line + b"," + answer)
    # The third row may be joining.
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 130
    process.communicate()
    assert len(lapoleaf.load("n.lapoleaf").ids_) >= 302


# --------------------------------------------------------------------------------- hostile ones


def test_head_is_no_error():
    made(n=3000)[0].to_csv("in.csv", index=False)
    process = started("label", "in.csv", *OPTIONS)
    assert process.stdout.readline().startswith(b"id,x,y,note,kind,lapoleaf_label")
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == b""
    assert process.wait(300) == 0


def test_a_full_disk_leaves_what_was_there():
    made(n=2000)[0].to_csv("in.csv", index=False)
    Path("out.csv").write_text("mine")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    _, err = run("label", "in.csv", *OPTIONS, "-o", "out.csv", "--force", code=2, preexec_fn=limit)
    assert "cannot be written" in err
    assert "Nothing was written" in err
    assert Path("out.csv").read_text() == "mine"
    assert sorted(path.name for path in Path().iterdir()) == ["in.csv", "out.csv"]
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            _, err = run("label", "in.csv", *OPTIONS, code=2, stdout=full)
        assert err == "lapoleaf: No space left on device.\n"


@pytest.mark.parametrize(
    "verb", ["label", "suggest", "doubt", "explain", "fit", "predict", "stream"]
)
def test_an_empty_file(verb):
    Path("empty.csv").touch()
    if verb == "predict":
        made()[0].to_csv("in.csv", index=False)
        run("fit", "in.csv", *OPTIONS, "--save", "m.lapoleaf")
    arguments = {"explain": ["empty.csv", "1"], "fit": ["empty.csv", "--save", "x.lapoleaf"],
                 "predict": ["m.lapoleaf", "empty.csv"]}.get(verb, ["empty.csv"])  # fmt: skip
    if verb == "stream":
        assert "0 readings" in run("stream", *arguments)[1]
        return
    assert "'empty.csv' is empty" in run(verb, *arguments, code=2)[1]


def test_a_million_rows():
    rng = np.random.default_rng(0)
    n = 1_000_000
    kinds = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[kinds]
    label = np.where(np.arange(n) < 60, np.array(["a", "b", "c"])[kinds], "")
    frame = pd.DataFrame({"x": X[:, 0].round(3), "y": X[:, 1].round(3), "label": label})
    frame.to_csv("in.csv", index=False)
    run("label", "in.csv", "--sort", "confidence", "-o", "out.csv")
    found = pd.read_csv("out.csv", usecols=["x", "y", "lapoleaf_label"])
    assert len(found) == n
    assert sorted(found["x"]) == sorted(frame["x"])
    predicted = np.where(found["x"] > 4.5, "b", np.where(found["y"] > 4.5, "c", "a"))
    assert np.mean(found["lapoleaf_label"] == predicted) > 0.98
