"""A server that is killed at any moment: nothing confirmed is lost, and no action is half done."""

import http.client
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from typing import NamedTuple

import pytest
from studio_rows import birds

from lapoleaf.inputs import read
from lapoleaf.inputs.projects import labels_of_rows, read_project

# Without a model a server starts in a fraction of the time.
_WITHOUT_MODEL = "from lapoleaf.studio.worker import Worker; Worker.run = lambda self: None; "
_RUN = "import sys; from lapoleaf.cli import main; sys.exit(main(sys.argv[1:]))"
N = 300
BLOCK = 50


class Snapshot(NamedTuple):
    """What a file should hold: names of classes, and labels of rows by these names."""

    classes: tuple[str, ...] = ()
    labels: tuple[tuple[int, str], ...] = ()

    def relabelled(self, rows, name):
        """Return the snapshot after rows got a label, or lost it."""
        labels = {**dict(self.labels), **dict.fromkeys(rows, name)}
        return self._replace(labels=tuple((row, one) for row, one in labels.items() if one))

    def renamed(self, old, new):
        """Return the snapshot after a class got a new name, that of another, or none."""
        classes = tuple(new if one == old else one for one in self.classes)
        labels = tuple((row, new if one == old else one) for row, one in self.labels)
        kept = tuple((row, one) for row, one in labels if one)
        return Snapshot(tuple(dict.fromkeys(filter(None, classes))), kept)

    @property
    def content(self):
        """What can be compared with a file."""
        return set(self.classes), dict(self.labels)


class History(NamedTuple):
    """All snapshots so far, and which of them counts: undo and redo move along."""

    snapshots: tuple[Snapshot, ...] = (Snapshot(),)
    place: int = 0

    @property
    def now(self):
        return self.snapshots[self.place]

    def done(self, snapshot):
        return History((*self.snapshots[: self.place + 1], snapshot), self.place + 1)

    def moved(self, step):
        return self._replace(place=self.place + step)


class Person(threading.Thread):
    """Labels rows, changes classes, undoes and does again until the server is gone."""

    def __init__(self, client, history, seed):
        super().__init__(daemon=True)
        self.client, self.random = client, random.Random(seed)
        self.names = (f"class {seed} {number}" for number in itertools.count())
        self.confirmed = self.wanted = history
        self.kinds = []
        self.has_begun = threading.Event()

    def run(self):
        try:
            while True:
                state = self.client.get("/api/state")[1]
                ids = {one["name"]: one["id"] for one in state["classes"]}
                body, wanted = self.next_action(ids)
                # What is there if the action is done; it is on the way until it is confirmed.
                self.wanted = wanted
                self.client.act(**body)
                self.confirmed = self.wanted
                self.kinds.append(body["kind"])
                self.has_begun.set()
        except (OSError, http.client.HTTPException, ValueError):
            self.client.close()

    def next_action(self, ids):
        """Return what to ask for, and the history after it."""
        history, now = self.confirmed, self.confirmed.now
        chance = self.random.random()
        if chance < 0.15 and history.place:
            return {"kind": "undo"}, history.moved(-1)
        if chance < 0.25 and history.place + 1 < len(history.snapshots):
            return {"kind": "redo"}, history.moved(1)
        if len(now.classes) < 2 or (chance < 0.3 and len(now.classes) < 6):
            name = next(self.names)
            added = now._replace(classes=(*now.classes, name))
            return {"kind": "add_class", "name": name}, history.done(added)
        if chance < 0.4:
            return self.change_of_classes(ids)
        return self.label(ids)

    def label(self, ids):
        """Return what to ask for so that some labels change."""
        now = labelled = self.confirmed.now
        # An action that changes nothing could not be told from one that was lost.
        while labelled.content == now.content:
            begin = self.random.randrange(N - BLOCK)
            rows = list(range(begin, begin + self.random.choice([1, 1, 1, BLOCK])))
            name = self.random.choice([None, *now.classes, *now.classes])
            labelled = now.relabelled(rows, name)
        body = {"kind": "label", "rows": rows, "class": ids.get(name)}
        return body, self.confirmed.done(labelled)

    def change_of_classes(self, ids):
        """Return what to ask for so that a class is renamed, merged or deleted."""
        history, now = self.confirmed, self.confirmed.now
        one, other = self.random.sample(now.classes, 2)
        kind = self.random.choice(["rename_class", "merge_classes", "delete_class"])
        if kind == "rename_class":
            name = next(self.names)
            body = {"kind": kind, "class": ids[one], "name": name}
            return body, history.done(now.renamed(one, name))
        if kind == "merge_classes":
            body = {"kind": kind, "from": ids[one], "into": ids[other]}
            return body, history.done(now.renamed(one, other))
        return {"kind": kind, "class": ids[one]}, history.done(now.renamed(one, None))


