"""The runner that benchmarks share: what is known is left out, what is new is kept."""

import numpy as np
import pytest

from benchmarks.data.sets import DataSet
from benchmarks.runner import timing
from benchmarks.runner.fresh_process import in_fresh_process, peak_megabytes, printed_numbers
from benchmarks.runner.runner import Batch, Runner
from benchmarks.runner.store import Run

DATA = DataSet("made", np.zeros((4, 1)), np.zeros(4))


def key(data, column, split, method):
    return "part", data.stored_as, len(data.X), column, split, method


def lengths(column, split, methods):
    """Score a method by the length of its name, plus the split."""
    return [Run(*key(DATA, column, split, name), float(len(name) + split), 0.0) for name in methods]


def batches(methods, splits=2):
    return [
        Batch(
            lengths, (column, split), {name: [key(DATA, column, split, name)] for name in methods}
        )
        for split in range(splits)
        for column in ("few", "many")
    ]


def recording(calls):
    """Return work that keeps what it was called with."""

    def work(column, split, methods):
        calls.append((column, split, list(methods)))
        return lengths(column, split, methods)

    return work


def test_what_is_known_is_not_measured_again(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    Runner(path, splits=2).run("lengths", batches(["a"]))
    calls = []
    more = [Batch(recording(calls), b.arguments, b.items) for b in batches(["a", "bb"])]
    runner = Runner(path, splits=2)
    runner.run("lengths", more)
    assert calls == [(c, s, ["bb"]) for s in range(2) for c in ("few", "many")]
    assert "lengths: 4 of 8 results are there already." in capsys.readouterr().err
    calls.clear()
    Runner(path, splits=2).run("lengths", more)
    assert calls == []
    assert len(runner.store.runs) == 8


def test_an_item_is_measured_again_unless_all_of_its_runs_are_there():
    runner = Runner(None)
    keys = [key(DATA, column, 0, "a") for column in ("few", "many")]
    runner.store.add(Run(*keys[0], 7.0, 0.0))
    runner.run("pairs", [Batch(lambda items: [Run(*k, 1.0, 0.0) for k in keys], (), {"a": keys})])
    assert [runner.store.runs[k].score for k in keys] == [1.0, 1.0]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("ordered", [True, False])
def test_results_do_not_depend_on_the_number_of_processes(jobs, ordered):
    runner = Runner(None, splits=2, jobs=jobs)
    runner.run("lengths", batches(["a", "bb"]), ordered=ordered)
    expected = {
        run.key: run for b in batches(["a", "bb"]) for run in lengths(*b.arguments, b.items)
    }
    assert runner.store.runs == expected
    if ordered:
        assert list(runner.store.runs) == list(expected)


def test_scores_are_means_over_splits_of_complete_methods(capsys):
    runner = Runner(None, splits=2)
    runner.run("lengths", batches(["a", "bb"]))
    runner.run("lengths", batches(["ccc"], splits=1))
    found = runner.scores(
        "lengths", [DATA], ("few", "many"), {"a": 2, "bb": 1, "ccc": 2, "dddd": 2}, key
    )
    assert found.methods == ("a", "bb")
    np.testing.assert_array_equal(found.values, [[[1.5, 1.5]], [[2.0, 2.0]]])
    assert found.splits == 2
    told = capsys.readouterr().err
    assert "lengths: ccc is not shown, 2 of 4 are there." in told
    assert "dddd" not in told
    assert runner.scores("lengths", [], ("few",), {"a": 2}, key) is None


def test_a_new_process_finds_the_benchmarks_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert in_fresh_process(peak_megabytes, [], 60).trouble == ""


def test_short_work_is_timed_by_a_coarse_clock(monkeypatch):
    """The work takes a millisecond, and the clock goes in steps of 16."""
    passed = [0]
    monkeypatch.setattr(timing.time, "process_time", lambda: passed[0] // 16 * 0.016)

    def work():
        passed[0] += 1

    assert timing.best_time(work, 3) == pytest.approx(0.001, rel=0.3)


def test_numbers_that_a_new_process_prints(tmp_path):
    """Nothing where the process took too long."""
    program = "import os, benchmarks; print(1.5, len(os.environ['NUMBA_CACHE_DIR']))"
    assert printed_numbers(program, str(tmp_path)) == [1.5, len(str(tmp_path))]
    assert printed_numbers("import time; time.sleep(60)", str(tmp_path), limit=0.2) == []
