"""Runs of a benchmark, kept in a file."""

import pytest

from benchmarks.runner.store import Run, RunStore

FIRST = Run("clean", "iris, scaled", 150, "2 a class", 0, "svc", 0.1 + 0.2, 0.5)
SECOND = Run("clean", "wine", 178, "2 a class", 1, "svc", 1.0, 0.25)
HEAD = "part,data,rows,column,split,method,score,seconds\n"


def test_runs_come_back_to_the_last_bit(tmp_path):
    path = tmp_path / "new" / "runs.csv"
    store = RunStore(path)
    store.add(FIRST)
    store.add(SECOND)
    assert RunStore(path).runs == store.runs == {FIRST.key: FIRST, SECOND.key: SECOND}
    assert path.read_text(encoding="utf-8").startswith(HEAD + 'clean,"iris, scaled",150,2 a class')


def test_a_run_is_in_the_file_as_soon_as_it_is_added(tmp_path):
    store = RunStore(tmp_path / "runs.csv")
    for count, run in enumerate([FIRST, SECOND], start=1):
        store.add(run)
        assert len(RunStore(tmp_path / "runs.csv").runs) == count


@pytest.mark.parametrize("length", [1, 20, 40])
def test_a_last_line_that_was_interrupted_is_left_out(tmp_path, length):
    path = tmp_path / "runs.csv"
    RunStore(path).add(FIRST)
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole + "clean,wine,178,2 a class,1,svc,1.0,0.25"[:length], encoding="utf-8")
    store = RunStore(path)
    assert store.runs == {FIRST.key: FIRST}
    store.add(SECOND)
    assert RunStore(path).runs == {FIRST.key: FIRST, SECOND.key: SECOND}


def test_the_later_of_two_runs_counts(tmp_path):
    store = RunStore(tmp_path / "runs.csv")
    later = Run(*FIRST.key, 0.7, 0.1)
    store.add(FIRST)
    store.add(later)
    assert RunStore(tmp_path / "runs.csv").runs == {FIRST.key: later}


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("name,score\na,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"runs\.csv is not a file of runs"):
        RunStore(path)
    for line in ("clean,iris,many,2 a class,0,svc,1.0,0.5", "clean,iris"):
        path.write_text(HEAD + line + "\n", encoding="utf-8")
        with pytest.raises(ValueError, match=r"runs\.csv, line 2 is not a run: clean,iris"):
            RunStore(path)


def test_an_empty_file_is_begun(tmp_path):
    path = tmp_path / "runs.csv"
    path.touch()
    RunStore(path).add(SECOND)
    assert RunStore(path).runs == {SECOND.key: SECOND}


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = RunStore(None)
    store.add(FIRST)
    assert store.runs == {FIRST.key: FIRST}
    assert list(tmp_path.iterdir()) == []
