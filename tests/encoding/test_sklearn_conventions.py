"""scikit-learn's conventions."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from lapoleaf import LaPOLeaFClassifier, TableEncoder

FRAME = pd.DataFrame(
    {"size": [1.0, None, 3.0, 4.5], "colour": ["red", "blue", "red", None], "n": [1, 2, 2, 1]}
)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([TableEncoder()])
def test_sklearn_checks(estimator, check):
    check(estimator)


def test_clone_keeps_the_parameters_and_nothing_else():
    encoder = TableEncoder(kinds={"n": "category"}, text_encoder="tfidf").fit(FRAME)
    copied = clone(encoder)
    assert copied.get_params() == encoder.get_params()
    assert not hasattr(copied, "plan_")
    assert clone(TableEncoder(text_encoder=len)).text_encoder is len


def test_names_in_and_out():
    encoder = TableEncoder().fit(FRAME)
    assert encoder.feature_names_in_.tolist() == ["size", "colour", "n"]
    assert encoder.n_features_in_ == 3
    names = ["size", "colour_blue", "colour_red", "colour_missing", "n"]
    assert encoder.get_feature_names_out().tolist() == names
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        encoder.get_feature_names_out(["a", "b", "c"])


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output(container):
    encoder = TableEncoder().set_output(transform=container)
    found = encoder.fit_transform(FRAME)
    assert list(found.columns) == TableEncoder().fit(FRAME).get_feature_names_out().tolist()
    np.testing.assert_array_equal(np.asarray(found), TableEncoder().fit_transform(FRAME))


def test_other_columns_than_at_the_fit():
    encoder = TableEncoder().fit(FRAME)
    for other in (FRAME[["size", "n", "colour"]], FRAME.rename(columns={"n": "m"}), FRAME[["n"]]):
        with pytest.raises(ValueError, match="feature names should match"):
            encoder.transform(other)
    numbered = FRAME.set_axis(range(3), axis="columns")
    with pytest.raises(ValueError, match="expecting 3 features"):
        TableEncoder().fit(numbered).transform(numbered[[0, 1]])


def test_a_failed_fit_changes_nothing():
    encoder = TableEncoder().fit(FRAME)
    before = dict(vars(encoder))
    with pytest.raises(TypeError, match="holds a list"):
        encoder.fit(pd.DataFrame({"a": [[1], [2]]}))
    assert vars(encoder) == before
    with pytest.raises(NotFittedError):
        TableEncoder().transform(FRAME)


def test_a_fit_without_names_forgets_those_of_the_last():
    encoder = TableEncoder().fit(FRAME).fit(FRAME.set_axis(range(3), axis="columns"))
    assert not hasattr(encoder, "feature_names_in_")


def test_in_pipelines_and_column_transformers():
    y = ["a", "b", "a", "b"]
    for last in (LogisticRegression(), LaPOLeaFClassifier(n_forests=2)):
        model = make_pipeline(TableEncoder(), last).fit(FRAME, y)
        assert model.predict(FRAME).shape == (4,)
    parts = make_column_transformer((TableEncoder(), ["colour", "n"]), remainder="drop")
    assert parts.fit_transform(FRAME).shape == (4, 4)
    assert parts.get_feature_names_out()[-1] == "tableencoder__n"


def test_pickles_and_copies_encode_the_same():
    encoder = TableEncoder().fit(FRAME)
    expected = encoder.transform(FRAME).tobytes()
    for other in (pickle.loads(pickle.dumps(encoder)), copy.deepcopy(encoder)):
        assert other.transform(FRAME).tobytes() == expected


def test_arrays_and_lists():
    table = [[1, "a"], [2, "b"], [4, "a"]]
    found = TableEncoder().fit_transform(table)
    np.testing.assert_array_equal(found, TableEncoder().fit_transform(pd.DataFrame(table)))
    assert found.shape == (3, 3)
    numbers = np.arange(12.0).reshape(4, 3) ** 2
    np.testing.assert_allclose(
        TableEncoder().fit_transform(numbers), (numbers - numbers.mean(0)) / numbers.std(0)
    )


def test_verbose_shows_progress(monkeypatch, capsys):
    monkeypatch.setattr("lapoleaf._progress.Progress._every", 0.0)
    TableEncoder(verbose=1).fit_transform(FRAME)
    assert "Columns read: 100 %" in capsys.readouterr().err
    TableEncoder().fit_transform(FRAME)
    assert capsys.readouterr().err == ""
