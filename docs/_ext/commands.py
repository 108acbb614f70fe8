"""Commands of a page: run in a shell, with what they print."""

import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 300


@dataclass(frozen=True)
class Ran:
    """A command that was run, what it printed, and its exit code."""

    command: str
    printed: str
    code: int


def run_command(command: str, folder: Path) -> Ran:
    """Run a line of a shell, as a person would at a terminal of 100 columns."""
    places = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([*places, os.environ["PATH"]]),
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return Ran(command, done.stdout, done.returncode)


def run_block(lines: list[str], folder: Path, expected: int = 0) -> list[Ran]:
    """Run the lines of a block, or raise for one with another exit code than is expected."""
    done = [run_command(line, folder) for line in lines if line.strip()]
    for ran in done:
        if ran.code != expected:
            raise ValueError(
                f"'{ran.command}' ended with {ran.code} instead of {expected}:\n{ran.printed}"
            )
    return done


def as_shown(done: list[Ran]) -> str:
    """Return commands after a prompt, each above what it printed."""
    return "\n".join(f"$ {ran.command}\n{ran.printed}".rstrip("\n") for ran in done)
