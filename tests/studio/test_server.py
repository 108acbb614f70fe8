"""A server, asked as a page asks it, from no project to labels of all rows."""

import json
import struct
import time

import numpy as np
import pytest
from studio_rows import birds

from lapoleaf.inputs.projects import read_project
from lapoleaf.inputs.row_keys import RowKey
from lapoleaf.studio import serve
from lapoleaf.studio.serving import make_server


@pytest.fixture(scope="module")
def client(tmp_path_factory, make_client):
    """Return a client of a server on a table with a few labels, when all rows have one."""
    path = tmp_path_factory.mktemp("server") / "birds.csv"
    kinds = [None] * 40
    kinds[0], kinds[1] = "<b>tit</b>", "crow"
    birds().assign(kind=kinds).to_csv(path, index=False)
    with serve(path, label="kind", id="ring", browser=False, block=False, n_jobs=1) as server:
        client = make_client(server.url)
        client.path, client.url = path, server.url
        wait_for(client, lambda state: state["model"]["status"] == "ready")
        wait_for(client, lambda state: state["map"]["status"] == "ready")
        yield client
        client.close()


def wait_for(client, is_so, seconds=120):
    """Return the state as soon as something is so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state = client.get("/api/state")[1]
        if is_so(state):
            return state
        time.sleep(0.02)
    raise AssertionError(state)


def card_of(client, row):
    """Return the card of a row, with reasons."""
    while True:
        card = client.get(f"/api/rows/{row}")[1]
        if not card["waiting"]:
            return card


def unpacked(body):
    """Return the header, classes, confidences and bits of labels."""
    revision, n, n_classes, wide = struct.unpack("<IIII", body[:16])
    assert not wide
    classes = np.frombuffer(body, np.uint8, n, 16)
    confidence = np.frombuffer(body, np.uint8, n, 16 + n)
    given = np.unpackbits(np.frombuffer(body, np.uint8, -1, 16 + 2 * n), bitorder="little")
    return revision, n_classes, classes, confidence, given[:n].astype(bool)


def test_the_state(client):
    status, state = client.get("/api/state")
    assert status == 200
    assert (state["name"], state["kind"], state["n_rows"]) == ("birds.csv", "table", 40)
    assert [info["name"] for info in state["classes"]] == ["<b>tit</b>", "crow"]
    assert sum(state["counts"]["labelled"]) == 40
    assert state["progress"]["check"] == {"n": 0, "right": 0, "low": 0.0, "high": 1.0}


def test_labels_and_positions_are_bytes(client):
    revision, n_classes, classes, confidence, given = unpacked(client.get("/api/labels")[1])
    state = client.get("/api/state")[1]
    assert (revision, n_classes) == (state["revision"], 2)
    assert np.flatnonzero(given).tolist() == [0, 1]
    assert (classes == np.arange(40) % 2).all()
    assert (confidence[given] == 255).all()
    status, headers, body = client.ask("GET", "/api/map/positions")
    places = np.frombuffer(body, "<f4").reshape(40, 2)
    assert status == 200
    assert np.abs(places).max() == pytest.approx(1.0)
    again = client.ask("GET", "/api/map/positions", None, {"If-None-Match": headers["etag"]})
    assert again[0] == 304


def test_a_card_has_all_about_a_row(client):
    card = card_of(client, 6)
    assert card["name"] == "R006"
    assert ["note", "seen at pond 6"] in card["show"]["cells"]
    assert card["label"]["id"] == 0
    assert card["label"]["words"]
    assert card["given"] is None
    assert {decider["row"] for decider in card["decided_by"]} == {0, 1}
    assert sum(decider["contribution"] for decider in card["decided_by"]) == pytest.approx(1.0)
    assert card["path"][0] == 6
    assert card["path"][-1] in (0, 1)
    assert len(card["neighbours"]) == 6
    distances = [item["distance"] for item in card["neighbours"]]
    assert distances == sorted(distances)
    shown = client.get("/api/show?rows=0,6")[1]["rows"]
    assert [item["given"] for item in shown] == [True, False]
    assert card["others"] is None


def test_a_card_of_a_given_label_has_what_the_others_predict(client):
    client.act("label", rows=[30], **{"class": 1})
    wait_for(client, lambda state: state["model"]["status"] == "ready")
    card = card_of(client, 30)
    assert card["given"] == 1
    # Without its label: of two others, the row that is like it.
    assert set(card["others"]) == {"id", "confidence"}
    assert 30 not in {decider["row"] for decider in card["decided_by"]}
    assert {decider["row"] for decider in card["decided_by"]} <= {0, 1}
    client.act("undo")
    wait_for(client, lambda state: state["model"]["status"] == "ready")
    assert card_of(client, 30)["others"] is None


def test_a_label_counts_at_once_and_changes_others(client):
    before = client.get("/api/state")[1]
    answer = client.act("add_class", name="owl")
    owl = answer["class"]
    client.act("label", rows=[4, 5, 6], **{"class": owl})
    _, _, classes, confidence, given = unpacked(client.get("/api/labels")[1])
    assert (classes[[4, 5, 6]] == owl).all()
    assert given[[4, 5, 6]].all()
    assert (confidence[[4, 5, 6]] == 255).all()
    state = wait_for(client, lambda state: state["model"]["status"] == "ready")
    assert state["undo_text"] == "label 3 rows as owl"
    assert client.get("/api/queue?kind=changed&n=5")[1]["items"]
    assert client.act("undo")["state"]["redo_text"] == "label 3 rows as owl"
    client.act("undo")
    state = wait_for(client, lambda state: state["model"]["status"] == "ready")
    assert state["counts"]["given"] == before["counts"]["given"]


def test_a_copy_of_the_project_is_complete_while_the_studio_is_open(client, tmp_path):
    client.act("label", rows=[12], **{"class": 0})
    project, copy = client.path.with_name("birds.csv.lapoleaf"), tmp_path / "copy.lapoleaf"
    key, end = RowKey("=R012", 0), time.monotonic() + 60
    while True:
        copy.write_bytes(project.read_bytes())
        if read_project(copy).labels.get(key) == 0:
            break
        assert time.monotonic() < end
        # A connection that is not used for some seconds is closed by the server.
        client.get("/api/state")
        time.sleep(0.05)
    client.act("undo")
    wait_for(client, lambda state: state["model"]["status"] == "ready")


@pytest.mark.parametrize("kind", ["next", "unsure", "check", "doubtful", "changed"])
def test_queues(client, kind):
    status, queue = client.get(f"/api/queue?kind={kind}&n=4")
    assert status == 200
    assert queue["kind"] == kind
    rows = [item["row"] if kind == "check" else item for item in queue["items"]]
    assert len(rows) == len(set(rows)) == (0 if kind == "doubtful" else len(rows))
    assert not {0, 1} & set(rows)
    assert queue["items"] or queue["message"]
    if kind in ("next", "unsure", "check"):
        assert len(rows) == 4


def test_a_random_check_compares_with_what_was_shown(client):
    first, second = client.get("/api/queue?kind=check&n=2")[1]["items"]
    assert client.get("/api/queue?kind=check&n=2")[1]["items"] == [first, second]
    client.act("answer_check", row=first["row"], **{"class": first["shown"]})
    client.act("answer_check", row=second["row"], **{"class": 1 - second["shown"]})
    check = client.get("/api/state")[1]["progress"]["check"]
    assert (check["n"], check["right"]) == (2, 1)
    assert check["low"] == pytest.approx(0.0945, abs=1e-3)
    assert check["high"] == pytest.approx(0.9055, abs=1e-3)
    client.act("undo")
    client.act("undo")
    assert client.get("/api/state")[1]["progress"]["check"]["n"] == 0
    wait_for(client, lambda state: state["model"]["status"] == "ready")
    assert client.get("/api/history")[1]["points"]


def test_search_finds_names_cells_numbers_and_classes(client):
    assert client.get("/api/search?q=r007")[1]["rows"] == [7]
    assert client.get("/api/search?q=POND%203")[1]["rows"] == [3, 10, 17, 24, 31, 38]
    assert len(client.get("/api/search?q=crow")[1]["rows"]) == 20
    weight = birds()["weight"][5]
    assert 5 in client.get(f"/api/search?q={weight}")[1]["rows"]
    assert client.get("/api/search?q=%20")[1]["rows"] == []
    assert client.get(f"/api/search?q={'x' * 300}")[0] == 400


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/rows/40", 404),
        ("/api/rows/-1", 404),
        ("/api/rows/0x1", 404),
        ("/api/rows/1/thumbnail", 404),
        ("/api/queue?kind=all", 400),
        ("/api/queue?n=0", 400),
        ("/api/queue?n=99999", 400),
        ("/api/queue?n=a", 400),
        ("/api/show?rows=" + ",".join("1" * 101), 400),
        ("/api/export?format=exe", 400),
        ("/api/export?format=model", 405),
        ("/api/nothing", 404),
        ("/api/actions", 405),
        ("/page/../session.py", 404),
        ("/page/%2e%2e/session.py", 404),
        ("/page/..%2fsession.py", 404),
        ("/page//etc/passwd", 404),
        ("/page/js", 404),
        ("/page/.hidden.js", 404),
        ("/page/session.py", 404),
    ],
)
def test_what_is_not_there(client, path, status):
    found, answer = client.get(path)
    assert found == status
    assert answer["error"].endswith(".")


def test_a_page_of_another_project_is_refused(client):
    """Its rows have the same numbers and are others."""
    session = client.get("/api/state")[1]["session"]
    body = {"kind": "label", "rows": [8], "class": 0}
    status, answer = client.post("/api/actions?session=another", body)
    assert (status, answer["error"]) == (
        409,
        "another project is open here now: load this page again.",
    )
    assert client.get(f"/api/rows/8?session={session}")[0] == 200
    assert client.get("/api/rows/8?session=another")[0] == 409
    # What a browser keeps of one project is not taken for that of another.
    assert session in client.ask("GET", "/api/map/positions")[1]["etag"]


def test_what_writes_files_is_asked_by_post_with_an_origin(client):
    path = "/api/export?format=model"
    assert client.ask("POST", path, "{}", {"Content-Type": "application/json"})[0] == 403
    assert not list(client.path.parent.glob("*model*"))
    status, answer = client.post(path, {})
    assert (status, answer["n"]) == (200, 40)
    assert [str(one) for one in client.path.parent.glob("*model*")] == [answer["path"]]
    assert client.post("/api/export?format=csv", {})[0] == 405


def test_the_page_and_its_files(client):
    status, headers, body = client.ask("GET", "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"<" in body
    status, headers, _ = client.ask("GET", "/page/style.css")
    assert headers["content-type"] == "text/css; charset=utf-8"
    same = client.ask("GET", "/page/style.css", None, {"If-None-Match": headers["etag"]})
    assert same[0] == 304


def test_bad_requests(client):
    headers = {"Origin": client.origin}
    for body, kind, status in [
        ("{}", "text/plain", 415),
        ("{", "application/json", 400),
        ("[1]", "application/json", 400),
        ("[" * 100_000, "application/json", 400),
        ('{"kind": "label"}', "application/json", 400),
    ]:
        answer = client.ask("POST", "/api/actions", body, {**headers, "Content-Type": kind})
        assert answer[0] == status, (body[:9], answer)
    large = b" " * (33 * 2**20)
    headers["Content-Type"] = "application/json"
    assert client.ask("POST", "/api/actions", large, headers)[0] == 413
    client.close()


def test_events_tell_of_a_label(client, make_client):
    listener = make_client(client.url)
    listener.connection.request("GET", "/api/events", headers=listener.cookie)
    stream = listener.connection.getresponse()
    assert stream.getheader("content-type").startswith("text/event-stream")

    def events_until(kind):
        while True:
            line = stream.readline().decode()
            if line.startswith("event: "):
                name = line.removeprefix("event: ").strip()
                data = json.loads(stream.readline().decode().removeprefix("data: "))
                if name == kind:
                    return data

    # A page that comes late hears of the labels and of the map, too.
    assert events_until("state")["n_rows"] == 40
    assert events_until("labels")["settled"]
    assert events_until("map")["revision"] == 1
    answer = client.act("label", rows=[8], **{"class": 0})
    assert events_until("labels")["revision"] == answer["revision"]
    client.act("undo")
    stream.close()
    listener.close()
    wait_for(client, lambda state: state["model"]["status"] == "ready")


def test_the_start_page(tmp_path, monkeypatch, make_client):
    monkeypatch.chdir(tmp_path)
    server = make_server(n_jobs=1)
    server.start()
    client = make_client(server.url)
    assert client.get("/api/state") == (409, {"error": "no project is open."})
    assert client.get("/api/recent") == (200, {"projects": []})
    assert b"<" in client.get("/")[1]
    for path in ("nowhere.csv", "", 7, "a\0b"):
        assert client.post("/api/open", {"path": path})[0] == 400
    content = birds().to_csv(index=False).encode()
    status, answer = client.post("/api/upload?name=..%2F..%2F.evil%2Fbirds.csv", content)
    assert (status, answer["path"]) == (200, str(tmp_path / "birds.csv"))
    assert client.post("/api/upload?name=birds.csv", b"x")[1]["path"].endswith("birds-2.csv")
    assert client.post("/api/open", {"path": str(tmp_path / "birds-2.csv")})[0] == 400
    assert client.post("/api/open", {"path": answer["path"], "id": "ring"}) == (200, {"ok": True})
    assert client.get("/api/state")[1]["n_rows"] == 40
    projects = client.get("/api/recent")[1]["projects"]
    assert [project["name"] for project in projects] == ["birds.csv"]
    # What is open already stays open, whether it is named by its rows or by its project.
    session = client.get("/api/state")[1]["session"]
    for path in (projects[0]["path"], answer["path"]):
        assert client.post("/api/open", {"path": path}) == (200, {"ok": True})
        assert client.get("/api/state")[1]["session"] == session
    # With other columns it is opened again.
    assert client.post("/api/open", {"path": answer["path"], "id": "nest"})[0] == 400
    assert client.get("/api/state")[0] == 409
    assert client.post("/api/open", {"path": answer["path"], "id": "ring"}) == (200, {"ok": True})
    assert client.get("/api/state")[1]["session"] != session
    client.close()
    server.close()
    assert not list(tmp_path.glob(".*lock"))
