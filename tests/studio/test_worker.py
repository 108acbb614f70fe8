"""The thread that owns the model."""

import threading

import numpy as np
import pytest
from studio_rows import birds

from lapoleaf import LaPOLeaFClassifier, load, save
from lapoleaf.studio import queues
from lapoleaf.studio.exporting import export
from lapoleaf.studio.opening import opened
from lapoleaf.studio.queues import queue
from lapoleaf.studio.worker import Worker


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 3)) + 12 * (np.arange(60) % 2)[:, None]


class Told:
    """Takes what the worker tells, and waits for it."""

    def __init__(self, session):
        self.session, self.news = session, threading.Condition()
        self.n = 0
        usual = session.take_result

        def take(result, state):
            usual(result, state)
            with self.news:
                self.n += 1
                self.last = state
                self.news.notify_all()

        session.take_result = take

    def wait(self):
        """Wait until the newest labels have an answer."""
        with self.news:
            assert self.news.wait_for(lambda: self.n and self.last is self.session.state, 120), (
                self.session.status
            )


def test_from_no_label_to_labels_of_all_rows(rows, tmp_path):
    session = opened(rows, project=tmp_path / "a.lapoleaf", n_jobs=1)
    told = Told(session)
    session.start()
    told.wait()
    assert session.to_json()["model"]["status"] == "none"
    first = queue(session, "next", 2)
    assert len({row % 2 for row in first["items"]}) == 2
    assert queue(session, "unsure", 2)["message"].startswith("Nothing is propagated")
    assert queue(session, "check", 2)["items"] == []
    session.act({"kind": "add_class", "name": "even"})
    session.act({"kind": "add_class", "name": "odd"})
    session.act({"kind": "label", "rows": [0], "class": 0})
    told.wait()
    assert session.to_json()["model"]["status"] == "one class"
    assert (session.view().classes >= 0).sum() == 1
    assert 0 not in queue(session, "next", 20)["items"]
    session.act({"kind": "label", "rows": [1], "class": 1})
    told.wait()
    assert session.to_json()["model"]["status"] == "ready"
    assert (session.view().classes == np.arange(60) % 2).all()
    session.act({"kind": "merge_classes", "from": 0, "into": 1})
    told.wait()
    assert session.to_json()["model"]["status"] == "one class"
    session.act({"kind": "undo"})
    told.wait()
    assert (session.view().classes == np.arange(60) % 2).all()
    session.close()


def test_the_newest_labels_win(rows, tmp_path, monkeypatch):
    """Labels that are given during a fit are taken together by the next one."""
    session = opened(rows, project=tmp_path / "a.lapoleaf", n_jobs=1)
    told, fits = Told(session), []
    go_on = threading.Event()
    usual = Worker._labelled

    def slowly(self, known, wanted, usable):
        fits.append(int((wanted >= 0).sum()))
        assert go_on.wait(60)
        return usual(self, known, wanted, usable)

    monkeypatch.setattr(Worker, "_labelled", slowly)
    session.act({"kind": "add_class", "name": "even"})
    session.act({"kind": "add_class", "name": "odd"})
    session.act({"kind": "label", "rows": [0], "class": 0})
    session.act({"kind": "label", "rows": [1], "class": 1})
    session.start()
    while not fits:
        threading.Event().wait(0.01)
    for row in range(2, 12):
        session.act({"kind": "label", "rows": [row], "class": row % 2})
    go_on.set()
    told.wait()
    assert fits == [2, 12]
    session.close()


def test_a_failure_is_told_and_labels_can_still_be_given(rows, tmp_path, monkeypatch):
    def fail(self):
        raise RuntimeError("out of luck")

    monkeypatch.setattr(Worker, "_rows", fail)
    session = opened(rows, project=tmp_path / "a.lapoleaf")
    session.start()
    session.worker.join(60)
    assert session.to_json()["model"]["status"] == "failed"
    assert "out of luck" in session.to_json()["model"]["message"]
    session.act({"kind": "add_class", "name": "a"})
    session.act({"kind": "label", "rows": [3], "class": 0})
    found = queue(session, "next", 3)
    assert (len(found["items"]), found["message"]) == (3, queues.RANDOM_WITHOUT_MODEL)
    for kind in ("doubtful", "unsure", "check"):
        assert queue(session, kind, 3)["message"] == queues.NO_MODEL
    # The page does not wait for a map that will never be there.
    assert session.to_json()["map"]["status"] == "failed"
    session.close()


