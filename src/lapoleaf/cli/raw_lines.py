"""Lines of bytes of any length from a file or a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# Maximum length of a line with a reading.
LONGEST = 65536


class RawLine(NamedTuple):
    """A line of the input.

    Attributes
    ----------
    content : bytes or None
        The line without its end; None if it is longer than :data:`LONGEST`.
    length : int
        Its length in the input, including its end.
    ended : bool
        Whether it ends with a newline; without one it may be incomplete.
    """

    content: bytes | None
    length: int
    ended: bool


def raw_lines(source: BinaryIO) -> Iterator[RawLine]:
    """Yield the lines of a source, each as soon as it is available.

    Parameters
    ----------
    source : BinaryIO
        The source, read from its current position.

    Examples
    --------
    >>> import io
    >>> from lapoleaf.cli.raw_lines import raw_lines
    >>> [tuple(line) for line in raw_lines(io.BytesIO(b"1.5" + bytes([10]) + b"2."))]
    [(b'1.5', 4, True), (b'2.', 2, False)]
    """
    # Iteration would read ahead and delay lines.
    while part := source.readline(LONGEST + 2):
        length = len(part)
        last = part
        while not last.endswith(b"\n") and (last := source.readline(LONGEST)):
            length += len(last)
        ended = (last or part).endswith(b"\n")
        content = part.rstrip(b"\r\n")
        whole = length == len(part) and len(content) <= LONGEST
        yield RawLine(content if whole else None, length, ended)
