"""``python -m benchmarks tables``, on small data."""

import csv

import numpy as np
import pandas as pd
import pytest

from benchmarks.runner.command import main
from benchmarks.tables.measuring import Pairs
from benchmarks.tables.results import mean_table, set_table
from benchmarks.tables.sets import TableSet, by_hand, made_table, table_sets, text_sets
from lapoleaf import TableEncoder


def read(path):
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture
def folder(tmp_path):
    """Two tables and texts, as in the folder of data sets."""
    for name in ("raw", "tables", "texts"):
        (tmp_path / name).mkdir()
    made_table().assign(hole=None).to_csv(tmp_path / "raw" / "penguins.csv", index=False)
    made_table().rename(columns={"species": "label"}).to_csv(
        tmp_path / "tables" / "iris.csv", index=False
    )
    words = [f"{word} number {k} is here again" for k in range(30) for word in ("win", "see you")]
    texts = pd.DataFrame({"label": ["spam", "ham"] * 30, "text": words})
    texts.to_csv(tmp_path / "texts" / "sms.tsv", sep="\t", index=False)
    return tmp_path


def test_a_quick_run_writes_every_table(folder, capsys):
    output = folder / "output"
    arguments = ["--data", str(folder), "--output", str(output), "--quick", "--jobs", "1"]
    assert main(["tables", *arguments]) == 0
    assert "raw/tips.csv is not in" in capsys.readouterr().err
    (first, second) = read(output / "tables-tables-sets.csv")
    assert [first["data set"], first["labels"]] == ["penguins", "5 a class"]
    assert float(second["lapoleaf"]) > 0.8
    assert float(second["extra trees"]) > 0.8
    texts = read(output / "tables-texts-sets.csv")
    assert [row["data set"] for row in texts[::2]] == ["sms, word vectors", "sms, n-grams"]
    assert len(read(output / "tables-texts-mean.csv")) == 2


def test_all_tables_of_a_folder(folder):
    assert [data.name for data in table_sets(folder, 50, quick=False)] == ["penguins", "iris"]
    (data,) = table_sets(folder, 50, quick=True)
    assert len(data.X) == len(data.y) == len(data.by_hand) == 50


def test_without_texts(tmp_path, capsys):
    assert text_sets(tmp_path, 50, quick=True) == []
    assert "texts/sms.tsv is not there" in capsys.readouterr().err


def test_one_hot_by_hand():
    frame = pd.DataFrame({"n": [1.0, None, 4.0], "s": ["b", None, "a"], "t": [True, False, True]})
    assert by_hand(frame).tolist() == [
        [1.0, 1.0, 0.0, 0.0, 1.0],
        [2.5, 0.0, 1.0, 0.0, 0.0],
        [4.0, 1.0, 0.0, 1.0, 0.0],
    ]


def test_the_made_table_has_columns_of_many_kinds():
    summary = TableEncoder().fit(made_table().drop(columns="species")).summary()
    for kind in ("number", "category of 4 values", "date as %d.%m.%Y", "marked"):
        assert kind in summary


def test_differences_are_paired():
    rows = np.zeros((4, 1))
    data = TableSet("set", rows, np.array(["a", "b", "a", "b"]), rows)
    values = np.array([[[[0.5, 0.9], [0.5, 0.5]]], [[[0.4, 0.6], [0.7, 0.7]]]])
    pairs = Pairs("tables", [data], values)
    first, second = set_table(pairs).rows
    assert first == ("set", 4, 2, "5 a class", 0.7, 0.5, pytest.approx(0.2), pytest.approx(0.1))
    assert second[4:6] == (0.5, 0.7)
    assert mean_table(pairs).rows[0][-1] == "1 / 0 / 0"
    assert mean_table(pairs).rows[1][-1] == "0 / 0 / 1"
