"""``lapoleaf stream``: what is printed, and that it goes on after any end."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lapoleaf.cli import main

SCRIPT = Path(__file__).with_name("kill_often.py")


def write_readings(path, n=30):
    path.write_text("".join(f"{np.sin(k / 5):.3f}\n" for k in range(n)), encoding="utf-8")
    return str(path)


def test_every_reading_is_answered(tmp_path, capsys):
    assert main(["stream", write_readings(tmp_path / "readings.txt"), "--window", "3"]) == 0
    out, err = capsys.readouterr()
    head, *rows = [line.split(",") for line in out.splitlines()]
    assert head == ["line", "timestamp", "reading", "error", "forecast", "low", "high"]
    assert len(rows) == 30
    before, last = rows[-2:]
    assert float(last[3]) == pytest.approx(float(last[2]) - float(before[4]), abs=1.1e-3)
    # As many digits as the input has.
    assert all(len(cell.partition(".")[2]) == 3 for row in rows[3:] for cell in row[2:])
    assert float(last[5]) <= float(last[4]) <= float(last[6])
    assert "30 readings, 0 missing, 0 late, 0 malformed lines skipped" in err


def test_malformed_lines_are_reported_counted_and_skipped(tmp_path, capsys):
    path = tmp_path / "readings.csv"
    path.write_bytes(b"time,value\n1,2\noops\n2,x\n3,\xff\n4,2.5\n")
    assert main(["stream", str(path)]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["2", "6"]
    assert "line 3 has 1 fields instead of 2: skipped" in err
    assert "line 4 has 'x' for a reading: skipped" in err
    assert "line 5 is not UTF-8: skipped" in err
    assert "3 malformed lines skipped" in err


@pytest.mark.parametrize(
    "bad",
    [
        b"abc\rdef",
        b"x" * 140_000,
        b"1," + b"9" * 140_000,
        b"[" * 100_000,
        b"[" * 60_000,
        b"9" * 5_000,
        b'{"value": ' + b"9" * 5_000 + b"}",
        b"3,14",
        b"\x00",
        b"\xff\xfe1",
    ],
)
@pytest.mark.parametrize("lines", [[b"1", b"2", b"3", b"4"], [b'{"value": %d}'] * 4])
def test_one_bad_line_costs_one_line(tmp_path, capsys, bad, lines):
    path = tmp_path / "readings"
    lines = [line % k if b"%" in line else line for k, line in enumerate(lines)]
    path.write_bytes(b"\n".join([*lines[:2], bad, *lines[2:]]))
    assert main(["stream", str(path)]) == 0
    out, err = capsys.readouterr()
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["1", "2", "4", "5"]
    assert "line 3 " in err
    assert "4 readings, 0 missing, 0 late, 1 malformed lines skipped" in err
    assert len(err) < 300


def test_only_the_first_bad_lines_are_reported_all_are_counted(tmp_path, capsys):
    path = tmp_path / "readings"
    path.write_text("1\n2\n" + "x\n" * 500 + "3\n", encoding="utf-8")
    assert main(["stream", str(path)]) == 0
    err = capsys.readouterr().err
    assert "line 12 has 'x' for a reading: skipped" in err
    assert "line 13 " not in err
    assert "more lines are skipped" in err
    assert "500 malformed lines skipped" in err


def test_a_byte_order_mark_hides_no_column(tmp_path, capsys):
    path = tmp_path / "readings.csv"
    path.write_text("timestamp,value\n7,1\n8,2\n", encoding="utf-8-sig")
    assert main(["stream", str(path)]) == 0
    assert [line.split(",")[1] for line in capsys.readouterr().out.splitlines()[1:]] == [
        "7",
        "8",
    ]


def test_outliers_are_counted_and_no_part_of_the_summed_errors(tmp_path, capsys):
    path = tmp_path / "readings.txt"
    lines = [f"{8 + k % 5}" for k in range(60)]
    summaries = []
    for spike in ("", "1e6"):
        lines[40] = spike or lines[40]
        path.write_text("\n".join(lines), encoding="utf-8")
        assert main(["stream", str(path), "--window", "3"]) == 0
        out, err = capsys.readouterr()
        summaries.append(err.strip().rpartition(" ")[::2])
    assert "1 outlier held; sum of squared errors without them" in summaries[1][0]
    assert "outlier" not in summaries[0][0]
    assert 0.0 < float(summaries[1][1]) <= float(summaries[0][1])
    # The error itself is in the output.
    assert float(out.splitlines()[41].split(",")[3]) > 9e5


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input_goes_on_from_its_journal(tmp_path, capsys, monkeypatch):
    lines = Path(write_readings(tmp_path / "readings.txt")).read_text(encoding="utf-8")
    cut = lines.index("\n", 100) + 1
    command = ["stream", "-", "--window", "3", "--snapshot", "7"]
    feed(monkeypatch, lines)
    assert main(command) == 0
    whole = capsys.readouterr().out
    parts = []
    for part in (lines[:cut], lines[cut:]):
        feed(monkeypatch, part)
        assert main([*command, "--journal", str(tmp_path / "journal")]) == 0
        parts.append(capsys.readouterr().out)
    assert "".join(parts) == whole


def test_a_journal_of_other_settings_gets_a_sentence(tmp_path, capsys):
    path = write_readings(tmp_path / "readings.txt")
    command = ["stream", path, "--journal", str(tmp_path / "journal"), "--snapshot", "10"]
    assert main(command) == 0
    assert main([*command, "--window", "3"]) == 2
    assert "was made with window=12, now it is 3" in capsys.readouterr().err
    other = tmp_path / "other.txt"
    other.write_text("9\n" * 40, encoding="utf-8")
    command[1] = str(other)
    assert main(command) == 2
    assert "belongs to another input" in capsys.readouterr().err


def test_a_file_that_grows_is_read_on(tmp_path):
    path = tmp_path / "readings.txt"
    out = tmp_path / "out.csv"
    command = ["stream", str(path), "-o", str(out), "--journal", str(tmp_path / "journal")]
    write_readings(path, 10)
    assert main(command) == 0
    write_readings(path, 25)
    assert main(command) == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 26


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stream", "missing.csv"], "There is no file missing.csv"),
        (["stream", "-", "--snapshot", "0"], "--snapshot 0 must be 1 or more"),
        (["stream", "-", "-o", "."], "is a folder: name a file in it"),
        (["stream", "-", "--window", "0"], "window=0 must be"),
        (["stream", __file__, "-o", __file__], "is the input: name another file"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, message, capsys, monkeypatch):
    feed(monkeypatch, "1\n")
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_path_of_the_next_readings(tmp_path, capsys):
    path = write_readings(tmp_path / "readings.txt", 60)
    assert main(["stream", path, "--window", "3", "--horizon", "4"]) == 0
    out, err = capsys.readouterr()
    head, *rows = [line.split(",") for line in out.splitlines()]
    assert head[4:10] == ["forecast", "low", "high", "forecast_2", "low_2", "high_2"]
    assert head[-3:] == ["forecast_4", "low_4", "high_4"]
    steps = [tuple(map(float, rows[-1][place : place + 3])) for place in (4, 7, 10, 13)]
    assert all(low <= forecast <= high for forecast, low, high in steps)
    widths = [high - low for _, low, high in steps]
    assert widths == sorted(widths)
    # The last path is on the screen, to be read.
    lines = err.splitlines()[-5:]
    assert lines[0].split() == ["ahead", "forecast", "low", "high"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2", "3", "4"]
    assert float(lines[4].split()[1]) == steps[3][0]
    assert main(["stream", path, "--horizon", "0"]) == 2


def test_decimal_commas_and_dates_of_days(tmp_path, capsys):
    path = tmp_path / "co2.csv"
    rows = "".join(f"1958{3 + k // 28:02d}{1 + k % 28:02d};{316 + k / 10:.1f}\n" for k in range(40))
    path.write_text("Date;Value\n" + rows.replace(".", ","), encoding="utf-8")
    assert main(["stream", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("2,19580301,316.0,,316.0,")
    assert lines[2].startswith("3,19580302,316.1,0.1,316.1,")


def test_an_input_of_anything_else_ends_after_20_lines(tmp_path, capsys):
    path = tmp_path / "poem.csv"
    path.write_text("time,value\n" + "a rose,is a rose\n" * 100, encoding="utf-8")
    assert main(["stream", str(path)]) == 1
    err = capsys.readouterr().err
    assert "none of the first 20 lines is a reading: looked for a number in column 'value'" in err
    # Later ones never end a run.
    path.write_text("time,value\n1,2\n" + "a rose,is a rose\n" * 100, encoding="utf-8")
    assert main(["stream", str(path)]) == 0
    path.write_text("a rose,is a rose\nx,y\n", encoding="utf-8")
    assert main(["stream", str(path), "--column", "2"]) == 1


def test_an_output_that_is_there_is_not_replaced(tmp_path, capsys):
    path, out = write_readings(tmp_path / "readings.txt"), tmp_path / "out.csv"
    out.write_text("mine")
    command = ["stream", path, "-o", str(out)]
    for journal in ([], ["--journal", str(tmp_path / "journal")]):
        assert main([*command, *journal]) == 2
        assert "exists already: name another, or add --force" in capsys.readouterr().err
        assert out.read_text() == "mine"
    assert main([*command, "--force"]) == 0
    assert len(out.read_text().splitlines()) == 31


def test_the_picture_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    picture = tmp_path / "picture.png"
    path = write_readings(tmp_path / "readings.txt")
    assert main(["stream", path, "-o", str(tmp_path / "out"), "--plot", str(picture)]) == 0
    assert picture.stat().st_size > 1000


@pytest.mark.skipif(not hasattr(sys, "getdlopenflags"), reason="needs os.fork")
@pytest.mark.slow
@pytest.mark.parametrize("kills", [3, 200])
def test_after_kill_9_the_output_is_that_of_an_undisturbed_run(tmp_path, kills):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path), str(kills), "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{kills} kills" in done.stdout
