"""Blocks of rows and the threads that work on them."""

import threading
import time

import joblib
import numpy as np
import pytest
import sklearn

from lapoleaf._parallel import for_each_block, n_threads, row_blocks
from lapoleaf._progress import Progress


@pytest.mark.parametrize("n_jobs", [1, 2, 17])
def test_positive_numbers_are_taken_as_they_are(n_jobs):
    assert n_threads(n_jobs) == n_jobs


def test_numpy_integers_are_integers():
    assert n_threads(np.int64(3)) == 3


def test_negative_numbers_count_back_from_all_cores():
    cores = joblib.cpu_count()
    assert n_threads(-1) == cores
    assert n_threads(-2) == max(1, cores - 1)
    assert n_threads(-1000) == 1


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, 1.0), ("1", 1), ("", 1.0), ("nonsense", 1.0), ("0", 1.0), ("100000", 1.0)],
)
def test_none_is_all_cores_or_what_the_environment_allows(monkeypatch, limit, expected):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if limit is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", limit)
    assert n_threads(None) == (joblib.cpu_count() if isinstance(expected, float) else expected)


def test_the_environment_does_not_limit_what_is_asked_for(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert n_threads(2) == 2
    assert n_threads(-1) == joblib.cpu_count()


@pytest.mark.parametrize("n_jobs", [0, 1.0, "all"])
def test_no_number_of_threads(n_jobs):
    with pytest.raises(ValueError, match=f"^n_jobs={n_jobs!r} must be"):
        n_threads(n_jobs)


@pytest.mark.parametrize("n", [1, 5, 64, 65, 1000])
def test_blocks_cover_every_row_once(n):
    blocks = row_blocks(n, 10, 1.0, 2)
    assert [i for block in blocks for i in range(block.start, block.stop)] == list(range(n))


def test_all_threads_together_stay_within_the_working_memory():
    with sklearn.config_context(working_memory=1):
        for threads in (1, 2, 4):
            largest = max(b.stop - b.start for b in row_blocks(1000, 8000, 1.0, threads))
            assert largest * 8000 * 8 * threads <= 2**20
            # ... and use it: one row more would not fit.
            assert (largest + 1) * 8000 * 8 * threads > 2**20


def test_a_block_has_one_row_at_least():
    with sklearn.config_context(working_memory=0.001):
        assert len(row_blocks(5, 100_000, 1.0, 4)) == 5


def test_blocks_of_dear_distances_are_short():
    cheap, dear = row_blocks(1000, 50_000, 1.0, 1), row_blocks(1000, 50_000, 1000.0, 1)
    assert dear[0].stop < cheap[0].stop


@pytest.mark.parametrize("threads", [1, 3])
def test_every_block_is_worked_on_once(threads):
    done = np.zeros(100)

    def task(block):
        done[block] += 1

    progress = Progress("test", 100, 0)
    for_each_block(task, row_blocks(100, 10**7, 1.0, threads), threads, progress)
    assert (done == 1).all()
    assert progress.done == 100


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_no_block_is_started_after_an_error(threads, error):
    started = []

    def task(block):
        started.append(block.start)
        if block.start == 0:
            raise error
        time.sleep(0.005)

    before = threading.active_count()
    blocks = [slice(i, i + 1) for i in range(400)]
    with pytest.raises(error):
        for_each_block(task, blocks, threads, Progress("test", 400, 0))
    assert len(started) < 200
    assert threading.active_count() == before
