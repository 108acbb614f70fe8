"""The project file: private, durable, one studio a file, and found again by changed inputs."""

import sqlite3
import stat

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from studio_rows import birds

from lapoleaf import LoDOG
from lapoleaf.inputs.projects import is_project, read_project
from lapoleaf.studio.ledger import NothingToDo
from lapoleaf.studio.opening import opened
from lapoleaf.studio.project import Project


def labels_by(ledger, data, column):
    """Return labels by what is in a column."""
    names = {number: info.name for number, info in ledger.state.classes.items()}
    cells = data[column].tolist()
    rows = np.flatnonzero(ledger.state.given >= 0).tolist()
    return {cells[row]: names[ledger.state.given[row]] for row in rows}


def labelled(open_ledger, data, **options):
    """Label three rows, close, and return their labels by weight."""
    ledger = open_ledger(data, **options)
    ledger.act({"kind": "add_class", "name": "tit"})
    ledger.act({"kind": "add_class", "name": "crow"})
    ledger.act({"kind": "label", "rows": [0, 7], "class": 0})
    ledger.act({"kind": "label", "rows": [9], "class": 1})
    found = labels_by(ledger, data, "weight")
    ledger.close()
    assert len(found) == 3
    return found


def test_the_file_is_private_and_every_commit_reaches_the_disk(tmp_path):
    project = Project(tmp_path / "a.lapoleaf")
    ask = project._connection.execute
    assert ask("PRAGMA journal_mode").fetchone() == ("wal",)
    assert ask("PRAGMA synchronous").fetchone() == (2,)
    project.set_meta({"a": 1})
    files = [path for path in tmp_path.iterdir() if path.name.startswith("a.lapoleaf")]
    assert len(files) >= 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    assert is_project(project.path)
    project.close()
    assert [path.name for path in tmp_path.iterdir()] == ["a.lapoleaf"]


def test_one_studio_a_file(tmp_path):
    first = Project(tmp_path / "a.lapoleaf")
    with pytest.raises(ValueError, match="is open in another studio"):
        Project(tmp_path / "a.lapoleaf")
    (tmp_path / "link.lapoleaf").symlink_to("a.lapoleaf")
    with pytest.raises(ValueError, match="is open in another studio"):
        Project(tmp_path / "link.lapoleaf")
    read_project(tmp_path / "a.lapoleaf")
    first.close()
    Project(tmp_path / "a.lapoleaf").close()


def test_files_of_others_are_left_alone(tmp_path):
    (tmp_path / "model.lapoleaf").write_bytes(b"PK\x03\x04 a model")
    with pytest.raises(ValueError, match="is not a project of the studio"):
        Project(tmp_path / "model.lapoleaf")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE mine (a)")
    other.close()
    with pytest.raises(ValueError, match="is not a project of the studio"):
        Project(tmp_path / "other.db")
    with pytest.raises(FileNotFoundError, match="no folder"):
        Project(tmp_path / "nowhere" / "a.lapoleaf")
    assert (tmp_path / "model.lapoleaf").read_bytes() == b"PK\x03\x04 a model"


def test_a_later_version_is_refused(tmp_path):
    Project(tmp_path / "a.lapoleaf").close()
    connection = sqlite3.connect(tmp_path / "a.lapoleaf")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ValueError, match="later version"):
        Project(tmp_path / "a.lapoleaf")
    with pytest.raises(ValueError, match="later version"):
        read_project(tmp_path / "a.lapoleaf")
    assert not list(tmp_path.glob(".*lock"))


def test_a_failed_action_leaves_nothing_behind(open_ledger, monkeypatch):
    ledger = open_ledger(birds())
    ledger.act({"kind": "add_class", "name": "tit"})
    before = ledger.state

    def fail(*_):
        raise sqlite3.OperationalError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("lapoleaf.studio.project._set_meta", fail)
        with pytest.raises(sqlite3.OperationalError):
            ledger.act({"kind": "label", "rows": [1, 2], "class": 0})
    assert ledger.state is before
    assert ledger.project.labels() == {}
    assert ledger.project.to_undo()[1] == "add class tit"


@pytest.mark.parametrize("options", [{}, {"id": "ring"}])
def test_labels_survive_sorted_and_extended_inputs(open_ledger, options):
    data = birds()
    labels = labelled(open_ledger, data, **options)
    more = pd.concat([birds(8, seed=5).assign(ring=[f"X{k}" for k in range(8)]), data])
    changed = more.sample(frac=1.0, random_state=3).reset_index(drop=True)
    changed = changed[["wing", "note", "ring", "weight"]]
    ledger = open_ledger(changed, **options)
    assert labels_by(ledger, changed, "weight") == labels
    assert not ledger.state.lost


