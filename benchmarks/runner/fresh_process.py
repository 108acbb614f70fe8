"""Work in a process of its own, with a limit of memory and of time."""

from __future__ import annotations

import importlib
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lapoleaf._progress import tell

TOO_LONG, DIED, FAILED = "too long", "died", "failed"
_PROGRAM = "from benchmarks.runner.fresh_process import run_work; run_work()"
_CHECKOUT = Path(__file__).resolve().parents[2]
_NO_MEMORY = 64
# Exit code of a process that the system ended at its limit of processor time.
_TOO_LONG = -getattr(signal, "SIGXCPU", math.inf)
_MEMORY_SHARE = 0.8
# A process that waits or shares cores has this multiple of its limit by the clock.
_CLOCK_FACTOR = 4


@dataclass(frozen=True)
class Outcome:
    """Result of work in a new process.

    Attributes
    ----------
    figures : dict
        What it measured; empty unless it came to its end.
    seconds : float
        Lifetime of the process, including imports.
    trouble : str
        Why there are no figures: ``"too long"``, ``"died"`` (killed, or out of memory),
        ``"failed"`` (an error, which has been printed); empty where there are.
    """

    figures: dict[str, float]
    seconds: float
    trouble: str = ""


def in_fresh_process(
    work: Callable[..., Mapping[str, float]], arguments: Sequence[object], limit: float
) -> Outcome:
    """Call a function in a new process and return what it measured.

    The process may take four fifths of the machine's memory.

    Parameters
    ----------
    work : callable
        A function of a module; it returns figures by their names.
    arguments : sequence
        Its arguments: numbers, text, None.
    limit : float
        Seconds at work, on all cores together, after which the process is ended. It is ended after
        four times as many seconds by the clock, too.
    """
    name = f"{work.__module__}:{work.__qualname__}"
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, name, json.dumps(list(arguments)), str(limit)],
        env=child_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        written, errors = process.communicate(timeout=_CLOCK_FACTOR * limit)
    except subprocess.TimeoutExpired:
        return Outcome({}, time.perf_counter() - began, TOO_LONG)
    finally:
        if process.returncode is None:
            _end(process)
    seconds = time.perf_counter() - began
    if process.returncode == 0:
        return Outcome(json.loads(written), seconds)
    if process.returncode == _TOO_LONG:
        return Outcome({}, seconds, TOO_LONG)
    if process.returncode == _NO_MEMORY or process.returncode < 0:
        return Outcome({}, seconds, DIED)
    lines = errors.strip().splitlines()
    tell(f"{name} failed: {lines[-1] if lines else f'exit code {process.returncode}'}")
    return Outcome({}, seconds, FAILED)


def child_environment(**variables: str) -> dict[str, str]:
    """Return the environment of a new process, in which this checkout can be imported.

    Parameters
    ----------
    **variables : str
        Variables to set besides.
    """
    paths = [str(_CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}


def printed_numbers(program: str, folder: str, limit: float | None = None) -> list[float]:
    """Return the numbers that a program prints in a new process.

    Parameters
    ----------
    program : str
        Python source code.
    folder : str
        Folder of compiled kernels.
    limit : float, default=None
        Seconds after which the process is ended; None for no limit.

    Returns
    -------
    list of float
        Empty if the process was ended.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=child_environment(NUMBA_CACHE_DIR=folder),
            check=True,
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return []
    return [float(number) for number in done.stdout.split()]


def run_work() -> None:
    """Call the function that the command line names, and write its figures; in the new process."""
    name, arguments, limit = sys.argv[1:]
    # Output of the work, also of native code, goes to standard error.
    out = os.dup(1)
    os.dup2(2, 1)
    _limit_memory_and_time(float(limit))
    module, function = name.split(":")
    try:
        figures = getattr(importlib.import_module(module), function)(*json.loads(arguments))
    except MemoryError:
        sys.exit(_NO_MEMORY)
    with os.fdopen(out, "w") as lines:
        json.dump(figures, lines)


def peak_megabytes() -> float:
    """Return the most memory this process has held; NaN where the system does not report it."""
    status = Path("/proc/self/status")
    if status.exists():
        # ru_maxrss would include the memory of the parent process.
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    try:
        import resource
    except ImportError:
        return math.nan
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def _limit_memory_and_time(seconds: float) -> None:
    """Limit memory and time at work of this process; the system fails or ends it.

    Parameters
    ----------
    seconds : float
        Seconds at work, rounded up.
    """
    with suppress(ImportError, ValueError, OSError, AttributeError):
        import resource

        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        most = int(_MEMORY_SHARE * whole)
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
        # Prevents core dumps of processes that the system ends.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), resource.RLIM_INFINITY))


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and those it has started."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
