"""Frames as people have them: encoded on the way in, shown as they were on the way out."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from models import FEW
from pandas.testing import assert_frame_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LoDOG,
    TableEncoder,
    load,
    save,
)
from lapoleaf.estimators.cells import Cells, in_line

N = 80


def animals(n=N, seed=0):
    """Two kinds, told apart by all columns together."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    frame = pd.DataFrame(
        {
            "mass": 40 + 12 * kind + rng.normal(0, 2, n),
            "island": np.where(rng.random(n) < 0.9, np.array(["Dream", "Biscoe"])[kind], "Torn"),
            "tagged": (rng.random(n) < 0.2 + 0.6 * kind),
            "seen": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 200, n), "D"),
        },
        index=[f"a{k}" for k in range(n)],
    )
    frame.loc[frame.index[rng.random(n) < 0.1], "mass"] = np.nan
    frame.loc[frame.index[rng.random(n) < 0.1], "island"] = None
    labels = np.where(np.arange(n) < 12, np.array(["cat", "dog"])[kind], None)
    return frame, labels, np.array(["cat", "dog"])[kind]


@pytest.fixture(scope="module")
def model():
    frame, labels, _ = animals()
    return LaPOLeaFClassifier(n_forests=FEW).fit(frame, labels)


def test_mixed_columns_are_labelled(model):
    frame, _, truth = animals()
    assert np.mean(model.transduction_ == truth) > 0.9
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert isinstance(model.encoder_, TableEncoder)
    new, _, wanted = animals(seed=1)
    assert np.mean(model.predict(new) == wanted) > 0.8
    assert np.array_equal(model.predict_proba(frame[:5]), model.label_distributions_[:5])


def test_the_same_as_encoding_by_hand():
    frame, labels, _ = animals()
    by_hand = LaPOLeaFClassifier(n_forests=FEW).fit(TableEncoder().fit_transform(frame), labels)
    found = LaPOLeaFClassifier(n_forests=FEW).fit(frame, labels)
    assert np.array_equal(found.label_distributions_, by_hand.label_distributions_)
    assert np.array_equal(
        LaPOLeaFClassifier(n_forests=FEW).suggest(3, X=frame),
        LaPOLeaFClassifier(n_forests=FEW).suggest(3, X=TableEncoder().fit_transform(frame)),
    )


def test_polars(model):
    frame, labels, _ = animals()
    table = pl.from_pandas(frame)
    found = LaPOLeaFClassifier(n_forests=FEW).fit(table, labels)
    assert found.transduction_.tolist() == model.transduction_.tolist()
    assert "id" in found.labels_frame().columns
    assert found.explain(0).cells[0]["tagged"] == bool(frame["tagged"].iloc[0])


@pytest.mark.parametrize("container", [pd.DataFrame, lambda X: pl.DataFrame(X)])
def test_a_frame_of_numbers_and_its_array_agree(container):
    X = np.random.default_rng(0).normal(size=(60, 3)) * [1, 10, 100]
    X[:, 2] = 7.0
    y = np.where(np.arange(60) < 10, np.arange(60) % 2, -1)
    by_array = LaPOLeaFClassifier(n_forests=FEW).fit(X, y)
    by_frame = LaPOLeaFClassifier(n_forests=FEW).fit(container(X), y)
    assert by_frame.encoder_ is None
    assert np.array_equal(by_array.label_distributions_, by_frame.label_distributions_)


def test_frames_of_numbers_with_holes():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)))
    X.columns = ["a", "b", "c"]
    X.iloc[::7, 0] = np.nan
    y = np.where(np.arange(60) < 10, np.arange(60) % 2, -1)
    assert LaPOLeaFClassifier(n_forests=FEW).fit(X, y).encoder_ is not None
    # A metric that knows holes gets them.
    knows = LaPOLeaFClassifier(n_forests=FEW, metric="nan_euclidean").fit(X, y)
    assert knows.encoder_ is None
    with pytest.raises(ValueError, match="NaN"):
        LaPOLeaFClassifier(n_forests=FEW).fit(X.to_numpy(), y)


def test_numbers_to_learn():
    frame, _, _ = animals()
    y = np.where(np.arange(N) < 20, np.where(frame["tagged"], 3.0, 1.0), np.nan)
    model = LaPOLeaFRegressor(n_forests=FEW).fit(frame, y)
    assert model.encoder_ is not None
    assert np.corrcoef(model.transduction_, frame["tagged"])[0, 1] > 0.5
    assert "tagged" in str(model.explain(40))
    assert model.predict(frame[:3]).shape == (3,)


def test_models_of_one_forest_and_clusters_take_numbers_only():
    frame, labels, _ = animals()
    for estimator in (LeadingForestClassifier(), LoDOG()):
        with pytest.raises(ValueError, match="column 'island'"):
            estimator.fit(frame, labels)
    with pytest.raises(ValueError, match="column 'island'"):
        LaPOLeaFClassifier(encoder=None).fit(frame, labels)


def test_ones_own_encoder():
    frame, labels, _ = animals()
    encoder = TableEncoder(kinds={"seen": "ignore"})
    model = LaPOLeaFClassifier(n_forests=FEW, encoder=encoder).fit(frame, labels)
    assert not any("seen" in name for name in model.encoder_.get_feature_names_out())
    assert not hasattr(encoder, "plan_")
    again = clone(model).set_params(encoder__kinds=None).fit(frame, labels)
    assert any("seen" in name for name in again.encoder_.get_feature_names_out())


@pytest.mark.parametrize("encoder", ["one-hot", 3, TableEncoder])
def test_other_encoders_are_refused(encoder):
    frame, labels, _ = animals()
    with pytest.raises(ValueError, match="must be 'auto', None or a lapoleaf"):
        LaPOLeaFClassifier(encoder=encoder).fit(frame, labels)
    with pytest.raises(TypeError, match="is for frames"):
        LaPOLeaFClassifier(encoder=TableEncoder()).fit([[0.0], [1.0]], [0, 1])


