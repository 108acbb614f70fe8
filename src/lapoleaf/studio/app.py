"""The addresses that a page asks for, and what each answers."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lapoleaf.inputs.images.colours import UnreadablePicture
from lapoleaf.studio.answers import (
    BadRequest,
    as_json,
    body_of,
    json_of,
    number_of,
    sentence_of,
)
from lapoleaf.studio.cards import MOST_SHOWN, card, shown_rows
from lapoleaf.studio.exporting import ON_DISK, export
from lapoleaf.studio.history import history
from lapoleaf.studio.importing import MOST_BYTES as MOST_BYTES_OF_IMPORT
from lapoleaf.studio.importing import import_labels
from lapoleaf.studio.ledger import NothingToDo
from lapoleaf.studio.queues import queue
from lapoleaf.studio.security import Access, Guard
from lapoleaf.studio.session import Session
from lapoleaf.studio.start import start_routes
from lapoleaf.studio.studio import Studio
from lapoleaf.studio.thumbnails import ONE_PIXEL, type_of

_MOST_BYTES_OF_ACTION = 32 * 2**20
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def make_app(studio: Studio, access: Access) -> Guard:
    """Return the application: routes behind a guard.

    Parameters
    ----------
    studio : Studio
        What is open.
    access : Access
        What is asked of every request.
    """
    routes = [
        Route("/", _page(studio)),
        Route("/start", _start),
        Route("/page/{path:path}", _file),
        *(Route(f"/api/{path}", _bound(studio, answer)) for path, answer in _READ.items()),
        Route("/api/actions", _bound(studio, _act), methods=["POST"]),
        Route("/api/import", _bound(studio, _import), methods=["POST"]),
        Route("/api/export", _bound(studio, _export), methods=["POST"]),
        *start_routes(studio),
    ]
    handlers: dict[Any, Any] = {
        BadRequest: _refused,
        ValueError: _wrong,
        ImportError: _wrong,
        UnreadablePicture: _no_picture,
        OSError: _not_written,
        sqlite3.Error: _not_kept,
        404: lambda request, error: as_json({"error": "there is no such page."}, 404),
        405: lambda request, error: as_json({"error": "that cannot be asked this way."}, 405),
    }
    return Guard(Starlette(routes=routes, exception_handlers=handlers), access)


def _bound(studio: Studio, answer: Callable[[Session, Request], Any]) -> Any:
    """Return what answers a request with the project that is open."""

    async def answered(request: Request) -> Response:
        session = studio.session
        if session is None:
            raise BadRequest("no project is open.", 409)
        if request.query_params.get("session", session.id) != session.id:
            raise BadRequest("another project is open here now: load this page again.", 409)
        found: Response = await answer(session, request)
        return found

    return answered


async def _refused(request: Request, error: Any) -> Response:
    return as_json({"error": str(error)}, error.status)


async def _wrong(request: Request, error: Any) -> Response:
    return as_json({"error": str(error)}, 409 if isinstance(error, NothingToDo) else 400)


async def _not_written(request: Request, error: Any) -> Response:
    return as_json({"error": sentence_of(error)}, 500)


async def _not_kept(request: Request, error: Any) -> Response:
    return as_json({"error": f"the project cannot be written: {error}."}, 500)


async def _no_picture(request: Request, error: Any) -> Response:
    # A status of 404 would be a complaint in the browser's console for every broken picture.
    return Response(ONE_PIXEL, media_type="image/png")


# Files --------------------------------------------------------------------------------------------


def _page(studio: Studio) -> Any:
    async def page(request: Request) -> Response:
        return _sent(request, "start.html" if studio.session is None else "index.html")

    return page


async def _start(request: Request) -> Response:
    return _sent(request, "start.html")


async def _file(request: Request) -> Response:
    return _sent(request, request.path_params["path"])


def _sent(request: Request, path: str) -> Response:
    """Return a file of the page; nothing else can be named."""
    parts = path.split("/")
    ending = path[path.rfind(".") :]
    if ending not in _TYPES or any(not part or part.startswith(".") for part in parts):
        raise BadRequest("there is no such page.", 404)
    try:
        content = files("lapoleaf.studio").joinpath("page", *parts).read_bytes()
    except (OSError, ValueError) as error:
        raise BadRequest("there is no such page.", 404) from error
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=_TYPES[ending], headers=headers)


# What pages read ----------------------------------------------------------------------------------


async def _state(session: Session, request: Request) -> Response:
    return as_json(await run_in_threadpool(session.to_json))


async def _positions(session: Session, request: Request) -> Response:
    positions = session.positions
    if positions is None:
        return Response(status_code=204)
    tag = f'"{session.id}-{session.map_revision}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(positions, media_type="application/octet-stream", headers=headers)


async def _labels(session: Session, request: Request) -> Response:
    packed = await run_in_threadpool(session.packed_labels)
    return Response(packed, media_type="application/octet-stream")


def _row(session: Session, text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 10:
        raise BadRequest("there is no such row.", 404)
    row = int(text)
    if row >= len(session.data):
        raise BadRequest("there is no such row.", 404)
    return row


async def _card(session: Session, request: Request) -> Response:
    row = _row(session, request.path_params["row"])
    return as_json(await run_in_threadpool(card, session, row))


async def _show(session: Session, request: Request) -> Response:
    texts = request.query_params.get("rows", "").split(",")
    if len(texts) > MOST_SHOWN:
        raise BadRequest(f"at most {MOST_SHOWN} rows are shown at once.")
    rows = [_row(session, text) for text in texts]
    return as_json(await run_in_threadpool(shown_rows, session, rows))


async def _thumbnail(session: Session, request: Request) -> Response:
    row, size = _row(session, request.path_params["row"]), number_of(request, "size", 256)
    if session.data.kind != "images":
        raise BadRequest("the rows are not pictures.", 404)
    picture = await run_in_threadpool(session.thumbnails.picture, row, size)
    headers = {"cache-control": "private, max-age=300"}
    return Response(picture, media_type=type_of(picture), headers=headers)


async def _queue(session: Session, request: Request) -> Response:
    kind, n = request.query_params.get("kind", "next"), number_of(request, "n", 10)
    return as_json(await run_in_threadpool(queue, session, kind, n))


async def _search(session: Session, request: Request) -> Response:
    query, view = request.query_params.get("q", ""), session.view()
    return as_json(await run_in_threadpool(session.searcher.search, query, view))


async def _export(session: Session, request: Request) -> Response:
    asked = request.query_params
    # What writes files needs an Origin, as every request that changes something does.
    if (asked.get("format") in ON_DISK) != (request.method == "POST"):
        raise BadRequest("that cannot be asked this way.", 405)
    found = await run_in_threadpool(
        export,
        session,
        asked.get("format", "csv"),
        asked.get("labels", "all"),
        asked.get("escape", "0") == "1",
    )
    if isinstance(found, dict):
        return as_json(found)
    headers = {"content-disposition": f'attachment; filename="{found.name}"'}
    return Response(found.content, media_type=found.kind, headers=headers)


async def _history(session: Session, request: Request) -> Response:
    return as_json(await run_in_threadpool(history, session))


async def _events(session: Session, request: Request) -> Response:
    if session.events.is_full:
        raise BadRequest("too many pages are open.", 503)
    stream = session.events.stream(session.news)
    return StreamingResponse(stream, media_type="text/event-stream")


_READ: dict[str, Callable[[Session, Request], Any]] = {
    "state": _state,
    "map/positions": _positions,
    "labels": _labels,
    "rows/{row}": _card,
    "rows/{row}/thumbnail": _thumbnail,
    "show": _show,
    "queue": _queue,
    "search": _search,
    "export": _export,
    "history": _history,
    "events": _events,
}


# What pages do ------------------------------------------------------------------------------------


async def _act(session: Session, request: Request) -> Response:
    body = await json_of(request, _MOST_BYTES_OF_ACTION)
    return as_json(await run_in_threadpool(session.act, body))


async def _import(session: Session, request: Request) -> Response:
    asked = request.query_params
    content = await body_of(request, MOST_BYTES_OF_IMPORT)
    form, label = asked.get("format", "auto"), asked.get("label")
    return as_json(await run_in_threadpool(import_labels, session, content, form, label))
