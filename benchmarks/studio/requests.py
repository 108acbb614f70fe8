"""Waiting times of requests while trees are built, and while labels are propagated."""

from __future__ import annotations

import http.client
import itertools
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from sklearn.datasets import make_blobs

from benchmarks.runner.tables import Table
from benchmarks.studio.desk import served

_N_COLUMNS = 32
_N_CLASSES = 10
_LIMIT = 50.0
# Requests a second: more than a page sends at 40 actions a minute.
_RATE = 25.0


class Asker:
    """Asks a server over one connection, as a page does, and keeps the milliseconds.

    Parameters
    ----------
    address : str
        The address with the token.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.connection = http.client.HTTPConnection(parts.netloc, timeout=600)
        self.headers = {"Origin": f"{parts.scheme}://{parts.netloc}"}
        self.connection.request("GET", f"/?{parts.query}", headers=self.headers)
        answer = self.connection.getresponse()
        answer.read()
        self.headers["Cookie"] = (answer.getheader("set-cookie") or "").partition(";")[0]
        self.headers["Content-Type"] = "application/json"
        self.waits: list[tuple[str, str, float]] = []

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def ask(self, path: str, body: Any = None) -> bytes:
        """Return the answer to a request."""
        text = None if body is None else json.dumps(body)
        self.connection.request("GET" if body is None else "POST", path, text, self.headers)
        return self.connection.getresponse().read()

    def timed(self, stage: str, kind: str, path: str, body: Any = None) -> bytes:
        """Return the answer to a request, and keep how long it took."""
        begin = time.perf_counter()
        found = self.ask(path, body)
        self.waits.append((stage, kind, 1000 * (time.perf_counter() - begin)))
        return found


def requests_table(n: int, n_requests: int) -> Table:
    """Return how many requests were answered in time, by what was asked.

    Parameters
    ----------
    n : int
        Number of rows.
    n_requests : int
        Number of requests while labels are propagated.
    """
    X, y = make_blobs(n, n_features=_N_COLUMNS, centers=_N_CLASSES, cluster_std=4.0, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "points.npz")
        np.savez(path, X=X.astype(np.float32))
        with served(path) as address, closing(Asker(address)) as asker:
            for number in range(_N_CLASSES):
                asker.ask("/api/actions", {"kind": "add_class", "name": f"class {number}"})
            for kind, *request in _requests(y, 1):
                if json.loads(asker.ask("/api/state"))["map"]["status"] == "ready":
                    break
                _paced(asker, "trees and map", kind, *request)
            for kind, *request in itertools.islice(_requests(y, 2), n_requests):
                _paced(asker, "labels", kind, *request)
    return Table(
        name="studio-requests",
        title=f"Requests during a fit of {n:,} rows",
        columns=("while", "asked for", "requests", "median ms", "99 % within ms", "within 50 ms"),
        rows=list(_rows(asker.waits)),
        note=f"{_N_COLUMNS} columns, {_RATE:g} requests a second over one connection; every sixth "
        "is a new label, so that labels are propagated nearly all the time.",
    )


def _requests(y: Any, seed: int) -> Iterator[tuple[Any, ...]]:
    """Yield what a page asks for, again and again: kind, path, body."""
    rng = np.random.default_rng(seed)
    while True:
        row, other = (int(one) for one in rng.integers(len(y), size=2))
        yield "action", "/api/actions", {"kind": "label", "rows": [row], "class": int(y[row])}
        yield "labels", "/api/labels"
        yield "queue", "/api/queue?kind=next&n=12"
        yield "card", f"/api/rows/{other}"
        yield "rows", f"/api/show?rows={row},{other}"
        yield "state", "/api/state"


def _paced(asker: Asker, stage: str, kind: str, *request: Any) -> None:
    begin = time.perf_counter()
    asker.timed(stage, kind, *request)
    time.sleep(max(0.0, 1 / _RATE - (time.perf_counter() - begin)))


def _rows(waits: list[tuple[str, str, float]]) -> Iterator[tuple[Any, ...]]:
    for stage in dict.fromkeys(one[0] for one in waits):
        kinds = dict.fromkeys(kind for other, kind, _ in waits if other == stage)
        for chosen in [*([kind] for kind in kinds), list(kinds)]:
            times = np.array([ms for other, kind, ms in waits if other == stage and kind in chosen])
            yield (
                stage,
                chosen[0] if len(chosen) == 1 else "all",
                len(times),
                round(float(np.median(times)), 1),
                round(float(np.quantile(times, 0.99)), 1),
                float(np.mean(times <= _LIMIT)),
            )