@pytest.mark.parametrize("options", [{}, {"id": "ring"}])
def test_labels_survive_a_further_column_and_numbers_written_as_text(open_ledger, options):
    data = birds()
    labels = labelled(open_ledger, data, **options)
    text = data.assign(weight=data["weight"].map("{:.3f}".format), age=1)
    ledger = open_ledger(text, **options)
    found = labels_by(ledger, text, "weight")
    assert {float(weight): name for weight, name in found.items()} == labels


@pytest.mark.parametrize("options", [{}, {"id": "ring"}])
def test_labels_follow_rows_that_are_corrected(open_ledger, options):
    data = birds()
    labelled(open_ledger, data, **options)
    data.loc[[7, 8, 30], "note"] = "seen at sea"
    ledger = open_ledger(data, **options)
    assert labels_by(ledger, data, "ring") == {"R000": "tit", "R007": "tit", "R009": "crow"}
    assert not ledger.state.lost
    ledger.act({"kind": "undo"})
    ledger.act({"kind": "undo"})
    assert ledger.state.n_given == 0


@pytest.mark.parametrize("options", [{}, {"id": "ring"}])
def test_labels_of_rows_that_are_gone_are_listed_and_come_back(open_ledger, options):
    data = birds()
    labels = labelled(open_ledger, data, **options)
    fewer = data.drop(index=[7]).reset_index(drop=True)
    ledger = open_ledger(fewer, **options)
    assert list(ledger.state.lost.values()) == [0]
    assert ledger.state.n_given == 2
    ledger.act({"kind": "delete_class", "class": 0})
    assert not ledger.state.lost
    ledger.act({"kind": "undo"})
    ledger.close()
    ledger = open_ledger(data, **options)
    assert labels_by(ledger, data, "weight") == labels


@pytest.mark.parametrize("options", [{}, {"id": "ring"}])
def test_a_table_without_all_labelled_rows_is_the_same_table(open_ledger, options):
    data = birds()
    labelled(open_ledger, data, **options)
    ledger = open_ledger(data.drop(index=[0, 7, 9]).reset_index(drop=True), **options)
    assert (ledger.state.n_given, len(ledger.state.lost)) == (0, 3)


def test_what_was_undone_follows_corrected_rows_too(open_ledger):
    data = birds()
    ledger = open_ledger(data)
    ledger.act({"kind": "add_class", "name": "tit"})
    ledger.act({"kind": "label", "rows": [7], "class": 0})
    ledger.act({"kind": "undo"})
    ledger.close()
    data.loc[7, "note"] = "seen at sea"
    ledger = open_ledger(data)
    ledger.act({"kind": "redo"})
    assert np.flatnonzero(ledger.state.given >= 0).tolist() == [7]
    assert not ledger.state.lost


def test_a_class_that_the_input_uses_by_now_stays(open_ledger):
    data = birds().assign(kind=None)
    ledger = open_ledger(data, label="kind")
    ledger.act({"kind": "add_class", "name": "tit"})
    ledger.close()
    ledger = open_ledger(data.assign(kind=["tit", *[None] * 39]), label="kind")
    with pytest.raises(NothingToDo, match="'tit' cannot be taken back"):
        ledger.act({"kind": "undo"})
    assert ledger.state.counts() == {0: 1}
    ledger.act({"kind": "delete_class", "class": 0})
    ledger.act({"kind": "undo"})
    assert ledger.state.counts() == {0: 1}


def test_equal_rows_are_told_apart_by_their_order(open_ledger):
    data = np.zeros((4, 2))
    ledger = open_ledger(data)
    ledger.act({"kind": "add_class", "name": "a"})
    ledger.act({"kind": "label", "rows": [2], "class": 0})
    ledger.close()
    assert open_ledger(data).state.given.tolist() == [-1, -1, 0, -1]


def test_another_table_is_refused(open_ledger):
    labelled(open_ledger, birds())
    with pytest.raises(ValueError, match="labels of other rows"):
        open_ledger(birds(seed=9))


def test_labels_of_the_input_are_taken_once(open_ledger):
    data = birds().assign(kind=["tit" if row < 3 else None for row in range(40)])
    ledger = open_ledger(data, label="kind")
    assert ledger.state.n_given == 3
    assert ledger.project.to_undo() is None
    ledger.act({"kind": "label", "rows": [0], "class": None})
    ledger.close()
    data.loc[20, "kind"] = "crow"
    ledger = open_ledger(data, label="kind")
    # The label that a person took back stays so; the new one is there.
    assert np.flatnonzero(ledger.state.given >= 0).tolist() == [1, 2, 20]


def test_numbers_to_predict_are_no_classes(open_ledger):
    with pytest.raises(ValueError, match="the studio is for classes"):
        open_ledger(birds(), label="weight")


