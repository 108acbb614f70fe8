"""Detection of encodings, and conversion to UTF-8."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from lapoleaf._messages import shown
from lapoleaf.inputs.sources import Source

_BLOCK = 1 << 22
# Bytes that are undefined in Windows-1252.
_NOT_IN_WINDOWS = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Encoding:
    """The encoding of a file, and whether it contains quotes."""

    name: str
    has_quotes: bool


def encoding_of(source: Source) -> Encoding:
    """Return the encoding of a file.

    It is that of the byte-order mark if there is one; else UTF-8 if the file is valid UTF-8; else
    Windows-1252, or Latin-1 if some bytes are undefined there.
    """
    with source.opened() as (file, _):
        begin = file.read(4)
    for mark, name in _MARKS:
        if begin.startswith(mark):
            return Encoding(name, has_quotes=True)
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_utf8, in_windows, has_quotes = True, True, False
    with source.opened() as (file, _):
        while block := file.read(_BLOCK):
            if b"\0" in block:
                raise ValueError(
                    f"{source.name} holds bytes that are in no text: save it as CSV in UTF-8."
                )
            has_quotes = has_quotes or b'"' in block
            in_windows = in_windows and len(block.translate(None, _NOT_IN_WINDOWS)) == len(block)
            if is_utf8:
                is_utf8 = _decodes(decoder, block)
    if is_utf8 and _decodes(decoder, b"", final=True):
        return Encoding("utf-8", has_quotes)
    return Encoding("cp1252" if in_windows else "latin-1", has_quotes)


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def text_of(source: Source, encoding: str) -> Iterator[tuple[io.TextIOWrapper, BinaryIO]]:
    """Open a file as text without converting line ends; also return its stored bytes."""
    with source.opened() as (file, stored):
        text = io.TextIOWrapper(file, encoding, newline="")
        try:
            yield text, stored
        except UnicodeError as error:
            raise ValueError(
                f"{source.name} begins as {shown(encoding)} but is something else: {error}."
            ) from error
        finally:
            # The caller closes the file.
            text.detach()
