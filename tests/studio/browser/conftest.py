"""A real Chromium before a real server: what a person sees and presses."""

from __future__ import annotations

import os
import shutil
from urllib.parse import urlsplit

import numpy as np
import pytest

INSTALL = "the browser tests need Chromium: 'apt-get install chromium', or LAPOLEAF_CHROMIUM=PATH"
# Nothing but this machine has a name: what is asked of others fails and is seen.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
WAIT = 60_000


@pytest.fixture(scope="session")
def chromium():
    """Return a running Chromium, or skip."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the browser tests need playwright: 'pip install playwright'"
    )
    path = os.environ.get("LAPOLEAF_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip(INSTALL)
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class Desk:
    """A page, with all that it asked for and all that it complained about."""

    def __init__(self, page, address):
        self.page = page
        self.address = address
        self.complaints = []
        self.hosts = set()
        page.set_default_timeout(WAIT)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._refuse)
        page.context.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def _refuse(self, dialog):
        self.complaints.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    @property
    def origin(self):
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def open(self):
        self.page.goto(self.address)
        self.wait_until_ready()

    def wait_until_ready(self):
        self.page.wait_for_selector("html[data-ready]")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def state(self):
        """Return the state that the server has."""
        answer = self.page.request.get(f"{self.origin}/api/state")
        assert answer.ok
        return answer.json()

    def wait_for_state(self, holds):
        """Return the state once it fulfils a condition."""
        for _ in range(WAIT // 100):
            state = self.state()
            if holds(state):
                return state
            self.page.wait_for_timeout(100)
        raise AssertionError(f"the state never came: {state}")

    def wait_for_given(self, n):
        return self.wait_for_state(lambda state: state["n_given"] == n)

    def wait_until(self, function, argument=None):
        """Wait until a function in JavaScript is true; the page itself may not poll by text."""
        for _ in range(WAIT // 50):
            if self.page.evaluate(function, argument):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"it never came: {function} of {argument}")

    def wait_for_text(self, selector, text):
        """Wait until an element's text is this one."""
        self.wait_until(
            "([selector, text]) => document.querySelector(selector)?.textContent === text",
            [selector, text],
        )

    def wait_until_labelled(self):
        """Wait until the model has labelled all rows, here as on the server."""
        self.wait_for_state(lambda state: state["model"]["status"] == "ready")
        self.wait_for_text("#n-unlabelled", "0")

    def wait_until_saved(self):
        self.wait_for_text("#saved", "saved")

    def add_class(self, name):
        """Add a class by keys."""
        n_classes = len(self.state()["classes"])
        self.press("+")
        self.page.wait_for_selector("dialog[open] input[name=name]")
        self.page.keyboard.insert_text(name)
        self.press("Enter")
        self.wait_for_state(lambda state: len(state["classes"]) == n_classes + 1)
        self.wait_until("n => document.querySelectorAll('#legend li').length === n", n_classes + 1)

    def title(self):
        """Return the name of the row in hand."""
        self.row()
        return self.page.text_content("#card-title")

    def row(self):
        """Return the number of the row in hand, once it is there to see."""
        return int(self.page.get_attribute("#card[data-row]", "data-row"))

    def wait_for_row(self, row):
        """Wait until this row is in hand."""
        self.wait_until("row => document.getElementById('card').dataset.row === row", str(row))

    def wait_for_another_row(self, row):
        """Wait until a row other than this one is in hand."""
        self.wait_until(
            "row => ![row, undefined].includes(document.getElementById('card').dataset.row)",
            str(row),
        )

    def label(self, key):
        """Label the row in hand, and wait for the next one."""
        before = self.row()
        self.press(key)
        self.wait_for_another_row(before)

    def text(self, selector):
        return self.page.inner_text(selector)

    def note(self, words):
        """Wait for a note with these words."""
        self.page.wait_for_selector(f"#notes >> text={words}")

    def check_peace(self):
        """Assert that nothing was complained about and nothing asked of another machine."""
        assert self.complaints == []
        assert self.hosts == {urlsplit(self.address).netloc}


@pytest.fixture
def desk(chromium, serve):
    """Return a function that serves something and opens a page; peace is checked at the end."""
    contexts, desks = [], []

    def opened(source=None, *, is_peaceful=True, ready=True, options=None, **settings):
        context = chromium.new_context(
            viewport={"width": 1280, "height": 860}, accept_downloads=True, **settings
        )
        contexts.append(context)
        address = source if str(source).startswith("http") else serve(source, **options or {})
        one = Desk(context.new_page(), address)
        if is_peaceful:
            desks.append(one)
        if ready:
            one.open()
        return one

    yield opened
    try:
        for one in desks:
            one.check_peace()
    finally:
        for context in contexts:
            context.close()


@pytest.fixture
def serve():
    """Return a function that starts a server and returns its address."""
    studio = pytest.importorskip("lapoleaf.studio", reason="the studio needs 'lapoleaf[studio]'")
    pytest.importorskip("uvicorn", reason="the studio needs 'lapoleaf[studio]'")
    servers = []

    def started(source=None, **options):
        if source is not None and str(source).endswith(".csv"):
            options = {"id": "name", **options}
        server = studio.serve(source, browser=False, block=False, n_jobs=1, **options)
        servers.append(server)
        return server.url

    yield started
    for server in servers:
        server.close()


@pytest.fixture
def table(tmp_path):
    """Return a table of three groups in a file; the group is the first letter of the name."""
    path = tmp_path / "fruit.csv"
    rng = np.random.default_rng(0)
    lines = ["name,width,height,note"]
    for group, (x, y) in zip("abc", [(0, 0), (9, 0), (0, 9)], strict=True):
        places = rng.normal([x, y], 0.6, size=(20, 2))
        lines += [f"{group}{i},{w:.3f},{h:.3f},plain" for i, (w, h) in enumerate(places)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
