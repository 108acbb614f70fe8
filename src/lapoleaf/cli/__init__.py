"""The command ``lapoleaf``: one module a subcommand.

The module of a subcommand has ``HELP`` (one line), ``EXAMPLES``, ``add_arguments(parser)`` and
``run(arguments)``, which returns the exit code. Expensive imports are inside ``run``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from lapoleaf._version import __version__
from lapoleaf.cli.arguments import epilog
from lapoleaf.cli.names import printable
from lapoleaf.cli.outputs import UnusableInput

COMMANDS = (
    "label",
    "suggest",
    "doubt",
    "explain",
    "fit",
    "predict",
    "images",
    "studio",
    "stream",
    "demo",
)
# Replaces parameters of functions by options of the command in messages.
_OPTIONS = (
    (re.compile(r"\b(label|ignore|text|id|sheet|host|key)=(?=['\"])"), r"--\1 "),
    (re.compile(r"\bport="), "--port "),
    (re.compile("pass certificate and key"), "pass --certificate and --key"),
    (re.compile("insecure=True"), "--insecure"),
    (re.compile(r"\bn_jobs="), "--jobs "),
    (re.compile(r"\bkinds\[('.*?')\]"), r"--kind \1"),
    (re.compile(", and their rows are zeros: "), " and are left out: "),
    (re.compile(r"pass missing=\{.*?: \[(.*?)\]\}"), r"pass them with --missing: \1"),
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    parser = argparse.ArgumentParser(
        prog="lapoleaf",
        description="Label all rows of a table, or all pictures of a folder, from a few labels.",
        epilog="'lapoleaf COMMAND --help' explains a command. Exit codes: 0 done, 1 some of the "
        "input cannot be used, 2 bad call, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"lapoleaf {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for name in COMMANDS:
        command = importlib.import_module(f"lapoleaf.cli.{name}")
        subparser = subparsers.add_parser(
            name,
            help=command.HELP,
            description=command.HELP,
            epilog=epilog(command.EXAMPLES),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    0: done; 1: some of the input cannot be used; 2: invalid call, or the call failed; 130:
    interrupted.
    """
    arguments = make_parser().parse_args(argv)
    try:
        with _warnings_as_sentences():
            code = arguments.run(arguments)
            sys.stdout.flush()
            return int(code or 0)
    except KeyboardInterrupt:
        return _ended("interrupted", 130)
    except BrokenPipeError:
        # The reader has closed the pipe, as in: lapoleaf label birds.csv | head
        _discard_output()
        return 0
    except UnusableInput as error:
        return _ended(str(error), 1)
    except MemoryError:
        return _ended("there is not enough memory for this input.", 2)
    except (ValueError, TypeError, ImportError, OSError) as error:
        return _ended(_sentence(error), 2)


def _ended(text: str, code: int) -> int:
    """Report how a run ended, and return its exit code."""
    with contextlib.suppress(OSError):
        print(f"lapoleaf: {_for_users(text)}", file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()
    return code


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror}."
    return str(error)


def _for_users(text: str) -> str:
    """Return a message with options instead of parameters, without control characters."""
    for pattern, instead in _OPTIONS:
        text = pattern.sub(instead, text)
    return "\n".join(map(printable, text.split("\n")))


@contextlib.contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Print warnings for users as one sentence each, and suppress others."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"lapoleaf: {_for_users(str(message))}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def _discard_output() -> None:
    """Prevent further writes to a closed pipe or a full disk, also at exit."""
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)
