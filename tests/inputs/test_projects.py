"""Labels of projects of the studio, for data sets and for every verb of the command."""

import numpy as np
import pandas as pd
import pytest
from studio_rows import birds

from lapoleaf.cli import main
from lapoleaf.inputs import read
from lapoleaf.inputs.projects import is_project, read_project
from lapoleaf.studio.ledger import Ledger
from lapoleaf.studio.opening import opened
from lapoleaf.studio.project import Project


@pytest.fixture
def files(tmp_path):
    """Return a table without labels, and a project that has four."""
    table, project = tmp_path / "birds.csv", tmp_path / "mine.lapoleaf"
    birds().to_csv(table, index=False)
    ledger = Ledger(read(table), Project(project))
    for name in ("tit", "crow"):
        ledger.act({"kind": "add_class", "name": name})
    ledger.act({"kind": "label", "rows": [0, 2], "class": 0})
    ledger.act({"kind": "label", "rows": [1, 3], "class": 1})
    ledger.close()
    return table, project


def test_a_data_set_takes_labels(files):
    table, project = files
    data = read(table).with_labels(project)
    assert data.labels[:5].tolist() == ["tit", "crow", "tit", "crow", None]
    assert data.label == "label"
    backwards = read(birds()[::-1].reset_index(drop=True)).with_labels(project)
    assert backwards.labels[::-1][:5].tolist() == ["tit", "crow", "tit", "crow", None]


def test_labels_of_the_data_set_stay_where_the_project_has_none(files):
    _, project = files
    data = read(birds().assign(kind=["x"] * 40), label="kind").with_labels(project)
    assert data.labels[:5].tolist() == ["tit", "crow", "tit", "crow", "x"]
    array = read(np.eye(3))
    with pytest.warns(UserWarning, match="4 labels of .* rows that are not there"):
        assert array.with_labels(project).labels.tolist() == [None] * 3


def test_a_project_names_the_column_by_which_its_rows_are_found(tmp_path):
    table, project = tmp_path / "birds.csv", tmp_path / "mine.lapoleaf"
    birds().to_csv(table, index=False)
    session = opened(table, project=project, id="ring")
    session.act({"kind": "add_class", "name": "tit"})
    session.act({"kind": "label", "rows": [3], "class": 0})
    session.close()
    with pytest.raises(ValueError, match=r"column 'ring', and none of its 1 rows .* id='ring'"):
        read(table).with_labels(project)
    assert read(table, id="ring").with_labels(project).labels[3] == "tit"


def test_a_project_can_be_read_while_it_is_open(files):
    table, path = files
    ledger = Ledger(read(table), Project(path))
    ledger.act({"kind": "label", "rows": [5], "class": 1})
    assert read(table).with_labels(path).labels[5] == "crow"
    ledger.act({"kind": "undo"})
    assert read(table).with_labels(path).labels[5] is None
    ledger.close()


def test_other_files_are_no_projects(tmp_path):
    for name, content in [("a", b""), ("b", b"SQLite format 3\0" + b"\0" * 90), ("c", b"PK\3\4")]:
        (tmp_path / name).write_bytes(content)
        assert not is_project(tmp_path / name)
        with pytest.raises(ValueError, match="is not a project of the studio"):
            read_project(tmp_path / name)
    assert not is_project(tmp_path / "nowhere")


def test_a_damaged_project_is_told_in_a_sentence(files):
    _, path = files
    content = path.read_bytes()
    path.write_bytes(content[:100] + bytes(len(content) - 100))
    with pytest.raises(ValueError, match="cannot be used as a project"):
        read_project(path)


def test_every_verb_takes_a_project(files, tmp_path, capsys):
    table, project = map(str, files)
    assert main(["label", table, "--labels", project, "-o", str(tmp_path / "out.csv")]) == 0
    out = pd.read_csv(tmp_path / "out.csv")
    assert (out["lapoleaf_label"] == np.where(np.arange(40) % 2, "crow", "tit")).all()
    assert (out["lapoleaf_given"] == "yes").sum() == 4
    assert main(["suggest", table, "--labels", project, "-n", "3"]) == 0
    assert main(["doubt", table, "--labels", project]) == 0
    assert main(["explain", table, "7", "--labels", project]) == 0
    assert main(["fit", table, "--labels", project, "--save", str(tmp_path / "m")]) == 0
    told = capsys.readouterr()
    assert told.err.count("4 labels of") == 5
    assert "'tit'" in told.out
