"""Strangers are kept out, and nothing that rows hold is ever run."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.slow

HOSTILE = [
    "<script>document.title = 'run'; alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "javascript:alert(4)",
    "{{constructor.constructor('alert(5)')()}}",
    '=HYPERLINK("http://203.0.113.1/")',
    "</textarea></style></title><iframe src=//203.0.113.1>",
    "\u202egnp.exe",
    "a" * 5000,
    "../../etc/passwd",
]


@pytest.fixture
def hostile_table(tmp_path):
    import csv

    path = tmp_path / "<img src=x onerror=alert(0)>.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "<b onclick=alert(1)>column</b>", "x"])
        for i in range(60):
            writer.writerow([f"{i} {HOSTILE[i % 10]}", HOSTILE[i % 10], 5 * (i % 10) + i / 60])
    return path


def test_hostile_texts_are_texts(desk, hostile_table):
    page = desk(hostile_table)
    for text in HOSTILE[:5]:
        page.add_class(text)
    for key in "12345":
        page.label(key)
    page.wait_for_given(5)
    page.wait_until_labelled()
    page.page.wait_for_selector("#card-why >> text=Decided by")
    for i in range(10):
        page.press("n")
        page.page.wait_for_timeout(100)
        if i % 3 == 0:
            page.press(".")
    page.page.fill("#search", HOSTILE[1])
    page.page.wait_for_selector("#found .found-row")
    box = page.page.locator("#map").bounding_box()
    for dx in range(40, int(box["width"]) - 40, 60):
        page.page.mouse.move(box["x"] + dx, box["y"] + box["height"] / 2, steps=3)
    page.press("Escape")
    page.page.click("#class-1-edit")
    page.page.wait_for_selector("dialog[open]")
    page.press("Escape")
    inside = page.page.evaluate(
        """() => [document.title, document.querySelectorAll('iframe').length,
          document.querySelectorAll('body script').length,
          [...document.querySelectorAll('img')].filter((one) => one.onerror).length,
          [...document.querySelectorAll('[onclick], [onerror], [onload]')].length]"""
    )
    assert inside[0].endswith("lapoleaf studio")
    assert inside[1:] == [0, 0, 0, 0]


def test_without_the_token_there_is_nothing(desk, table):
    page = desk(table, ready=False, is_peaceful=False)
    for address in (page.origin, f"{page.origin}/?token=wrong", f"{page.origin}/page/js/main.js"):
        answer = page.page.goto(address)
        assert answer.status == 403
        assert "token" in page.page.content()


def test_the_token_leaves_the_address(desk, table):
    page = desk(table)
    assert page.page.url == f"{page.origin}/"
    (cookie,) = page.page.context.cookies()
    port = urlsplit(page.address).port
    assert cookie["name"] == f"lapoleaf_{port}"
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert page.page.evaluate("() => document.cookie") == ""


def test_another_page_and_another_name_are_refused(desk, table):
    page = desk(table)
    act = {"kind": "add_class", "name": "stranger"}
    ask = page.page.request
    for headers in ({"Origin": "http://203.0.113.1"}, {"Origin": "null"}, {}):
        answer = ask.post(f"{page.origin}/api/actions", data=act, headers=headers)
        assert answer.status == 403
    assert ask.get(f"{page.origin}/api/state", headers={"Host": "evil.test"}).status == 403
    assert ask.get(f"{page.origin}/api/state", headers={"Origin": "http://evil.test"}).status == 403
    assert page.state()["classes"] == []


def test_a_foreign_page_cannot_use_the_cookie(desk, table):
    page = desk(table)
    port = urlsplit(page.address).port
    other = page.page.context.new_page()
    other.route("http://127.0.0.1:1/", lambda route: route.fulfill(
        body="<title>other</title>", content_type="text/html"))  # fmt: skip
    other.goto("http://127.0.0.1:1/")
    seen = other.evaluate(
        """async (port) => {
          const found = [];
          for (const mode of ['cors', 'no-cors']) {
            try {
              const answer = await fetch(`http://127.0.0.1:${port}/api/actions`, {method: 'POST',
                mode, credentials: 'include', body: '{"kind":"add_class","name":"stranger"}'});
              found.push(answer.status);
            } catch (error) { found.push('refused'); }
          }
          return found;
        }""",
        port,
    )
    assert seen == ["refused", "refused"]
    assert page.state()["classes"] == []
    page.hosts = {urlsplit(page.address).netloc}


def test_headers_of_every_answer(desk, table):
    page = desk(table)
    for path in ("/", "/page/js/main.js", "/api/state", "/api/nothing", "/page/../app.py"):
        headers = page.page.request.get(f"{page.origin}{path}").headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