def start(path, before=""):
    """Start the command, and return the process and the address."""
    arguments = ["studio", str(path), "--id", "ring", "--no-browser"]
    process = subprocess.Popen(
        [sys.executable, "-c", before + _RUN, *arguments], stdout=subprocess.PIPE, text=True
    )
    line = process.stdout.readline()
    return process, line.split()[-1]


def content_of(path):
    """Return the classes and labels that are in the project of a table."""
    project = read_project(f"{path}.lapoleaf")
    known = labels_of_rows(read(path, id="ring"), project).known
    labels = {row: label for row, label in known.items() if label is not None}
    return set(project.classes.values()), labels


def killed_again_and_again(tmp_path, make_client, n_kills, before, seed):
    """Kill a server several times at random moments, and look at the file after each.

    Returns
    -------
    kinds : Counter
        How many actions of each kind were confirmed.
    """
    path = tmp_path / "birds.csv"
    birds(N).to_csv(path, index=False)
    chance = random.Random(seed)
    history, kinds = History(), Counter()
    for kill in range(n_kills):
        process, url = start(path, before)
        try:
            person = Person(make_client(url), history, f"{seed} {kill}")
            person.start()
            assert person.has_begun.wait(60)
            time.sleep(chance.random() * 0.5)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        person.join(60)
        assert not person.is_alive()
        kinds.update(person.kinds)
        found = content_of(path)
        possible = [person.wanted, person.confirmed]
        history = next((one for one in possible if one.now.content == found), None)
        assert history is not None, (kill, found, [one.now for one in possible])
    return kinds


@pytest.mark.slow
def test_killed_three_times(tmp_path, make_client):
    kinds = killed_again_and_again(tmp_path, make_client, 3, _WITHOUT_MODEL, 0)
    assert kinds.total() >= 3


@pytest.mark.slow
def test_killed_fifty_times(tmp_path, make_client):
    kinds = killed_again_and_again(tmp_path, make_client, 50, "", 1)
    assert kinds.total() >= 50
    assert {"label", "undo", "redo", "add_class", "merge_classes", "delete_class"} <= set(kinds)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_asked_to_end_it_leaves_one_complete_file(tmp_path, make_client, name):
    """As by Ctrl-C, by a machine that is shut down, and by a terminal that is closed."""
    path = tmp_path / "birds.csv"
    birds(N).to_csv(path, index=False)
    process, url = start(path, _WITHOUT_MODEL)
    client = make_client(url)
    client.act("add_class", name="tit")
    client.act("label", rows=[3], **{"class": 0})
    client.close()
    process.send_signal(getattr(signal, name))
    assert process.wait(60) == 130
    process.stdout.close()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["birds.csv", "birds.csv.lapoleaf"]
    assert content_of(path) == ({"tit"}, {3: "tit"})


_FORGOTTEN = """
import sys
import numpy as np
from lapoleaf.studio import serve

server = serve(np.eye(9), project=sys.argv[1], browser=False, block=False, n_jobs=1)
server._studio.session.act({"kind": "add_class", "name": "tit"})
"""


@pytest.mark.slow
def test_a_program_that_forgets_to_close_leaves_one_complete_file(tmp_path):
    subprocess.run([sys.executable, "-c", _FORGOTTEN, tmp_path / "a.lapoleaf"], check=True)
    assert [one.name for one in tmp_path.iterdir()] == ["a.lapoleaf"]
    assert read_project(tmp_path / "a.lapoleaf").classes == {0: "tit"}
