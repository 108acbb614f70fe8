"""The header of a saved model: JSON text with a check sum of itself.

The text is canonical: it equals the output of this module for its content, byte by byte.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from lapoleaf.io.errors import LoadError

FORMAT = "lapoleaf model"
VERSION = 1

# Limits checked before parsing, which bound memory to a few dozen megabytes.
LONGEST = 4 * 2**20
MOST_CONTAINERS = 100_000
MOST_COMMAS = 400_000
DEEPEST = 32

# An unterminated string extends to the end, so that no text is searched twice.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def to_text(header: dict[str, Any]) -> bytes:
    """Return a header, with its check sum added, as text."""
    text = _canonical({**header, "sha256": _digest(header)})
    problem = _out_of_bounds(text)
    if problem:
        raise ValueError(f"The model cannot be saved: its header {problem}.")
    return text


def from_text(text: bytes) -> dict[str, Any]:
    """Read a header, or raise with the reason why that cannot be."""
    problem = _out_of_bounds(text)
    if problem:
        raise LoadError(f"its header {problem}")
    header = _parsed(text)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise LoadError("it is not a model saved by lapoleaf")
    _refuse_other_versions(header.get("format_version"))
    digest = header.pop("sha256", None)
    if not _is_canonical(header, digest, text):
        raise LoadError("its header was damaged or edited (the check sum does not fit)")
    return header


def _is_canonical(header: dict[str, Any], digest: Any, text: bytes) -> bool:
    try:
        return bool(digest == _digest(header) and text == _canonical({**header, "sha256": digest}))
    except ValueError:
        # A number beyond all bounds, such as 1e999.
        return False


def _refuse_other_versions(version: Any) -> None:
    if type(version) is not int or version < 1:
        raise LoadError("its header names no version of the format")
    if version != VERSION:
        raise LoadError(
            f"it is of format {version}, which another lapoleaf wrote, and this one reads format "
            f"{VERSION}"
        )


def _canonical(header: dict[str, Any]) -> bytes:
    return json.dumps(header, separators=(",", ":"), allow_nan=False).encode("ascii")


def _digest(header: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(header)).hexdigest()


def _out_of_bounds(text: bytes) -> str | None:
    """Return which limit a header exceeds, if any."""
    if len(text) > LONGEST:
        return f"is longer than {LONGEST} bytes"
    if text.count(b"[") + text.count(b"{") > MOST_CONTAINERS or text.count(b",") > MOST_COMMAS:
        return "holds too many values"
    depth = 0
    for bracket in _STRING.sub(b"", text).translate(None, _NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEPEST:
            return f"is nested more than {DEEPEST} deep"
    return None


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text.decode("ascii"), object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        raise LoadError("its header was damaged (it is not JSON)") from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is used twice")
    return found
