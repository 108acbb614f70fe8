"""Ten thousand photos, labelled by a script that reads the truth."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.data.fashion import fashion_task
from benchmarks.runner.tables import Table
from benchmarks.studio.desk import Desk, opened
from lapoleaf._typing import AnyArray

_NAMES = ["t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag",
          "boot"]  # fmt: skip
_SIDE = 28
# Number of answers per line of the table.
_LINES = 18
# The last fifth of all answers are random checks.
_CHECKED = 0.2


def photos_table(chromium: Path, fashion: Path, n: int, answers: int, pause: float) -> Table:
    """Return how the accuracy grows with the answers.

    Parameters
    ----------
    chromium : Path
        The browser.
    fashion : Path
        Folder with Fashion-MNIST.
    n, answers : int
        Numbers of photos and of answers.
    pause : float
        Seconds for an answer.
    """
    task = fashion_task(fashion, n)
    with tempfile.TemporaryDirectory() as folder:
        photos = Path(folder, "photos")
        _write(photos, task.X)
        with opened(photos, chromium) as desk:
            keys = desk.add_classes(_NAMES)
            rows = _answered(desk, [keys[name] for name in _NAMES], task.truth, answers, pause)
    return Table(
        name="studio-photos",
        title=f"{n:,} photos of Fashion-MNIST, {answers} answers",
        columns=("answers", "minutes", "queue", "right by now", "random check", "from", "to"),
        rows=rows,
        note=f"Photos are PNG files. A script presses the key of the true class, {pause:g} s an "
        "answer; the first answers are given while features are computed. *Right by now* is the "
        "share of photos without an answer whose label is right; *random check* is what the "
        "studio estimates, with its interval (95 %).",
    )


def _write(folder: Path, X: AnyArray) -> None:
    from PIL import Image

    folder.mkdir()
    for row, pixels in enumerate(X):
        shades = np.rint(255 * pixels.reshape(_SIDE, _SIDE)).astype(np.uint8)
        Image.fromarray(shades).save(folder / f"{row:05}.png")


def _answered(
    desk: Desk, keys: list[str], truth: AnyArray, answers: int, pause: float
) -> list[tuple[float | str | None, ...]]:
    """Answer one row after the other, and return the lines of the table."""
    lines: list[tuple[float | str | None, ...]] = []
    begin = time.monotonic()
    n_plain = round((1 - _CHECKED) * answers)
    for number in range(1, answers + 1):
        if number == n_plain + 1:
            _wait_for_labels(desk)
            desk.page.click("#tab-check")
            desk.page.wait_for_selector("#card[data-queue=check][data-row]")
        start = time.monotonic()
        desk.press(keys[truth[desk.row()]])
        left = pause - (time.monotonic() - start)
        if left > 0:
            desk.page.wait_for_timeout(1000 * left)
        if number % max(1, answers // _LINES) == 0 or number == answers:
            queue = "random check" if number > n_plain else "label next"
            minutes = (time.monotonic() - begin) / 60
            lines.append((number, round(minutes, 1), queue, *_facts(desk, truth)))
    _wait_for_labels(desk)
    minutes = (time.monotonic() - begin) / 60
    lines.append((answers, round(minutes, 1), "at the end", *_facts(desk, truth)))
    return lines


def _wait_for_labels(desk: Desk) -> None:
    desk.wait_until(lambda: bool(desk.get("/api/state")["model"]["status"] == "ready"))


def _facts(desk: Desk, truth: AnyArray) -> tuple[float | str | None, ...]:
    classes, given = desk.labels()
    right = float(np.mean(classes[~given] == truth[~given]))
    check = desk.get("/api/state")["progress"]["check"]
    if not check["n"]:
        return right, None, None, None
    return right, check["right"] / check["n"], check["low"], check["high"]
