"""Projects without a model, and servers that are asked as a page asks them."""

import http.client
import json
import re

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from studio_rows import birds

from lapoleaf.inputs import read
from lapoleaf.studio.ledger import Ledger
from lapoleaf.studio.project import Project


@pytest.fixture(autouse=True)
def _own_list_of_projects(tmp_path_factory, monkeypatch):
    """Keep the list of recent projects of whoever runs the tests."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def table(tmp_path):
    """Return the file of a table without labels."""
    path = tmp_path / "birds.csv"
    birds().to_csv(path, index=False)
    return path


@pytest.fixture
def open_ledger(tmp_path):
    """Return a function that opens a project without a model; all are closed at the end."""
    opened = []

    def make(data, name="birds.lapoleaf", **options):
        rows = data if hasattr(data, "names") else read(data, **options)
        ledger = Ledger(rows, Project(tmp_path / name))
        opened.append(ledger)
        return ledger

    yield make
    for ledger in opened:
        ledger.close()


class Client:
    """Asks a server as a page does, over one connection."""

    def __init__(self, url):
        self.host, self.port = re.search(r"//(.+):(\d+)/", url).groups()
        self.connection = http.client.HTTPConnection(self.host, int(self.port), timeout=60)
        self.cookie = {}
        status, headers, _ = self.ask("GET", url[url.index("/?") :])
        assert status == 303
        self.cookie = {"Cookie": headers["set-cookie"].partition(";")[0]}

    def close(self):
        self.connection.close()

    @property
    def origin(self):
        return f"http://{self.host}:{self.port}"

    def ask(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body, {**self.cookie, **(headers or {})})
        answer = self.connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()

    def get(self, path):
        status, headers, body = self.ask("GET", path)
        is_json = headers.get("content-type") == "application/json"
        return status, json.loads(body) if is_json else body

    def post(self, path, value):
        is_file = isinstance(value, bytes)
        body = value if is_file else json.dumps(value)
        kind = "application/octet-stream" if is_file else "application/json"
        headers = {"Origin": self.origin, "Content-Type": kind}
        status, _, answer = self.ask("POST", path, body, headers)
        return status, json.loads(answer)

    def act(self, kind, **values):
        status, answer = self.post("/api/actions", {"kind": kind, **values})
        assert status == 200, answer
        return answer


@pytest.fixture(scope="session")
def make_client():
    return Client
