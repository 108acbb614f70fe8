"""Sources of rows: a file or standard input, compressed or not, and its format."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from lapoleaf._messages import shown
from lapoleaf._writing import checked_path

_GZIP = b"\x1f\x8b"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MARKS_OF_ENCODINGS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Source:
    """A file, or the content of standard input, which can be opened repeatedly.

    Attributes
    ----------
    name : str
        Name for messages.
    path : Path or None
        The file.
    content : bytes or None
        The content of standard input.
    """

    name: str
    path: Path | None = None
    content: bytes | None = None

    @property
    def size(self) -> int:
        """Number of bytes, as stored."""
        return len(self.content or b"") if self.path is None else os.path.getsize(self.path)

    @property
    def ending(self) -> str:
        """Extension of the file, without that of a compression."""
        name = self.name.strip("'\"").lower().removesuffix(".gz")
        return os.path.splitext(name)[1]

    @contextmanager
    def stored(self) -> Iterator[BinaryIO]:
        """Open the bytes as they are stored."""
        with (
            io.BytesIO(self.content or b"") if self.path is None else open(self.path, "rb") as file
        ):
            yield file

    @contextmanager
    def opened(self) -> Iterator[tuple[BinaryIO, BinaryIO]]:
        """Open the decompressed bytes, and the stored ones, whose position shows the progress."""
        with self.stored() as file:
            if file.read(2) != _GZIP:
                file.seek(0)
                yield file, file
                return
            file.seek(0)
            with gzip.open(file, "rb") as unpacked:
                try:
                    yield cast("BinaryIO", unpacked), file
                except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                    raise ValueError(f"{self.name} is a broken gzip file: {error}.") from error


def source_of(path: str | os.PathLike[str]) -> Source:
    """Return the source of a file name; standard input for ``-``."""
    if os.fspath(checked_path(path)) == "-":
        return Source("standard input", content=sys.stdin.buffer.read())
    path = Path(checked_path(path))
    if not path.exists():
        raise FileNotFoundError(f"{shown(path)}: there is no such file.")
    if not path.is_file():
        # Pipes and devices can be read only once.
        return Source(shown(path), content=path.read_bytes())
    return Source(shown(path), path)


def format_of(source: Source) -> str:
    """Return the format of a file, from its first bytes rather than its name.

    Returns
    -------
    str
        ``"parquet"``, ``"excel"``, ``"arrays"``, ``"json"`` or ``"text"``.
    """
    with source.opened() as (file, _):
        begin = file.read(4096)
    if begin.startswith(b"PAR1"):
        return "parquet"
    if begin.startswith(b"PK\x03\x04"):
        return _format_of_archive(source)
    if begin.startswith(_OLD_EXCEL):
        raise ValueError(
            f"{source.name} is an Excel file of the old kind, or one with a password: save it as "
            f".xlsx, without a password."
        )
    text = begin.startswith(_MARKS_OF_ENCODINGS)
    if not text and b"\0" in begin:
        raise ValueError(
            f"{source.name} holds neither text nor anything else that is read here: CSV, TSV, "
            f"Parquet, JSON lines, Excel (.xlsx), .npz, or a folder of pictures."
        )
    first = begin.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if first == b"{" or (first == b"[" and source.ending in _JSON_ENDINGS):
        return "json"
    return "text"


def _format_of_archive(source: Source) -> str:
    try:
        with source.stored() as file, zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, EOFError) as error:
        raise ValueError(f"{source.name} is a broken archive: {error}.") from error
    if "xl/workbook.xml" in names:
        return "excel"
    if any(name.endswith(".npy") for name in names):
        return "arrays"
    raise ValueError(
        f"{source.name} is an archive of {shown(names[:3])}: unpack it and name the table in it."
    )
