"""Destinations of results: checked before the computation, written atomically."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapoleaf._messages import shown
from lapoleaf._writing import check_writable, target_of, write_whole
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    import argparse

# File name extensions of tables that can be written.
TABLES = (".csv", ".tsv", ".txt", ".tab", ".xlsx", ".parquet")


class UnusableInput(ValueError):
    """Too little of the input can be used."""


@dataclass(frozen=True)
class Destination:
    """A file, or standard output.

    Attributes
    ----------
    path : Path or None
        The file; None for standard output.
    name : str
        The name as typed by the user.
    """

    path: Path | None
    name: str = "standard output"

    @property
    def ending(self) -> str:
        """Extension of the file; empty for standard output."""
        return "" if self.path is None else self.path.suffix.lower()

    def write(self, parts: Iterable[Any]) -> None:
        """Write objects of bytes, to a file atomically."""
        if self.path is None:
            _print(parts)
            return
        try:
            write_whole(self.path, parts)
        except OSError as error:
            raise OSError(
                f"{shown(self.name)} cannot be written: {error.strerror or error}. Nothing was "
                f"written."
            ) from error

    def tell(self, text: str = "") -> None:
        """Print a line of the report, outside of results and pipes."""
        if self.path is not None:
            print(text)
        elif sys.stdout.isatty() and sys.stderr.isatty():
            print(text, file=sys.stderr)


def _print(parts: Iterable[bytes]) -> None:
    if not sys.stdout.isatty():
        sys.stdout.flush()
        for part in parts:
            sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()
        return
    # Cells may hold control characters.
    for part in parts:
        lines = part.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
        sys.stdout.write("\n".join(printable(line.rstrip("\r")) for line in lines))
    sys.stdout.flush()


def destination_of(
    arguments: argparse.Namespace, endings: Iterable[str] = TABLES, name: str = "output"
) -> Destination:
    """Return the destination of results; raise if it cannot be written.

    Parameters
    ----------
    arguments : argparse.Namespace
        With ``input``, ``force`` and the name of the file, if there is one.
    endings : iterable of str
        Allowed extensions.
    name : str
        The argument with the name of the file.
    """
    output: str | None = getattr(arguments, name)
    option = {"output": "-o", "save": "--save"}[name]
    if output is None or output == "-":
        return Destination(None)
    target = target_of(output)
    sources = [getattr(arguments, part, None) for part in ("input", "labels")]
    if any(source and target == Path(os.path.realpath(source)) for source in sources):
        raise ValueError(f"{option} {shown(output)} is the input: name another file.")
    known = tuple(endings)
    if known and Path(output).suffix.lower() not in known:
        raise ValueError(
            f"{option} {shown(output)}: what can be written here ends with {', '.join(known)}."
        )
    refuse_existing(target, f"{option} {shown(output)}", arguments.force)
    check_writable(target)
    return Destination(target, output)


def refuse_existing(target: Path, name: str, force: bool) -> None:
    """Raise if a file exists, unless it may be replaced."""
    if target.exists() and not force:
        raise FileExistsError(f"{name} exists already: name another, or add --force.")


def watching() -> int:
    """Return 1 if progress would be displayed on a terminal, else 0."""
    return int(sys.stderr.isatty())