def test_hostile_labels_become_names_that_can_be_shown(open_ledger):
    names = ["a\0b\x1b[2J", "<script>alert(1)</script>", "=1+1", "../../etc", "x" * 999]
    data = birds(5).assign(kind=names)
    ledger = open_ledger(data, label="kind")
    classes = ledger.state.classes
    found = [classes[number].name for number in ledger.state.given.tolist()]
    assert found[0] == "a\ufffdb\ufffd[2J"
    assert found[1:4] == names[1:4]
    assert found[4:] == ["x" * 200]


def test_classes_of_the_input_are_sorted_and_digits_keep_their_keys(open_ledger):
    kinds = ["2", "9", "0", "fig 10", "1", "fig 9"]
    ledger = open_ledger(birds(6).assign(kind=kinds), label="kind")
    found = {info.name: info.key for info in ledger.state.classes.values()}
    assert list(found.items()) == [
        *(("1", "1"), ("2", "2"), ("9", "9")),
        *(("0", "a"), ("fig 9", "3"), ("fig 10", "4")),
    ]


def test_rows_from_a_pipe_have_no_project():
    with pytest.raises(ValueError, match="save them as a file"):
        opened("-")


def test_a_project_names_its_rows_by_itself(table, tmp_path):
    session = opened(table, id="ring")
    session.ledger.act({"kind": "add_class", "name": "tit"})
    session.close()
    assert (tmp_path / "birds.csv.lapoleaf").exists()
    session = opened(tmp_path / "birds.csv.lapoleaf")
    assert session.data.id == "ring"
    assert [info.name for info in session.state.classes.values()] == ["tit"]
    session.close()


def test_a_file_is_read_as_when_it_was_open_last(tmp_path):
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        birds().assign(kind="tit", other=range(40)).to_csv(
            tmp_path / place / "birds.csv", index=False
        )
    path = tmp_path / "here" / "birds.csv"
    session = opened(path, id="ring", label="kind")
    session.close()
    session = opened(path)
    assert (session.data.id, session.data.label, session.state.n_given) == ("ring", "kind", 40)
    session.close()
    with pytest.raises(ValueError, match="labels of other rows"):
        opened(path, id="other")
    for options in ({"ignore": {"note"}, "missing": (np.int64(9), "?")}, {}):
        session = opened(path, **options)
        assert "note" not in session.data.frame
        session.close()
    # Another file with the same project is read as is asked for.
    project = tmp_path / "here" / "birds.csv.lapoleaf"
    with pytest.raises(ValueError, match="labels of other rows"):
        opened(tmp_path / "there" / "birds.csv", project=project)


def test_a_copy_of_the_file_alone_is_complete_once_it_is_settled(open_ledger, tmp_path):
    ledger = open_ledger(birds())
    ledger.act({"kind": "add_class", "name": "tit"})
    ledger.act({"kind": "label", "rows": [3], "class": 0})
    copy = tmp_path / "copy.lapoleaf"
    copy.write_bytes(ledger.project.path.read_bytes())
    assert not read_project(copy).labels
    ledger.project.settle()
    copy.write_bytes(ledger.project.path.read_bytes())
    assert list(read_project(copy).labels.values()) == [0]


def test_reading_a_project_leaves_nothing_behind(open_ledger, tmp_path):
    ledger = open_ledger(birds())
    ledger.act({"kind": "add_class", "name": "tit"})
    assert read_project(ledger.project.path).classes == {0: "tit"}  # while a studio has it open
    ledger.close()
    assert read_project(ledger.project.path).classes == {0: "tit"}
    assert [path.name for path in tmp_path.iterdir()] == ["birds.lapoleaf"]


def test_what_changes_nothing_is_no_action(open_ledger):
    ledger = open_ledger(birds())
    ledger.act({"kind": "add_class", "name": "tit"})
    ledger.act({"kind": "label", "rows": [3], "class": 0})
    before = ledger.revision
    ledger.act({"kind": "label", "rows": [3], "class": 0})
    ledger.act({"kind": "label", "rows": [4], "class": None})
    assert ledger.revision == before
    ledger.act({"kind": "undo"})
    assert ledger.state.n_given == 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied", "lock")

    monkeypatch.setattr("lapoleaf.studio.locking.os.open", refuse)
    with pytest.raises(OSError, match=r"a.lapoleaf' cannot be written: Permission denied"):
        Project(tmp_path / "a.lapoleaf")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (LoDOG(), "LoDOG is not a classifier"),
        (csr_array(np.eye(3)), "is sparse"),
        (([[1, 2], [3, 4]], [0]), "rows of one length"),
    ],
)
def test_what_has_no_rows_to_show_is_told(source, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        opened(source, project=tmp_path / "a.lapoleaf")
