"""The command ``lapoleaf``: one module a subcommand.

A subcommand's module has ``HELP`` (a line), ``add_arguments(parser)`` and ``run(arguments)``, and
imports what is heavy inside ``run``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from lapoleaf._version import __version__

COMMANDS = ("demo", "images", "label", "stream")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    parser = argparse.ArgumentParser(
        prog="lapoleaf",
        description="A handful of labels in, labels for everything out.",
        epilog="'lapoleaf COMMAND --help' explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"lapoleaf {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for name in COMMANDS:
        command = importlib.import_module(f"lapoleaf.cli.{name}")
        subparser = subparsers.add_parser(name, help=command.HELP, description=command.HELP)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 2 bad input, 130 interrupted."""
    arguments = make_parser().parse_args(argv)
    try:
        arguments.run(arguments)
    except KeyboardInterrupt:
        print("lapoleaf: interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError, ModuleNotFoundError) as error:
        print(f"lapoleaf: {error}", file=sys.stderr)
        return 2
    return 0
