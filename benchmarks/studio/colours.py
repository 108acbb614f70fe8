"""From a key press to new colours: milliseconds, bytes, memory, frames."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

from benchmarks.runner.tables import Table
from benchmarks.studio.desk import Desk, opened

_N_COLUMNS = 16
_N_CLASSES = 10
_N_LABELS = 30
# The first labels make the model; then times settle.
_N_FIRST = 10
_GOALS = {10_000: 150, 100_000: 200, 1_000_000: 1500}
_FRAME_GOALS = {100_000: 33, 1_000_000: 100}
# Drags the map around for three seconds, and returns the milliseconds of every frame.
_DRAG = """async () => {
  const canvas = document.querySelector('canvas.points');
  const marks = document.querySelector('canvas.marks');
  marks.setPointerCapture = () => {};
  const edge = marks.getBoundingClientRect();
  const send = (kind, x, y) => marks.dispatchEvent(new PointerEvent(kind, {
    pointerId: 1, button: 0, clientX: edge.left + x, clientY: edge.top + y, bubbles: true}));
  const times = [];
  const watch = new MutationObserver(() => times.push(performance.now()));
  watch.observe(canvas, {attributes: true, attributeFilter: ['data-frames']});
  send('pointerdown', 200, 200);
  const end = performance.now() + 3000;
  for (let i = 0; performance.now() < end; i++) {
    send('pointermove', 200 + 60 * Math.sin(i / 10), 200 + 60 * Math.cos(i / 10));
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  send('pointerup', 200, 200);
  watch.disconnect();
  return times.slice(1).map((time, i) => time - times[i]);
}"""


def colours_tables(chromium: Path, sizes: list[int]) -> Iterator[Table]:
    """Yield a table of what an action costs at several numbers of points.

    Parameters
    ----------
    chromium : Path
        The browser.
    sizes : list of int
        Numbers of points.
    """
    yield Table(
        name="studio-colours",
        title="From a key press to new colours",
        columns=(
            "points",
            "ms to own colour",
            "ms to all colours",
            "goal",
            "slowest of ten",
            "kB an action",
            "MB of the page",
            "ms a frame",
            "goal of a frame",
        ),
        rows=[_measured(chromium, n) for n in sizes],
        note=f"{_N_CLASSES} classes, {_N_COLUMNS} columns, {_N_LABELS} labels by keys, the last "
        f"{_N_LABELS - _N_FIRST} of them measured: medians, and the 90 % quantile. Times from the "
        "key press to the frame that shows it; a frame while the map is dragged, on a canvas of "
        "the processor. Memory is that of the page's process.",
    )


def _measured(chromium: Path, n: int) -> tuple[Any, ...]:
    X, y = make_blobs(n, n_features=_N_COLUMNS, centers=_N_CLASSES, cluster_std=4.0, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "points.npz")
        np.savez(path, X=X.astype(np.float32))
        with opened(path, chromium) as desk:
            desk.wait_for_map()
            keys = desk.add_classes([f"class {number}" for number in range(_N_CLASSES)])
            received = _count_bytes(desk)
            waits, sizes = [], []
            for _ in range(_N_LABELS):
                before = received["bytes"]
                wait = desk.press_and_watch(keys[f"class {y[desk.row()]}"])
                desk.page.wait_for_timeout(700)
                waits.append(wait)
                sizes.append(received["bytes"] - before)
            memory = _memory(desk)
            frames = desk.page.evaluate(_DRAG)
    waits, sizes = waits[_N_FIRST:], sizes[_N_FIRST:]
    settled = [wait["settled"] for wait in waits]
    return (
        n,
        round(float(np.median([wait["shown"] for wait in waits]))),
        round(float(np.median(settled))),
        _GOALS.get(n),
        round(float(np.quantile(settled, 0.9))),
        round(float(np.median(sizes)) / 1000, 1),
        round(memory / 2**20),
        round(float(np.median(frames)), 1),
        _FRAME_GOALS.get(n),
    )


def _count_bytes(desk: Desk) -> dict[str, int]:
    """Return a count of the bytes that the page receives, which grows from now on."""
    found = {"bytes": 0}
    session = desk.page.context.new_cdp_session(desk.page)
    session.send("Network.enable")

    def add(event: dict[str, Any]) -> None:
        found["bytes"] += event["dataLength"]

    session.on("Network.dataReceived", add)
    return found


def _memory(desk: Desk) -> int:
    """Return the memory of the page's process in bytes, its share of what is shared included."""
    browser = desk.page.context.browser
    if browser is None:
        return 0
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    sizes = []
    for process in processes:
        rollup = Path(f"/proc/{process['id']}/smaps_rollup")
        if process["type"] == "renderer" and rollup.is_file():
            line = next(line for line in rollup.read_text().splitlines() if line.startswith("Pss:"))
            sizes.append(1024 * int(line.split()[1]))
    return max(sizes, default=0)
