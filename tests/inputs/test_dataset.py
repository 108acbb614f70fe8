"""Rows as people have them, their numbers, and new rows."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from inputs.written import as_text, penguins, typed_frame

from lapoleaf import LaPOLeaFClassifier, load, save
from lapoleaf.inputs import Dataset, TableEncoder, read

ROWS = penguins(60)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "penguins.csv"
    path.write_text(as_text(ROWS))
    return read(path, label="species", ignore="note")


def test_what_it_holds(data):
    assert isinstance(data, Dataset)
    assert data.kind == "table"
    assert len(data) == 60
    assert data.names == list(range(60))
    assert isinstance(data.encoder, TableEncoder)
    np.testing.assert_array_equal(data.X, data.encoder.transform(data.frame))
    assert data.X is data.X
    assert list(data.frame.columns) == ["island", "bill", "flipper", "sex", "seen", "ringed"]
    assert re.fullmatch(r"Dataset\(60 rows of .*penguins.csv', kind='table', labels in 'species'\)",
                        repr(data))  # fmt: skip


def test_it_can_be_fitted(data):
    model = LaPOLeaFClassifier(missing_label=None).fit(data.X, data.labels)
    given = data.labels != None  # noqa: E711
    assert (model.transduction_[given] == data.labels[given]).all()


def test_show(data):
    shown = data.show(0)["cells"]
    assert shown["island"] == ROWS[0][1]
    assert shown["note"] == ROWS[0][-1]
    assert "species" not in shown
    assert data.show(np.int64(-1)) == data.show(59)
    for row in (60, -61, 1.5, "a"):
        with pytest.raises(IndexError, match="must be a number from 0 to 59"):
            data.show(row)


def test_summary(data):
    lines = data.summary().splitlines()
    assert lines[0] == "penguins.csv: 60 rows, 8 columns"
    by_name = {line.split()[0]: line for line in lines[1:]}
    assert list(by_name) == [*data.frame.columns, "note", "species"]
    assert "category of 3 values" in by_name["island"]
    holes = sum(row[2] is None for row in ROWS)
    assert f"{holes} holes" in by_name["bill"]
    assert by_name["note"].endswith("left out: as asked for")
    n_given = sum(row[0] is not None for row in ROWS)
    assert f"labels: {n_given} given, {60 - n_given} missing, 3 classes (" in by_name["species"]


def test_summaries_of_other_labels():
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0], "y": [0.25, None, 7.0]})
    assert "labels: 2 given, 1 missing, numbers from 0.25 to 7" in read(frame, label="y").summary()
    assert "no column of labels" in read(frame).summary()
    frame["y"] = [None, None, None]
    assert "labels: none given" in read(frame, label="y").summary()


@pytest.mark.parametrize("form", ["pandas", "polars", "file", "mappings", "one", "with labels"])
def test_new_rows(data, form, tmp_path):
    new = typed_frame(ROWS[:7])
    features = new[list(data.frame.columns)]
    if form == "pandas":
        found = data.encode(features[features.columns[::-1]])
    elif form == "polars":
        found = data.encode(pl.from_pandas(features.astype({"seen": "str"})))
    elif form == "file":
        (tmp_path / "new.csv").write_text(as_text(ROWS[:7], separator=";", decimal=","))
        found = data.encode(tmp_path / "new.csv")
    elif form == "mappings":
        found = data.encode(features.to_dict("records"))
    elif form == "one":
        found = np.vstack([data.encode(row) for row in features.to_dict("records")])
    else:
        found = data.encode(new)
    np.testing.assert_array_equal(found, data.X[:7])


def test_new_rows_of_other_columns(data):
    frame = typed_frame(ROWS[:3])
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*further"):
        data.encode(frame.assign(further=1))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*island"):
        data.encode(frame.drop(columns="island"))


def test_codes_that_look_like_numbers_in_new_rows(tmp_path):
    """A category of strings is one in new rows, too."""
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("size,code\n" + "".join(f"{k / 7},{'ab12'[k % 4]}\n" for k in range(12)))
    new.write_text("size,code\n0.5,1\n0.7,2\n")
    data = read(old)
    assert (data.encode(new) != 0).sum(axis=1).tolist() == [2, 2]
    np.testing.assert_array_equal(
        data.encode(new), data.encode([{"size": 0.5, "code": "1"}, {"size": 0.7, "code": "2"}])
    )


def test_names_from_an_id(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("ring,a,b\n007,1,x\n008,2,y\n009,3,x\n")
    data = read(path, id="ring")
    assert data.names == ["007", "008", "009"]
    assert data.show(1) == {"cells": {"a": 2, "b": "y", "ring": "008"}}
    assert re.search(r"ring +left out: names of rows", data.summary())
    path.write_text("ring,a\n7,1\n8,2\n7,3\n")
    with pytest.raises(ValueError, match=r"id='ring': row 2 of .* has 7 a second time"):
        read(path, id="ring")
    path.write_text("ring,a\n7,1\n,2\n7,3\n")
    with pytest.raises(ValueError, match=r"id='ring': row 1 of .* has no value"):
        read(path, id="ring")


def test_an_index_names_rows():
    frame = pd.DataFrame({"a": [1.5, 2.5]}, index=["x", "y"])
    assert read(frame).names == ["x", "y"]


TEXTS = [f"the {word} went to the {place} again" for word in ("cat", "dog", "ox", "ant")
         for place in ("house", "wood", "shop")]  # fmt: skip


def test_texts(tmp_path):
    path = tmp_path / "in.tsv"
    lines = "".join(f"{'xy'[k % 2]}\t{text}\n" for k, text in enumerate(TEXTS))
    path.write_text("label\ttext\n" + lines)
    data = read(path)
    assert data.kind == "texts"
    assert data.show(1) == {"text": TEXTS[1]}
    np.testing.assert_array_equal(data.encode(TEXTS[:2]), data.X[:2])
    np.testing.assert_array_equal(data.encode(TEXTS[1]), data.X[1:2])
    assert re.search(r"\n  text +text as ", data.summary())
    short = tmp_path / "short.csv"
    short.write_text("t,n\n" + "".join(f"{k} a,{k}\n" for k in range(9)))
    assert read(short, ignore="n").kind == "table"
    data = read(short, ignore="n", text="t")
    assert data.kind == "texts"
    assert data.show(0) == {"text": "0 a", "cells": {"n": 0}}


def test_kinds_override_the_guess(data):
    frame = pd.DataFrame({"zone": [1, 2, 3, 1, 2, 3] * 3, "size": np.arange(18) ** 1.5})
    assert "zone  number" in read(frame).summary()
    assert "zone  category of 3 values" in read(frame, kinds={"zone": "category"}).summary()
    with pytest.raises(ValueError, match=r"kinds='town': the frame has no such column"):
        read(frame, kinds={"town": "category"})


def test_arrays(tmp_path):
    X = np.arange(12, dtype=np.float32).reshape(4, 3) / 7
    data = read(X)
    assert (data.kind, data.encoder, data.labels) == ("array", None, None)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.encode([1, 2, 3]), [[1.0, 2.0, 3.0]])
    assert data.show(0)["cells"]["column_2"] == 0.14285715
    with pytest.raises(ValueError, match="must have 3 columns"):
        data.encode([1, 2])
    np.savez(tmp_path / "a.npz", X=X, y=[0, 1, -1, 1], class_names=["x", "y"])
    data = read(tmp_path / "a.npz")
    assert data.labels.tolist() == ["x", "y", None, "y"]
    assert "3 columns  numbers, taken as they are" in data.summary()
    np.savez(tmp_path / "b.npz", X=X, y=[1, 2, 1, 2])
    assert read(tmp_path / "b.npz").labels.tolist() == [1, 2, 1, 2]


def test_models_know_the_names_of_rows(data, tmp_path):
    """Also after a file: those of photos are their paths, as seen from the folder."""
    assert data.rows is data.frame
    files = [f"{kind}/{number}.png" for kind in ("cat", "dog") for number in range(6)]
    features = np.repeat([[1.0, 0.0], [0.0, 1.0]], 6, axis=0) + np.arange(24).reshape(12, 2) / 99
    labels = ["cat", *[""] * 5, "dog", *[""] * 5]
    np.savez(tmp_path / "features.npz", features=features, files=files, labels=labels)
    photos = read(tmp_path / "features.npz")
    assert photos.rows.index.tolist() == files
    model = LaPOLeaFClassifier(n_forests=2).fit(photos.rows, photos.labels)
    save(model, tmp_path / "model", rows=True)
    again = load(tmp_path / "model")
    assert again.labels_frame()["label"].to_dict() == {file: file[:3] for file in files}
    assert str(again.explain(2)).startswith("Row 2 (cat/2.png) gets 'cat'")


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"Z": [1]}, "has no array 'X', but ['Z']"),
        ({"X": [1.0]}, "must be a table of numbers"),
        ({"X": [["a"]]}, "must be a table of numbers"),
        ({"X": [[1.0, np.nan]]}, "holds nan in row 0, column 1"),
        ({"X": [[1.0], [2.0]], "y": [1]}, "y in"),
        ({"X": [[1.0]], "y": [3], "class_names": ["a"]}, "must be numbers of the 1 class_names"),
        ({"X": np.array([[None]], dtype=object)}, "cannot be read"),
    ],
)
def test_bad_arrays(arrays, words, tmp_path):
    np.savez(tmp_path / "a.npz", **{name: np.asarray(value) for name, value in arrays.items()})
    with pytest.raises(ValueError, match=re.escape(words)):
        read(tmp_path / "a.npz")


def test_parameters_that_make_no_sense(tmp_path):
    with pytest.raises(ValueError, match="label='y' is for tables, but the source is an array"):
        read(np.ones((2, 2)), label="y")
    (tmp_path / "in.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match="sheet=1 is for Excel files"):
        read(tmp_path / "in.csv", sheet=1)
    with pytest.raises(ValueError, match=r"text='c': .* has no such column; its columns are 'a'"):
        read(tmp_path / "in.csv", text="c")


def test_a_frame_is_not_changed():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "?", "y"], 3: [True, False, True]})
    before = frame.copy(deep=True)
    data = read(frame, missing=[2])
    assert [data.show(row)["cells"] for row in range(3)] == [
        {"a": 1, "b": "x", "3": True},
        {"a": None, "b": None, "3": False},
        {"a": 3, "b": "y", "3": True},
    ]
    pd.testing.assert_frame_equal(frame, before)
