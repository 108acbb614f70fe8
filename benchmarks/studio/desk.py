"""A studio in a separate process, and a Chromium that shows it."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from lapoleaf._typing import AnyArray

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update",
              "--disable-sync", "--no-first-run"]  # fmt: skip
_SECONDS = 3600.0
# Notes when a key was pressed, and when the map was drawn with labels that the model has answered.
_WATCH = """() => {
  const canvas = document.querySelector('canvas.points');
  window.watched = {pressed: 0, shown: 0, settled: 0, next: 0};
  addEventListener('keydown', () => {
    Object.assign(window.watched, {pressed: performance.now(), shown: 0, settled: 0, next: 0});
  }, true);
  let last = canvas.dataset.settled;
  new MutationObserver(() => {
    const now = performance.now();
    window.watched.shown ||= now;
    if (canvas.dataset.settled !== last) window.watched.settled = now;
    last = canvas.dataset.settled;
  }).observe(canvas, {attributes: true, attributeFilter: ['data-frames', 'data-settled']});
  const card = document.getElementById('card');
  let row = card.dataset.row;
  new MutationObserver(() => {
    if (card.dataset.row === undefined || card.dataset.row === row) return;
    row = card.dataset.row;
    window.watched.next ||= performance.now();
  }).observe(card, {attributes: true, attributeFilter: ['data-row']});
}"""


class Desk:
    """A page of the studio.

    Parameters
    ----------
    page : Page
        The page.
    address : str
        The address with the token.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        parts = urlsplit(address)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        page.set_default_timeout(1000 * _SECONDS)
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        page.evaluate(_WATCH)

    def get(self, path: str) -> Any:
        """Return an answer of the server."""
        return self.page.request.get(f"{self.origin}{path}", timeout=1000 * _SECONDS).json()

    def wait_until(self, holds: Callable[[], bool], seconds: float = _SECONDS) -> None:
        """Wait for a condition."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise ValueError("The studio did not answer in time.")
            self.page.wait_for_timeout(20)

    def wait_for_map(self) -> None:
        """Wait until the model is built and the map is drawn."""
        self.wait_until(lambda: bool(self.get("/api/state")["map"]["status"] == "ready"))
        self.page.wait_for_selector("#map-none", state="hidden")

    def add_classes(self, names: list[str]) -> dict[str, str]:
        """Add classes by keys, and return the key of each."""
        for name in names:
            self.page.keyboard.press("+")
            self.page.wait_for_selector("dialog[open] input[name=name]")
            self.page.keyboard.insert_text(name)
            self.page.keyboard.press("Enter")
            self.page.wait_for_selector(f"#legend .name >> text='{name}'")
        return {one["name"]: one["key"] for one in self.get("/api/state")["classes"]}

    def row(self) -> int:
        """Return the current row, once it is shown."""
        return int(self.page.get_attribute("#card[data-row]", "data-row") or -1)

    def press(self, key: str) -> None:
        """Press a key, and wait for the next row."""
        before = str(self.row())
        self.page.keyboard.press(key)
        script = "() => document.getElementById('card').dataset.row ?? ''"
        self.wait_until(lambda: self.page.evaluate(script) not in (before, ""), 60)

    def press_and_watch(self, key: str) -> dict[str, float]:
        """Press a key, and return milliseconds until the map and the next row were drawn."""
        self.page.keyboard.press(key)
        self.wait_until(lambda: bool(self.page.evaluate("() => window.watched.settled > 0")))
        self.row()
        found: dict[str, float] = self.page.evaluate("() => window.watched")
        return {name: found[name] - found["pressed"] for name in ("shown", "settled", "next")}

    def labels(self) -> tuple[AnyArray, AnyArray]:
        """Return ids of the classes of all rows, and which rows a person labelled."""
        content = self.page.request.get(f"{self.origin}/api/labels").body()
        n, is_wide = np.frombuffer(content, dtype="<u4", count=4)[[1, 3]].tolist()
        kind = np.dtype("<u2" if is_wide else "u1")
        classes = np.frombuffer(content, dtype=kind, count=n, offset=16)
        bits = np.frombuffer(content, dtype=np.uint8, offset=16 + n * (kind.itemsize + 1))
        return classes, np.unpackbits(bits, count=n, bitorder="little").astype(bool)


@contextmanager
def served(source: Path, *options: str) -> Iterator[str]:
    """Serve a file or a folder in a process of its own, and return the address with the token.

    Parameters
    ----------
    source : Path
        The file or the folder.
    *options : str
        More arguments of ``lapoleaf studio``.
    """
    command = [sys.executable, "-m", "lapoleaf.cli", "studio", str(source), "--no-browser"]
    server = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline() if server.stdout else ""
        address = re.search(r"http\S+", line)
        if address is None:
            raise ValueError(f"The studio has not started: {line}")
        yield address[0]
    finally:
        server.terminate()
        server.communicate()


@contextmanager
def opened(source: Path, chromium: Path, *options: str) -> Iterator[Desk]:
    """Serve a file or a folder, and open a page.

    Parameters
    ----------
    source : Path
        The file or the folder.
    chromium : Path
        The browser.
    *options : str
        More arguments of ``lapoleaf studio``.
    """
    from playwright.sync_api import sync_playwright

    with served(source, *options) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        yield Desk(context.new_page(), address)
        browser.close()