def test_other_rows_than_at_fit_are_refused(model):
    frame, _, _ = animals()
    before = model._state
    with pytest.raises(TypeError, match=r"X must be a frame with the columns \['mass', 'island'"):
        model.predict(frame.to_numpy())
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.drop(columns="mass"))
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame.rename(columns={"mass": "weight"}))
    assert model._state is before


def test_a_fit_on_an_array_forgets_the_encoder(model):
    frame, labels, _ = animals()
    again = clone(model).fit(frame, labels).fit(np.arange(N, dtype=float)[:, None], labels)
    assert again.encoder_ is None
    assert not hasattr(again, "feature_names_in_")
    assert again.predict([[3.0]]).shape == (1,)


def test_rows_join_and_leave_with_their_cells(model):
    frame, labels, _ = animals()
    parts = clone(model).fit(frame[:50], labels[:50])
    parts.partial_fit(frame[50:], labels[50:])
    parts.partial_fit(frame[:1].assign(mass=7, island="new"), ["cat"])
    assert parts.explain(N).cells[N]["island"] == "new"
    parts.forget(parts.ids_[10:20])
    row = parts.explain(15)
    assert row.names[15] == "a25"
    assert row.cells[15] == {
        name: value for name, value in frame.iloc[25].items() if not pd.isna(value)
    }


def test_explanations_show_cells_and_index(model):
    frame, _, _ = animals()
    why = model.explain(40)
    lines = str(why).splitlines()
    assert lines[0].startswith("Row 40 (a40) gets")
    assert lines[1].strip() == in_line(why.cells[40])
    for reason in why.reasons:
        assert why.cells[reason.row]["tagged"] == frame["tagged"].iloc[reason.row]
        assert f"from row {reason.row} (a{reason.row}):" in str(why)
    given = model.explain(3)
    assert set(given.others.cells) >= {reason.row for reason in given.others.reasons}


def test_explanations_of_new_rows(model):
    frame, _, _ = animals(seed=1)
    by_frame, by_series = model.explain(frame[5:6]), model.explain(frame.iloc[5])
    assert str(by_frame) == str(by_series)
    assert by_frame.cells[-1]["tagged"] == frame["tagged"].iloc[5]
    with pytest.raises(ValueError, match="must be one row"):
        model.explain(frame[:2])


def test_explanations_of_frames_of_numbers():
    X = pd.DataFrame({"size": [0.0, 1.0, 7.0, 8.0]}, index=["ant", "bee", "cow", "dog"])
    model = LaPOLeaFClassifier(n_forests=FEW).fit(X, ["small", None, None, "large"])
    why = model.explain(1)
    assert why.names[1] == "bee"
    assert why.cells[1] == {"size": 1.0}
    assert model.explain(X[:1]).cells[-1] == {"size": 0.0}
    with pytest.warns(UserWarning, match="feature names"):
        assert model.explain([0.5]).cells[-1] == {"size": 0.5}
    by_array = LaPOLeaFClassifier(n_forests=FEW).fit(X.to_numpy(), ["small", None, None, "large"])
    assert by_array.explain(1).cells == by_array.explain(1).names == {}


@pytest.mark.parametrize("rows", [False, True])
def test_saved_and_loaded(model, rows, tmp_path):
    frame, _, _ = animals(seed=1)
    save(model, tmp_path / "model", rows=rows)
    again = load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert_frame_equal(again.labels_frame(), model.labels_frame())
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert (str(again.explain(40)) == str(model.explain(40))) == rows
    assert (again.explain(40).cells != {}) == rows
    again.partial_fit(frame[:5])
    again.update_labels(again.ids_[60], "dog")
    assert (
        pickle.loads(pickle.dumps(again)).predict(frame).tolist() == again.predict(frame).tolist()
    )
    save(again, tmp_path / "again", rows=True)
    load(tmp_path / "again")


def test_in_a_pipeline():
    frame, labels, truth = animals()
    piped = make_pipeline(FunctionTransformer(), LaPOLeaFClassifier(n_forests=FEW))
    piped.fit(frame, labels)
    assert np.mean(piped.predict(frame) == truth) > 0.9


def test_cells_of_all_types():
    frame = pd.DataFrame(
        {
            "n": [1, 2],
            "x": [0.5, np.nan],
            "s": ["a", None],
            "o": [(1, 2), "b"],
            "t": pd.to_datetime(["2024-01-02", None]),
            "z": pd.to_datetime(["2024-01-02", None]).tz_localize("Europe/Berlin"),
            "c": pd.Categorical(["u", None]),
            "i": pd.array([1, None], dtype="Int64"),
            "b": pd.array([True, None], dtype="boolean"),
        }
    )
    cells = Cells.of(frame)
    assert list(cells.row(0)) == list(frame.columns)
    assert cells.row(0)["o"] == "(1, 2)"
    assert cells.row(0)["t"] == pd.Timestamp("2024-01-02")
    assert cells.row(1) == {"n": 2, "o": "b"}
    both = cells.joined(Cells.of(frame.assign(n=["many", "few"], t="soon")))
    assert both.row(0) == {**cells.row(0), "t": "2024-01-02 00:00:00"}
    assert (both.row(2)["n"], both.row(2)["t"]) == ("many", "soon")
    assert both.without(np.array([0, 1])).row(1)["n"] == "few"


def test_lines_are_cut():
    line = in_line({f"column {k}": "some words " * 9 for k in range(9)})
    assert len(line) < 120
    assert line.endswith("more")
    assert in_line({"text": "word " * 50}).endswith("...")
