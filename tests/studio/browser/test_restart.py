"""A server that is killed at any moment: nothing that was confirmed is lost, nothing is half."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

N_KILLS = 5


class Killable:
    """A server in a process of its own."""

    def __init__(self, table):
        self.table = table

    def start(self, port="0"):
        command = [sys.executable, "-m", "lapoleaf.cli", "studio", str(self.table)]
        self.process = subprocess.Popen(
            [*command, "--id", "name", "--port", port, "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        for line in self.process.stdout:
            found = re.search(r"http://\S+token=\S+", line)
            if found:
                return found[0]
        raise AssertionError("the server gave no address")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def server(table):
    one = Killable(table)
    yield one
    one.kill()


def test_kill_and_reload(server, desk):
    rng = random.Random(0)
    given = {}
    for kill in range(N_KILLS):
        page = desk(server.start(), is_peaceful=False)
        if kill == 0:
            for name in ("apple", "berry", "cherry"):
                page.add_class(name)
        rows = page.page.request.get(f"{page.origin}/api/show?rows={','.join(map(str, range(60)))}")
        found = {one["row"]: one["class"] for one in rows.json()["rows"] if one["given"]}
        # The last label may be on the disk before its confirmation was read.
        sent = given.pop("sent", {})
        assert given.items() <= found.items() <= {**given, **sent}.items()
        given = dict(found)
        confirmed = []
        page.page.on("response", lambda answer, kept=confirmed: kept.append(answer)
                     if answer.url.endswith("/api/actions") and answer.ok else None)  # fmt: skip
        pressed = []
        for _ in range(rng.randint(1, 5)):
            key = rng.choice("123")
            pressed.append((page.row(), int(key) - 1))
            page.label(key)
        if rng.random() < 0.5:
            page.wait_until_saved()
        server.kill()
        page.page.wait_for_timeout(200)
        given.update(pressed[: len(confirmed)])
        given["sent"] = dict(pressed)
        page.page.wait_for_selector("#offline:not([hidden])")
    server.start()


def test_a_label_that_is_not_saved_is_taken_back(server, desk):
    page = desk(server.start(), is_peaceful=False)
    page.add_class("apple")
    page.label("1")
    page.wait_for_text("#n-given", "1")
    row = page.row()
    server.kill()
    page.page.wait_for_selector("#offline:not([hidden]) >> text=the page tries again")
    page.press("1")
    page.note(f"The label of Row {row + 1} is not saved.")
    page.wait_for_text("#saved", "not connected")
    # The sentence is not pushed out by others that are all the same.
    page.page.wait_for_timeout(1500)
    notes = page.page.locator("#notes .note").all_inner_texts()
    assert len(notes) == len(set(notes))
    assert any("is not saved" in text for text in notes)
    page.wait_for_text("[data-counts='0'] b", "1")
    page.wait_for_text("#n-unlabelled", "59")
    assert not [text for text in page.complaints if "Uncaught" in text]


def test_a_page_of_a_server_that_was_started_again_says_what_to_do(server, desk):
    page = desk(server.start(), is_peaceful=False)
    port = page.origin.rpartition(":")[2]
    server.kill()
    page.page.wait_for_selector("#offline:not([hidden])")
    server.start(port)
    page.page.wait_for_selector("#offline >> text=open the address that it has printed")


def test_ending_it_with_a_page_open_is_no_error(server, desk):
    page = desk(server.start(), is_peaceful=False)
    page.add_class("apple")
    page.label("1")
    page.wait_until_saved()
    server.process.send_signal(signal.SIGINT)
    said = server.process.stdout.read()
    assert "Traceback" not in said
    assert "ERROR" not in said
    assert server.process.wait(60) == 130, said
    page.page.wait_for_selector("#offline:not([hidden]) >> text=Nothing that was saved is lost")
