"""Names of files as they can be printed."""

from __future__ import annotations


def printable(name: str) -> str:
    r"""Return a name without anything that a terminal would obey or could not print.

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
