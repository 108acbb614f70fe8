"""Which requests are answered: those with the cookie, from our own page, under our own name."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

_POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_EVERYWHERE = ("0.0.0.0", "::", "")
_READING = ("GET", "HEAD")

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]
_App = Callable[[_Message, _Receive, _Send], Awaitable[None]]


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as seen from itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """The name, port and token that every request is checked against.

    Attributes
    ----------
    port : int
        Port of the server.
    host : str
        Host of the server.
    scheme : {"http", "https"}
        How it is spoken to.
    token, cookie : str
        What the address that is opened first holds, and what it is exchanged for.
    """

    port: int
    host: str = "127.0.0.1"
    scheme: str = "http"
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def name_of_cookie(self) -> str:
        """Name of the cookie: several studios on one host have a cookie each."""
        return f"lapoleaf_{self.port}"

    @property
    def address(self) -> str:
        """The address to open first."""
        host = "127.0.0.1" if self.host in _EVERYWHERE else self.host
        host = f"[{host}]" if ":" in host and not host.startswith("[") else host
        return f"{self.scheme}://{host}:{self.port}/?token={self.token}"

    def allows_host(self, host: str) -> bool:
        """Whether a request names this server, and no other name that leads here."""
        name, colon, port = host.rpartition(":")
        if not colon or port != str(self.port):
            # The usual port may be left out.
            usual = {"http": 80, "https": 443}[self.scheme]
            if self.port != usual or host.endswith(f":{self.port}"):
                return False
            name = host
        name = name.lower()
        if is_loopback(self.host):
            return name in _LOOPBACK or name.strip("[]") == self.host.strip("[]")
        if name.strip("[]") == self.host.lower().strip("[]"):
            return True
        if self.host in _EVERYWHERE:
            # Addresses, and the name of the machine: a foreign name cannot be led here.
            return name in (*_LOOPBACK, socket.gethostname().lower()) or _is_address(name)
        return False

    def holds_cookie(self, header: str) -> bool:
        """Whether a header of cookies has the right one."""
        # Not by http.cookies: it reads nothing if a cookie of another program on this machine, to
        # which browsers send all of them, is written in an odd way.
        pairs = (part.strip().partition("=") for part in header.split(";"))
        return any(
            name == self.name_of_cookie and _equal(value, self.cookie) for name, _, value in pairs
        )

    def holds_token(self, query: str) -> bool:
        """Whether the address has the right token."""
        try:
            found = parse_qs(query, max_num_fields=20).get("token", [""])
        except ValueError:
            return False
        return _equal(found[-1], self.token)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _equal(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode())


class Guard:
    """An ASGI application that passes only allowed requests on.

    Parameters
    ----------
    app : ASGI application
        What answers.
    access : Access
        The name, port and token that every request is checked against.
    """

    def __init__(self, app: _App, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            # No other protocol is spoken here.
            await send({"type": "websocket.close", "code": 1008})
            return
        send = _with_headers(send)
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, 403, refusal)
        elif scope["path"] == "/" and self.access.holds_token(
            scope["query_string"].decode("latin-1")
        ):
            await _exchange(send, self.access)
        elif not self.access.holds_cookie(headers.get("cookie", "")):
            text = "This address needs the token that the command 'lapoleaf studio' has printed."
            await _answer(send, 403, text)
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: _Message, headers: dict[str, str]) -> str | None:
        """Return why a request is not from our own page; None if it is."""
        host = headers.get("host", "")
        if not self.access.allows_host(host):
            return "Host is not the name of this server."
        origin, own = headers.get("origin"), f"{self.access.scheme}://{host}"
        is_reading = scope["method"] in _READING
        if origin is not None and origin.lower() != own.lower():
            return "Origin is another page."
        if origin is None and not is_reading:
            return "Origin is missing."
        is_entrance = scope["path"] == "/" and is_reading
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not is_entrance:
            return "The request comes from another page."
        return None


def _headers(scope: _Message) -> dict[str, str]:
    """Return headers by name; several of one name are joined, so that they equal nothing."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        separator = "; " if key == "cookie" else ", "
        found[key] = f"{found[key]}{separator}{text}" if key in found else text
    return found


def _with_headers(send: _Send) -> _Send:
    async def sent(message: _Message) -> None:
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message.get("headers", ())}
            more = [pair for pair in HEADERS if pair[0] not in names]
            if b"cache-control" not in names:
                more.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sent


async def _answer(
    send: _Send, status: int, text: str, more: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    body = text.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *more]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _exchange(send: _Send, access: Access) -> None:
    """Exchange the token for a cookie, and let the address be forgotten."""
    secure = "; Secure" if access.scheme == "https" else ""
    cookie = (
        f"{access.name_of_cookie}={access.cookie}; HttpOnly; SameSite=Strict; Path=/{secure}"
    ).encode()
    await _answer(send, 303, "", ((b"location", b"/"), (b"set-cookie", cookie)))
