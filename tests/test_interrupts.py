"""Ctrl-C is KeyboardInterrupt wherever it arrives, and leaves a model as it was."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from numba.core.registry import CPUDispatcher

import lapoleaf
from lapoleaf._compilation import kernel

PROGRAM = """
import json, os, random, signal, sys, threading, time
from collections import Counter
import numpy as np
from lapoleaf import LaPOLeaFClassifier, LeadingForestClassifier

# A process that was started in the background may ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
kind, count, n_jobs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X = np.random.default_rng(0).normal(size=(800, 3))
y = np.where(np.arange(800) % 10 == 0, X[:, 0] > 0, -1)
models = {
    "one tree": LeadingForestClassifier(n_jobs=n_jobs),
    "stages": LaPOLeaFClassifier.as_published(n_jobs=n_jobs),
    "forests": LaPOLeaFClassifier(n_forests=4, n_jobs=n_jobs),
}
model, draws, armed, seen = models[kind], random.Random(0), threading.Event(), Counter()


def interrupt():
    while True:
        armed.wait()
        time.sleep(draws.random() ** 2 * 0.05)
        if armed.is_set():
            armed.clear()
            os.kill(os.getpid(), signal.SIGINT)


threading.Thread(target=interrupt, daemon=True).start()
row, before = 0, None
while seen["KeyboardInterrupt"] < count:
    try:
        before = vars(model).get("_state")
        armed.set()
        if row == 0:
            model.fit(X[:250], y[:250])
        elif row % 50 == 0:
            model.forget(model.ids_[:50])
        else:
            model.partial_fit(X[250 + row : 251 + row], y[250 + row : 251 + row])
            before = model._state
            model.predict(X[:2])
        armed.clear()
        row = (row + 1) % 500
    except KeyboardInterrupt:
        seen["KeyboardInterrupt"] += 1
        armed.clear()
        seen["changed"] += vars(model).get("_state") is not before and before is not None
    except BaseException as error:
        seen[f"{type(error).__name__}: {error}"] += 1
    try:
        time.sleep(0.0002)
    except KeyboardInterrupt:
        pass
while True:
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        break
    except KeyboardInterrupt:
        pass
# What is left is a model as any other.
if "_state" in vars(model):
    assert len(model.transduction_) == len(model.ids_)
    model.partial_fit(X[:1], y[:1])
    assert len(model.predict(X[:5])) == 5
print(json.dumps(seen))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends a signal to itself")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("kind", ["one tree", "stages", "forests"])
def test_interrupts_at_any_time(kind, n_jobs, tmp_path):
    """The compiler is interrupted, too: nothing is cached."""
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, kind, "300", str(n_jobs)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        cwd=Path(lapoleaf.__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    seen = json.loads(found.stdout)
    assert set(seen) <= {"KeyboardInterrupt", "changed"}
    # An interrupt may come after the last step of a method.
    assert seen.get("changed", 0) <= 0.1 * seen["KeyboardInterrupt"]


def add_one(value):
    return value + 1


@pytest.fixture
def interrupted_compiler(monkeypatch):
    """Let Ctrl-C arrive while numba compiles."""
    compile_for = CPUDispatcher._compile_for_args

    def interrupted(self, *args, **kwargs):
        found = compile_for(self, *args, **kwargs)
        signal.raise_signal(signal.SIGINT)
        finished.append(found)
        return found

    finished = []
    monkeypatch.setattr(CPUDispatcher, "_compile_for_args", interrupted)
    # A process that runs in the background of a script ignores interrupts.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield finished
    signal.signal(signal.SIGINT, usual)


def test_the_compiler_is_not_interrupted(interrupted_compiler):
    compiled, usual = kernel(add_one), signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        compiled(2)
    assert len(interrupted_compiler) == 1
    assert signal.getsignal(signal.SIGINT) is usual
    assert compiled(2) == 3


def test_a_handler_of_ones_own_is_called_afterwards(interrupted_compiler):
    called = []
    usual = signal.signal(signal.SIGINT, lambda *args: called.append(len(interrupted_compiler)))
    try:
        assert kernel(add_one)(2) == 3
    finally:
        signal.signal(signal.SIGINT, usual)
    assert called == [1]


def test_kernels_in_other_threads():
    """Only the main thread may set handlers."""
    found, compiled = [], kernel(add_one)
    thread = threading.Thread(target=lambda: found.append(compiled(2)))
    thread.start()
    thread.join()
    assert found == [3]


def test_interrupts_that_numba_turned_into_another_error(monkeypatch):
    compiled = kernel(add_one)
    assert compiled(2) == 3

    def broken(self, *args):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    monkeypatch.setattr(CPUDispatcher, "__call__", broken, raising=False)
    with pytest.raises(KeyboardInterrupt):
        compiled(2)

    def broken_otherwise(self, *args):
        raise SystemError("something else")

    monkeypatch.setattr(CPUDispatcher, "__call__", broken_otherwise, raising=False)
    with pytest.raises(SystemError, match="something else"):
        compiled(2)
