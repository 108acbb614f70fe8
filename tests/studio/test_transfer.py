"""Labels go out and come back, in every format; human and propagated ones are told apart."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from studio_rows import birds

from lapoleaf.inputs import read
from lapoleaf.studio.exporting import export, free_path, plain_name
from lapoleaf.studio.importing import import_labels
from lapoleaf.studio.opening import opened
from lapoleaf.studio.results import Result

FORMATS = ["csv", "parquet", "jsonl", "label-studio"]


@pytest.fixture
def session(tmp_path):
    """Return a project with two labels by a person and, as if by a model, labels of all rows."""
    data = birds(12).assign(
        note=["=1+1", "-3", "+x", "@y", "\tz", "\n=2", "\uff1d3", *["plain"] * 5]
    )
    data.loc[11] = data.loc[10]  # two equal rows
    session = opened(data, project=tmp_path / "birds.lapoleaf")
    for name in ("=HYPERLINK(1)", "../crow"):
        session.act({"kind": "add_class", "name": name})
    session.act({"kind": "label", "rows": [0, 11], "class": 0})
    session.act({"kind": "label", "rows": [1], "class": 1})
    classes = (np.arange(12) % 2).astype(np.int32)
    session.result = Result(None, classes, np.full(12, 0.75, dtype=np.float32), 1.0)
    session._view = None
    yield session
    session.close()


def table_of(download, form):
    if form == "csv":
        return pd.read_csv(io.BytesIO(download.content))
    if form == "parquet":
        return pd.read_parquet(io.BytesIO(download.content))
    return pd.DataFrame([json.loads(line) for line in download.content.splitlines()])


@pytest.mark.parametrize("form", FORMATS[:3])
def test_tables_tell_who_gave_a_label(session, form):
    table = table_of(export(session, form), form)
    assert len(table) == 12
    assert np.flatnonzero(table["lapoleaf_given"] == "yes").tolist() == [0, 1, 11]
    assert table["lapoleaf_label"][:3].tolist() == ["=HYPERLINK(1)", "../crow", "=HYPERLINK(1)"]
    assert table["lapoleaf_confidence"][[0, 2]].tolist() == [1.0, 0.75]
    assert table["ring"].tolist() == session.data.frame["ring"].tolist()
    given = table_of(export(session, form, "given"), form)
    assert given["ring"].tolist() == [table["ring"][row] for row in (0, 1, 11)]


def test_columns_of_several_kinds_are_texts_in_parquet(tmp_path):
    cells = pd.DataFrame({"a": [1, "x", None, 2.5], 5: [True, 2, None, "y"], "b": [1.5, 2, 3, 4]})
    session = opened(cells, project=tmp_path / "p.lapoleaf")
    table = pd.read_parquet(io.BytesIO(export(session, "parquet").content))
    assert table["a"].fillna("").tolist() == ["1", "x", "", "2.5"]
    assert table["5"].fillna("").tolist() == ["True", "2", "", "y"]
    assert table["b"].tolist() == [1.5, 2, 3, 4]
    session.close()


@pytest.mark.parametrize("key", ["9" * 30 + ":x", "-1:x", ":", "x", "0:zz", "0:" + "f" * 40])
def test_a_key_that_no_row_has_is_lost(session, key):
    file = f"lapoleaf_label,lapoleaf_given,lapoleaf_key\ntit,yes,{key}\n".encode()
    found = import_labels(session, file)
    assert (found["n_taken"], found["n_lost"]) == (0, 1)


def test_label_studio_has_annotations_and_predictions(session):
    tasks = json.loads(export(session, "label-studio").content)
    assert [len(task["annotations"]) for task in tasks[:3]] == [1, 1, 0]
    assert [len(task["predictions"]) for task in tasks[:3]] == [0, 0, 1]
    result = tasks[1]["annotations"][0]["result"][0]
    assert result["value"] == {"choices": ["../crow"]}
    assert tasks[2]["predictions"][0]["score"] == 0.75
    assert tasks[0]["data"]["note"] == "=1+1"


def test_formulas_are_escaped_on_request_only(session):
    rows = list(csv.DictReader(io.StringIO(export(session, "csv").content.decode())))
    assert [row["note"] for row in rows[:7]] == ["=1+1", "-3", "+x", "@y", "\tz", "\n=2", "\uff1d3"]
    safe = export(session, "csv", escape=True).content.decode()
    rows = list(csv.DictReader(io.StringIO(safe)))
    safe = ["'=1+1", "-3", "'+x", "'@y", "'\tz", "'\n=2", "'\uff1d3"]
    assert [row["note"] for row in rows[:7]] == safe
    assert rows[0]["lapoleaf_label"] == "'=HYPERLINK(1)"


@pytest.mark.parametrize("escape", [False, True])
@pytest.mark.parametrize("form", FORMATS)
def test_what_goes_out_comes_back(session, form, escape):
    content, before = export(session, form, escape=escape).content, session.state
    session.act({"kind": "label", "rows": [0, 11], "class": None})
    session.act({"kind": "label", "rows": [1], "class": 0})
    found = import_labels(session, content)
    assert (found["n_taken"], found["n_lost"], found["n_replaced"]) == (3, 0, 1)
    assert np.array_equal(session.state.given, before.given)
    session.act({"kind": "undo"})
    assert session.state.given[[0, 1, 11]].tolist() == [-2, 0, -2]


def test_tables_of_others_are_found_by_their_cells(session):
    rings = session.data.frame["ring"]
    foreign = pd.DataFrame({"ring": [rings[3], rings[4], "nobody"], "label": ["owl", "", "tit"]})
    found = import_labels(session, foreign.to_csv(index=False).encode())
    assert (found["n_taken"], found["n_lost"], found["n_replaced"]) == (1, 1, 0)
    assert session.state.classes[session.state.given[3]].name == "owl"
    session.act({"kind": "undo"})
    assert "owl" not in [info.name for info in session.state.classes.values()]


def test_a_column_of_labels_can_be_named(session):
    rings = session.data.frame["ring"]
    foreign = pd.DataFrame({"ring": rings[:2], "sort": ["owl", "tit"], "age": [1, 2]})
    content = foreign.to_csv(index=False).encode()
    assert import_labels(session, content, label="sort")["n_taken"] == 2


def test_tasks_of_others(session):
    rings = session.data.frame["ring"]
    choice = {"value": {"choices": ["owl"]}}
    tasks = [
        {"data": {"ring": rings[5]}, "annotations": [{"result": [choice]}]},
        {"data": {"ring": rings[6]}, "annotations": [], "predictions": [{"result": [choice]}]},
        "no task",
        {"data": {"ring": rings[7]}, "annotations": [{"was_cancelled": True, "result": [choice]}]},
        *(
            {"data": {"ring": rings[8]}, "annotations": odd}
            for odd in (3, [3], [{"result": None}], [{"result": [{"value": {"choices": 3}}]}])
        ),
    ]
    assert import_labels(session, json.dumps(tasks).encode())["n_taken"] == 1


def test_labels_of_another_project(session, tmp_path):
    other = opened(session.data, project=tmp_path / "other.lapoleaf")
    other.act({"kind": "add_class", "name": "owl"})
    other.act({"kind": "label", "rows": [7], "class": 0})
    other.close()
    found = import_labels(session, (tmp_path / "other.lapoleaf").read_bytes())
    assert found["n_taken"] == 1
    assert session.state.classes[session.state.given[7]].name == "owl"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a table"),
        (b"\0\1\2", "not a table"),
        (b"PAR1 broken", r"not a table .*[^.]\.$"),
        (b"[1, 2]", "no tasks"),
        (b"[" * 100_000, "no"),
        (b"ring,label\nR000,a\nR000,b\n", "two labels for the same row"),
        (b"a,b\n1,2\n", "name the column of labels.$"),
        (b"c,label\n1,2\n", "it needs its names, or columns that both have"),
    ],
)
def test_files_that_cannot_be_used(session, content, words):
    before = session.state
    with pytest.raises(ValueError, match=words):
        import_labels(session, content)
    assert session.state is before


def test_what_cannot_be_written_is_refused(session):
    for form, words in [("exe", "format='exe'"), ("pictures", "the rows are none")]:
        with pytest.raises(ValueError, match=words):
            export(session, form)
    with pytest.raises(ValueError, match="labels="):
        export(session, "csv", "some")
    with pytest.raises(ValueError, match="format="):
        import_labels(session, b"a", "exe")
    session.result = None
    with pytest.raises(ValueError, match="no model yet"):
        export(session, "model")


def test_names_of_files_are_plain(tmp_path):
    assert plain_name('../a "b"\n.csv') == "a--b--.csv"
    assert plain_name("..") == "studio"
    (tmp_path / "a.csv").touch()
    assert free_path(tmp_path / "a.csv").name == "a-2.csv"


def test_labels_of_files_can_be_read_again(session, tmp_path):
    """What a table holds after an export is read as the same rows."""
    path = tmp_path / "out.csv"
    path.write_bytes(export(session, "csv").content)
    assert list(read(path).frame.columns) == ["ring", "weight", "wing", "note"]
