"""Who may ask: nobody but the page that was opened with the token."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from lapoleaf.studio.security import HEADERS, Access, Guard
from lapoleaf.studio.serving import make_server

# The same in every process, as names of tests are made of them.
ACCESS = Access(8123, token="a-token-for-tests", cookie="a-cookie-for-tests")
COOKIE = f"lapoleaf_8123={ACCESS.cookie}"
OWN = {"host": "127.0.0.1:8123", "cookie": COOKIE}
ORIGIN = {"origin": "http://127.0.0.1:8123"}


async def _inner(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"secret"})


def ask(path="/api/state", method="GET", headers=None, query="", kind="http", access=ACCESS):
    """Return the status, the headers and the body of an answer."""
    sent = []

    async def send(message):
        sent.append(message)

    pairs = [(name.encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
    scope = {"type": kind, "path": path, "method": method, "headers": pairs}
    scope["query_string"] = query.encode("latin-1")
    # In a thread of its own: the client of the browser tests keeps a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(Guard(_inner, access)(scope, None, send))).result()
    if kind != "http":
        return sent
    return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]


def test_the_token_is_exchanged_for_a_cookie():
    status, headers, body = ask("/", headers={"host": OWN["host"]}, query=f"token={ACCESS.token}")
    assert (status, headers[b"location"], body) == (303, b"/", b"")
    cookie = headers[b"set-cookie"].decode()
    assert cookie == f"{COOKIE}; HttpOnly; SameSite=Strict; Path=/"
    assert ACCESS.token not in cookie
    assert ask(headers=OWN)[0] == 200


def test_with_tls_the_cookie_stays_there():
    access = Access(443, "studio.example", "https")
    query = f"token={access.token}"
    answer = ask("/", headers={"host": "studio.example"}, query=query, access=access)
    assert answer[0] == 303
    assert answer[1][b"set-cookie"].endswith(b"; Secure")


@pytest.mark.parametrize(
    "query", ["", "token=", "token=wrong", f"token={ACCESS.token}x", "a=b&" * 99, "token=\xff"]
)
def test_a_wrong_token_is_refused(query):
    for path in ("/", "/api/state"):
        status, _, body = ask(path, headers={"host": OWN["host"]}, query=query)
        assert status == 403
        assert b"secret" not in body


def test_the_token_opens_nothing_but_the_entrance():
    assert ask(headers={"host": OWN["host"]}, query=f"token={ACCESS.token}")[0] == 403


@pytest.mark.parametrize(
    "cookie", ["", "lapoleaf_8123=", "lapoleaf_8123=x", f"lapoleaf_1={ACCESS.cookie}", "=;;\x00"]
)
def test_a_wrong_cookie_is_refused(cookie):
    assert ask(headers={**OWN, "cookie": cookie})[0] == 403


@pytest.mark.parametrize("other", ['settings={"a": "b c"}', "=", "odd=a b,c", "x=\xff", "flag"])
def test_cookies_of_other_programs_do_no_harm(other):
    """A browser sends those of all programs on this machine, however they are written."""
    for cookie in (f"{other}; {COOKIE}", f"{COOKIE};{other}"):
        assert ask(headers={**OWN, "cookie": cookie})[0] == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8123:8123",
     "localhost.evil.example:8123", "10.0.0.1:8123", "127.0.0.1:8123, evil.example"],
)  # fmt: skip
def test_a_foreign_host_is_refused(host):
    assert ask(headers={**OWN, "host": host})[0] == 403


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8123", "localhost:8123", "LOCALHOST:8123", "[::1]:8123"]
)
def test_names_of_this_machine_are_taken(host):
    assert ask(headers={**OWN, "host": host})[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:9", "https://127.0.0.1:8123",
     "http://localhost:8123", "http://127.0.0.1:8123.evil.example"],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused(origin, method):
    assert ask(method=method, headers={**OWN, "origin": origin})[0] == 403


def test_whoever_changes_something_names_the_origin():
    assert ask(method="POST", headers=OWN)[0] == 403
    assert ask(method="DELETE", headers=OWN)[0] == 403
    assert ask(method="POST", headers={**OWN, **ORIGIN})[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_cannot_embed_anything(site):
    assert ask(headers={**OWN, "sec-fetch-site": site})[0] == 403
    assert ask("/", headers={**OWN, "sec-fetch-site": site})[0] == 200


def test_no_other_protocol_is_spoken():
    assert ask(kind="websocket", headers=OWN) == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("headers", [OWN, {}, {"host": "evil.example"}])
def test_every_answer_has_the_headers(headers):
    found = ask(headers=headers)[1]
    assert all(found[name] == value for name, value in HEADERS)
    assert found[b"cache-control"] == b"no-store"
    policy = found[b"content-security-policy"]
    assert b"default-src 'none'" in policy
    assert b"unsafe" not in policy
    assert found[b"referrer-policy"] == b"no-referrer"
    assert found[b"x-content-type-options"] == b"nosniff"


def test_an_open_host_takes_addresses_but_no_foreign_names():
    access = Access(8123, "0.0.0.0")
    assert access.allows_host("192.168.1.7:8123")
    assert access.allows_host("localhost:8123")
    assert not access.allows_host("evil.example:8123")
    named = Access(8123, "studio.lan")
    assert named.allows_host("studio.lan:8123")
    assert not named.allows_host("192.168.1.7:8123")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "studio.lan"])
def test_other_machines_need_tls_or_a_word(host):
    with pytest.raises(ValueError, match="pass certificate and key"):
        make_server(host=host)


def test_a_key_needs_a_certificate():
    with pytest.raises(ValueError, match="needs a certificate"):
        make_server(key="key.pem")


def test_tokens_are_in_no_repr():
    assert ACCESS.token not in repr(ACCESS)
    assert ACCESS.cookie not in repr(ACCESS)
    assert len({Access(1).token for _ in range(5)}) == 5
