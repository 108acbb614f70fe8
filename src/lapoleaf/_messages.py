"""Formatting of values in messages."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

# Longer values are truncated.
_MOST_LETTERS = 400
_MOST_ITEMS = 10
_BRACKETS: dict[Any, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}"}


def shown(value: Any) -> str:
    """Return a value as text for a message, without NumPy types, truncated if long.

    Parameters
    ----------
    value : object
        A value passed by the user, or from the data.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._messages import shown
    >>> shown(np.int64(3333)), shown(np.str_("a")), shown(np.array([1.0, np.nan]))
    ('3333', "'a'", '[1.0, nan]')
    """
    text = _written(value)
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}..."


def reason_of(error: Exception) -> str:
    """Return the message of an error of another package, to be part of a sentence.

    Parameters
    ----------
    error : Exception
        The error, whose first line is used, without NumPy types and without a full stop.
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    text = re.sub(r"np\.\w+\(([^()]*)\)", r"\1", lines[0])
    text = re.sub(r"(?<!\.)\.$", "", text)
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}..."


def _written(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return (
            _written(value[()])
            if value.ndim == 0
            else _listed(list(value[: _MOST_ITEMS + 1]), "[]")
        )
    if isinstance(value, str):
        return repr(str(value))
    if isinstance(value, bytes):
        return repr(bytes(value))
    if isinstance(value, np.datetime64):
        return re.sub(r"\.0+$", "", str(value)).replace("T", " ")
    if isinstance(value, np.timedelta64 | datetime.date | datetime.timedelta):
        return str(value)
    if isinstance(value, np.generic):
        plain = value.item()
        # Extended precision has no Python equivalent.
        return str(plain) if isinstance(plain, np.generic) else repr(plain)
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    if type(value) in _BRACKETS:
        return _listed(list(islice(value, _MOST_ITEMS + 1)), _BRACKETS[type(value)])
    if isinstance(value, Mapping):
        pairs = [f"{_written(key)}: {_written(item)}" for key, item in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if hasattr(value, "columns") and hasattr(value, "shape"):
        return f"a {type(value).__name__} of shape {value.shape}"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return repr(value)


def _listed(items: list[Any], brackets: str) -> str:
    written = [_written(item) for item in items[:_MOST_ITEMS]]
    if len(items) > _MOST_ITEMS:
        written.append("...")
    comma = "," if brackets == "()" and len(items) == 1 else ""
    return f"{brackets[0]}{', '.join(written)}{comma}{brackets[1]}"
