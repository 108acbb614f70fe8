"""Tables and texts as data sets, and in ``python -m benchmarks accuracy``."""

import csv

import numpy as np
import pandas as pd
import pytest

from benchmarks.data.frames import made_table, table_sets, target_sets, text_sets
from benchmarks.runner.command import main
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


@pytest.mark.slow
def test_a_quick_run_writes_every_table(folder, capsys):
    output = folder / "output"
    arguments = ["--data", str(folder), "--output", str(output), "--quick", "--jobs", "1"]
    parts = ["--only", "tables", "texts", "--methods", "lapoleaf", "logistic"]
    assert main(["accuracy", *arguments, *parts]) == 0
    assert "raw/tips.csv is not in" in capsys.readouterr().err
    for row in read(output / "accuracy-tables.csv"):
        assert float(row["20 a class"]) > 0.8
    (row,) = read(output / "accuracy-tables-regrets.csv")
    assert [row["data set"], row["best baseline"]] == ["penguins", "logistic"]
    texts = read(output / "accuracy-texts-5-a-class.csv")
    assert [row["data set"] for row in texts] == ["sms, word vectors", "sms, n-grams"]


def test_all_tables_of_a_folder(folder):
    assert [data.name for data in table_sets(folder, 50, quick=False)] == ["penguins", "iris"]
    (data,) = table_sets(folder, 50, quick=True)
    assert len(data.X) == len(data.y) == 50


def test_without_texts(tmp_path, capsys):
    assert text_sets(tmp_path, 50, quick=True) == []
    assert "texts/sms.tsv is not there" in capsys.readouterr().err


def test_the_made_table_has_columns_of_many_kinds():
    summary = TableEncoder().fit(made_table().drop(columns="species")).summary()
    for kind in ("number", "category of 4 values", "date as %d.%m.%Y", "marked"):
        assert kind in summary


def test_the_target_is_the_column_with_the_most_numbers(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "tables"
    folder.mkdir()
    few, many = rng.integers(0, 9, 80), rng.normal(size=80)
    frame = pd.DataFrame({"few": few, "many": many, "label": few % 2})
    frame.loc[3, "many"] = np.nan
    frame.to_csv(folder / "good.csv", index=False)
    frame[["few", "label"]].to_csv(folder / "too few.csv", index=False)
    tails = np.where(np.arange(80) == 0, 1e6, many)
    pd.DataFrame({"tails": tails, "label": few}).to_csv(folder / "tails.csv", index=False)
    (data,) = target_sets(tmp_path, 1000, quick=False)
    assert data.name == "good, many"
    np.testing.assert_allclose(data.y, np.delete(many, 3))
    assert data.X.shape[0] == 79
