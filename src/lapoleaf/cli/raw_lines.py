"""Lines of bytes from a file or a pipe, however long they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# No line with a reading is longer.
LONGEST = 65536


class RawLine(NamedTuple):
    """A line of the input.

    Attributes
    ----------
    content : bytes or None
        The line without its end; None if it is longer than :data:`LONGEST`.
    length : int
        Its bytes in the input, with its end.
    ended : bool
        Whether there is a newline after it; without one it may still be being written.
    """

    content: bytes | None
    length: int
    ended: bool


def raw_lines(source: BinaryIO) -> Iterator[RawLine]:
    """Return the lines of a source one by one, each as soon as it is there.

    Parameters
    ----------
    source : BinaryIO
        What is read from, from where it is.

    Examples
    --------
    >>> import io
    >>> from lapoleaf.cli.raw_lines import raw_lines
    >>> [tuple(line) for line in raw_lines(io.BytesIO(b"1.5" + bytes([10]) + b"2."))]
    [(b'1.5', 4, True), (b'2.', 2, False)]
    """
    # Not by iteration, which reads ahead: a line is answered when it is there.
    while part := source.readline(LONGEST + 2):
        length = len(part)
        last = part
        while not last.endswith(b"\n") and (last := source.readline(LONGEST)):
            length += len(last)
        ended = (last or part).endswith(b"\n")
        content = part.rstrip(b"\r\n")
        whole = length == len(part) and len(content) <= LONGEST
        yield RawLine(content if whole else None, length, ended)
