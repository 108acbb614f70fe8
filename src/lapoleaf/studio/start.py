"""Requests of the start page: recent projects, files to open, dropped files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lapoleaf.studio.answers import BadRequest, as_json, json_of, sentence_of
from lapoleaf.studio.recent import recent
from lapoleaf.studio.studio import Studio
from lapoleaf.studio.uploads import keep

_MOST_BYTES_OF_NAMES = 2**16


def start_routes(studio: Studio) -> list[Route]:
    """Return the routes of the start page.

    Parameters
    ----------
    studio : Studio
        What is open.
    """

    async def open_path(request: Request) -> Response:
        body = await json_of(request, _MOST_BYTES_OF_NAMES)
        source, options = _source(body)
        try:
            await run_in_threadpool(studio.open, source, **options)
        except (ValueError, TypeError, OSError, ImportError) as error:
            raise BadRequest(sentence_of(error)) from error
        return as_json({"ok": True})

    async def upload(request: Request) -> Response:
        name = request.query_params.get("name", "")
        path = await keep(name, request.stream(), Path.cwd())
        return as_json({"path": str(path)})

    async def list_recent(request: Request) -> Response:
        return as_json(await run_in_threadpool(recent))

    return [
        Route("/api/recent", list_recent),
        Route("/api/open", open_path, methods=["POST"]),
        Route("/api/upload", upload, methods=["POST"]),
    ]


def _source(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return what is to be opened, and how."""
    names = ("path", "project", "label", "id")
    found = {name: body[name] for name in names if body.get(name) not in (None, "")}
    for name, value in found.items():
        if not isinstance(value, str) or "\0" in value:
            raise BadRequest(f"{name} must be text.")
    if "path" not in found:
        raise BadRequest("path must be the name of a file or a folder.")
    path = os.path.expanduser(found.pop("path"))
    if not os.path.exists(path):
        raise BadRequest(f"{path}: there is no such file or folder.")
    return path, found
