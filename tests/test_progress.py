"""Progress of long jobs on standard error."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest

from lapoleaf import _progress, leading_tree
from lapoleaf._progress import Progress


@pytest.fixture
def _talkative(monkeypatch):
    """A line for every step, and a clock that no other process can delay."""
    ticks = itertools.count()
    monkeypatch.setattr(_progress, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    monkeypatch.setattr(Progress, "_every", 0.0)


@pytest.mark.usefixtures("_talkative")
def test_lines(capsys):
    progress = Progress("counting sheep", 4, verbose=1)
    for _ in range(4):
        progress.advance()
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert [line.split(",")[0] for line in lines] == [
        f"counting sheep: {share} %" for share in (25, 50, 75, 100)
    ]
    assert all(re.search(r", about \d+ s left$", line) for line in lines[:3])
    assert re.search(r", \d+ s$", lines[3])


@pytest.mark.usefixtures("_talkative")
def test_several_steps_at_once(capsys):
    Progress("work", 10, verbose=2).advance(4)
    assert capsys.readouterr().err.startswith("work: 40 %")


@pytest.mark.usefixtures("_talkative")
def test_silent_unless_asked(capsys):
    progress = Progress("work", 2, verbose=0)
    progress.advance(2)
    assert progress.done == 2
    assert capsys.readouterr().err == ""


def test_quick_jobs_say_nothing(capsys):
    progress = Progress("work", 2, verbose=1)
    progress.advance()
    progress.advance()
    assert capsys.readouterr().err == ""


def test_who_began_to_talk_says_when_it_is_done(capsys, monkeypatch):
    progress = Progress("work", 3, verbose=1)
    monkeypatch.setattr(Progress, "_every", 0.0)
    progress.advance()
    monkeypatch.setattr(Progress, "_every", 1e9)
    progress.advance()
    progress.advance()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["work: 33 %", "work: 100 %"]


@pytest.mark.usefixtures("_talkative")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_verbose_tree(capsys, n_jobs):
    X = np.random.default_rng(0).normal(size=(200, 2))
    leading_tree(X, verbose=1, n_jobs=n_jobs)
    out, err = capsys.readouterr()
    assert out == ""
    build, *lines = err.splitlines()
    assert build == "build: full, 200 rows"
    titles = list(dict.fromkeys(line.split(":")[0] for line in lines))
    assert titles == ["bandwidth", "distances and densities", "leaders"]
    assert all(re.fullmatch(r"[a-z ]+: \d+ %, (about )?\d+ s( left)?", line) for line in lines)
    leading_tree(X, n_jobs=n_jobs)
    assert capsys.readouterr().err == ""
