"""Requests that are read with a bound, and answers as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.requests import Request
from starlette.responses import Response


class BadRequest(Exception):
    """A request that cannot be answered, with a sentence about why.

    Parameters
    ----------
    text : str
        The sentence.
    status : int, default=400
        The status of the answer.
    """

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


def sentence_of(error: BaseException) -> str:
    """Return what went wrong as a sentence."""
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}."
    return str(error)


def as_json(value: Any, status: int = 200) -> Response:
    """Return an answer of JSON; what is no finite number becomes null."""
    # Names of files may hold what is no text: only ASCII is sent.
    text = json.dumps(finite(value), allow_nan=False, separators=(",", ":"))
    return Response(text, status, media_type="application/json")


def finite(value: Any) -> Any:
    """Return a value of JSON with None for numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


async def body_of(request: Request, most: int) -> bytes:
    """Return the body of a request, or raise if it has more bytes than it may."""
    parts, n_bytes = [], 0
    async for part in request.stream():
        n_bytes += len(part)
        if n_bytes > most:
            raise BadRequest(f"the request has more than {most // 2**20} megabytes.", 413)
        parts.append(part)
    return b"".join(parts)


async def json_of(request: Request, most: int) -> dict[str, Any]:
    """Return the object of JSON that a request holds."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise BadRequest("Content-Type must be application/json.", 415)
    try:
        found = json.loads(await body_of(request, most))
    except (ValueError, RecursionError) as error:
        raise BadRequest("the request is not JSON.") from error
    if not isinstance(found, dict):
        raise BadRequest("the request must be an object of JSON.")
    return found


def number_of(request: Request, name: str, usual: int) -> int:
    """Return a whole number from the address."""
    text = request.query_params.get(name)
    if text is None:
        return usual
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadRequest(f"{name} must be a whole number.")
    return int(text)
