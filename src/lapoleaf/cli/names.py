"""Printable names of files."""

from __future__ import annotations


def printable(name: str) -> str:
    r"""Return a name with control characters and unprintable characters escaped.

    Examples
    --------
    >>> from lapoleaf.cli.names import printable
    >>> print(printable("caf\u00e9 \x1b[31m\udcff.jpg"))
    café \x1b[31m\udcff.jpg
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in name
    )
