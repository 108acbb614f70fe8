"""The journal of ``lapoleaf stream``: whose it is, who may use it, and what if it is damaged."""

import io
import sys

import numpy as np
import pytest

from lapoleaf.cli import main
from lapoleaf.cli.journal import Journal
from lapoleaf.cli.journal_files import Entry

SNAPSHOT = 10


def write_lines(path, n, extra=""):
    lines = [f"{900 * k},{np.sin(k / 5):.3f}\n" for k in range(n)]
    lines[3:4] = ["no reading\n", "{\n"]
    path.write_text("time,value\n" + "".join(lines) + extra, encoding="utf-8")


@pytest.fixture
def stream(tmp_path):
    """Run the command on the lines of a file, with a journal; return exit code and output."""

    def run(*more, name="killed"):
        out = tmp_path / f"{name}.csv"
        code = main(
            [
                *("stream", str(tmp_path / "lines.csv"), "-o", str(out), "--window", "3"),
                *("--snapshot", str(SNAPSHOT), "--journal", str(tmp_path / name), *more),
            ]
        )
        return code, out.read_bytes() if out.exists() else b""

    return run


def test_settings_are_checked_before_there_is_a_snapshot(tmp_path, stream, capsys):
    write_lines(tmp_path / "lines.csv", 4)
    assert stream()[0] == 0
    assert not list((tmp_path / "killed").glob("snapshot*"))
    assert stream("--window", "4")[0] == 2
    assert "was made with window=3, now it is 4" in capsys.readouterr().err
    assert stream()[0] == 0


@pytest.mark.parametrize("n", [5, 40])
def test_another_input_is_refused_whatever_its_name(tmp_path, stream, capsys, n):
    path = tmp_path / "lines.csv"
    write_lines(path, n)
    assert stream()[0] == 0
    content = path.read_bytes()
    for other in (content.replace(b"0.199", b"0.198"), content[: len(content) // 2]):
        path.write_bytes(other)
        assert stream()[0] == 2
        assert "belongs to another input" in capsys.readouterr().err
    path.write_bytes(content)
    assert stream()[0] == 0


def test_another_version_is_refused(tmp_path, stream, capsys, monkeypatch):
    write_lines(tmp_path / "lines.csv", 4)
    assert stream()[0] == 0
    monkeypatch.setattr("lapoleaf.cli.journal.__version__", "99.0")
    assert stream()[0] == 2
    assert "this is 99.0: use that version" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there")
def test_a_second_run_on_the_same_folder_is_refused(tmp_path, stream, capsys):
    write_lines(tmp_path / "lines.csv", 4)
    first = Journal(tmp_path / "killed", durable=False, settings={})
    assert stream()[0] == 2
    assert "is in use by another run (process" in capsys.readouterr().err
    first.close()
    assert stream()[0] == 0


def test_a_last_line_without_its_end_is_not_there_yet(tmp_path, stream, capsys):
    path = tmp_path / "lines.csv"
    write_lines(path, 25)
    stream(name="undisturbed")
    whole = path.read_bytes()
    for end in range(len(whole) - 40, len(whole)):
        path.write_bytes(whole[:end])
        assert stream()[0] == 0
    assert "the last line has no end yet" in capsys.readouterr().err
    path.write_bytes(whole)
    assert stream()[1] == (tmp_path / "undisturbed.csv").read_bytes()


def test_without_a_journal_the_last_line_is_read_as_it_is(tmp_path, capsys):
    path = tmp_path / "lines.csv"
    path.write_text("1\n2\n3", encoding="utf-8")
    assert main(["stream", str(path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_a_damaged_snapshot_falls_back_to_the_one_before(tmp_path, stream, capsys):
    path = tmp_path / "lines.csv"
    write_lines(path, 60)
    assert stream(name="undisturbed")[0] == 0
    for n in (25, 37, 52):
        write_lines(path, n)
        assert stream()[0] == 0
        last = max((tmp_path / "killed").glob("snapshot*"), key=lambda path: path.name)
        content = bytearray(last.read_bytes())
        content[len(content) // 2] ^= 1
        last.write_bytes(content[: None if n == 37 else -1])
    write_lines(path, 60)
    capsys.readouterr()
    assert stream()[1] == (tmp_path / "undisturbed.csv").read_bytes()
    assert "is damaged: the one before it is used" in capsys.readouterr().err


def test_damage_that_cannot_be_mended_gets_a_sentence(tmp_path, stream, capsys):
    write_lines(tmp_path / "lines.csv", 45)
    assert stream()[0] == 0
    for path in (tmp_path / "killed").glob("snapshot*"):
        path.write_bytes(b"")
    assert stream()[0] == 2
    assert "Name another folder to start over" in capsys.readouterr().err
    for path in (tmp_path / "killed").glob("journal*"):
        path.write_bytes(b"[]\n")
        assert stream()[0] == 2
        assert "is damaged: name another --journal folder" in capsys.readouterr().err


def test_a_journal_that_was_cut_anywhere_goes_on(tmp_path, stream):
    path = tmp_path / "lines.csv"
    write_lines(path, 12)
    undisturbed = stream(name="undisturbed")[1]
    write_lines(path, 4)
    stream()
    journal = tmp_path / "killed" / "journal-0"
    content = journal.read_bytes()
    for end in range(0, len(content) + 1, 7):
        write_lines(path, 4)
        journal.write_bytes(content[:end])
        assert stream()[0] == 0
        assert journal.read_bytes() == content
    write_lines(path, 12)
    assert stream()[1] == undisturbed


def feed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_run_that_failed_can_be_continued(tmp_path, capsys, monkeypatch):
    command = ["stream", "-", "--journal", str(tmp_path / "journal")]
    feed(monkeypatch, "{\n\ntime,ph,do\n1,8,9\n")
    assert main(command) == 2
    assert "name one with --column" in capsys.readouterr().err
    feed(monkeypatch, "time,ph,do\n1,8,9\n2,8,9.5\n")
    assert main([*command, "--column", "do"]) == 0
    assert "2 readings" in capsys.readouterr().err


def test_an_input_without_any_reading_gets_a_sentence_and_can_be_continued(tmp_path, capsys):
    path = tmp_path / "lines.csv"
    command = ["stream", str(path), "--journal", str(tmp_path / "journal")]
    path.write_bytes("1\n2\n".encode("utf-16"))
    assert main(command) == 1
    assert "none of the first 2 lines is a reading" in capsys.readouterr().err
    path.write_bytes(path.read_bytes() + b"\n1\n2\n")
    assert main(command) == 0
    assert "2 readings" in capsys.readouterr().err


def test_bad_lines_of_standard_input_keep_their_numbers(tmp_path, capsys, monkeypatch):
    printed = []
    for text in ("1\n2\nx\n", "y\n3\n"):
        feed(monkeypatch, text)
        assert main(["stream", "-", "--journal", str(tmp_path / "journal")]) == 0
        printed += capsys.readouterr().out.splitlines()[-1:]
    assert [line.split(",")[0] for line in printed] == ["2", "5"]


@pytest.mark.parametrize("content", [None, b"", b"a\tb", b"1 2", b"\r\x00\xff"])
def test_entries_are_read_as_they_were_written(content):
    entry = Entry(12, 345, content)
    written = entry.as_bytes()
    assert written.endswith(b"\n")
    assert Entry.from_bytes(written[:-1]) == entry