def test_one_row_is_no_error_of_the_program(tmp_path):
    session = opened(birds(1), project=tmp_path / "a.lapoleaf")
    session.start()
    session.worker.join(60)
    message = session.to_json()["model"]["message"]
    assert message.startswith("There is no model. The input has one row")
    session.close()


def test_there_are_labels_without_a_map(rows, tmp_path, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError("no room")

    monkeypatch.setattr("lapoleaf.layout", fail)
    session = opened(rows, project=tmp_path / "a.lapoleaf", n_jobs=1)
    for name in "ab":
        session.act({"kind": "add_class", "name": name})
    for row in (0, 1):
        session.act({"kind": "label", "rows": [row], "class": row})
    told = Told(session)
    session.start()
    told.wait()
    assert (session.view().classes >= 0).all()
    while session.to_json()["map"]["status"] == "none":
        threading.Event().wait(0.01)
    assert session.to_json()["map"]["status"] == "failed"
    session.close()


def test_nothing_is_left_to_check_when_all_rows_have_labels(rows, tmp_path):
    session = opened(rows, project=tmp_path / "a.lapoleaf", n_jobs=1)
    for name in "ab":
        session.act({"kind": "add_class", "name": name})
    session.act({"kind": "label", "rows": list(range(0, 60, 2)), "class": 0})
    session.act({"kind": "label", "rows": list(range(1, 60, 2)), "class": 1})
    told = Told(session)
    session.start()
    told.wait()
    for kind in ("unsure", "check"):
        assert queue(session, kind, 3)["message"] == "Every row has a label."
    assert queue(session, "next", 3)["message"].startswith("Every row has a label. Doubtful lists")
    session.close()


def test_a_model_with_its_rows_goes_on_where_it_was(rows, tmp_path):
    y = np.where(np.arange(60) < 6, np.arange(60) % 2, -1)
    model = LaPOLeaFClassifier(n_jobs=1).fit(rows, y)
    save(model, tmp_path / "m.lapoleaf", rows=True)
    session = opened(tmp_path / "m.lapoleaf", n_jobs=1)
    assert session.project.path == tmp_path / "m.lapoleaf.studio.lapoleaf"
    told = Told(session)
    session.start()
    told.wait()
    assert session.state.n_given == 6
    expected = [session.state.classes[number].name for number in session.view().classes]
    assert expected == model.transduction_.astype(str).tolist()
    number = next(one.id for one in session.state.classes.values() if one.name == "0")
    session.act({"kind": "rename_class", "class": number, "name": "zero"})
    path = export(session, "model")["path"]
    kept = load(path)
    assert set(kept.classes_) == {"zero", "1"}
    assert np.array_equal(kept.transduction_ == "zero", model.transduction_ == 0)
    session.close()
    assert model.classes_.tolist() == [0, 1]


def test_the_estimated_accuracy_follows_the_labels(rows, tmp_path):
    """Labels are out first; the accuracy is in the state, and among the progress, soon after."""
    session = opened(rows, project=tmp_path / "a.lapoleaf", n_jobs=1)
    known, estimated = [], threading.Event()
    usual_result, usual_accuracy = session.take_result, session.take_accuracy

    def take_result(result, state):
        known.append(None if result is None else result.loo_accuracy)
        usual_result(result, state)

    def take_accuracy(accuracy, state):
        usual_accuracy(accuracy, state)
        if state is session.state:
            estimated.set()

    session.take_result, session.take_accuracy = take_result, take_accuracy
    for name in ("even", "odd"):
        session.act({"kind": "add_class", "name": name})
    for row in range(4):
        session.act({"kind": "label", "rows": [row], "class": row % 2})
    session.start()
    assert estimated.wait(120)
    assert known == [None]
    assert session.progress()["loo_accuracy"] == 1.0
    assert session.project.progress()[-1][3] == 1.0
    session.close()
