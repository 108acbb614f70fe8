"""Labels as frames, with the index that the rows had."""

import datetime
import pickle
import subprocess
import sys
import uuid
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest
from labelled import iris
from models import FEW
from pandas.testing import assert_frame_equal, assert_index_equal
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lapoleaf
import lapoleaf.baselines
from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    load,
    save,
)
from lapoleaf.estimators.labels_frame import explained_share
from lapoleaf.estimators.row_index import MAX_PARTS

N = 30
ROWS = np.random.default_rng(0).normal(size=(N, 2))
CLASSES = np.where(np.arange(N) % 5 == 0, np.arange(N) % 2, -1)
NUMBERS = np.where(CLASSES < 0, np.nan, ROWS[:, 0])
MODELS = [
    (LaPOLeaFClassifier(n_forests=FEW), CLASSES),
    (LeadingForestClassifier(), CLASSES),
    (LaPOLeaFRegressor(n_forests=FEW), NUMBERS),
    (LeadingForestRegressor(), NUMBERS),
]
TWO_HOURS = datetime.timezone(datetime.timedelta(hours=2))
INDEXES = {
    "range": pd.RangeIndex(N),
    "range with steps": pd.RangeIndex(5, 5 + 2 * N, 2, name="step"),
    "numbers": pd.Index(np.random.default_rng(1).permutation(N), name="id"),
    "small numbers": pd.Index(np.arange(N, dtype=np.int8)),
    "unsigned": pd.Index(np.arange(N, dtype=np.uint64) + 2**63),
    "floats": pd.Index(np.append(np.arange(N - 1) / 2, np.nan)),
    "truths": pd.Index(np.arange(N) % 2 == 0),
    "twice": pd.Index(np.arange(N) // 2),
    "texts": pd.Index([f"row {k}" for k in range(N)], name="who"),
    "texts as objects": pd.Index([f"row {k}" for k in range(N)], dtype=object),
    "nullable texts": pd.Index(["ä", None, "\U0001f40b"] * 10, dtype="string"),
    "texts and holes": pd.Index(["ä", None, ""] * 10),
    "odd texts": pd.Index(["\0", "a\0", "\ud800"] * 10, dtype=object),
    "days": pd.date_range("2020-02-28", periods=N, name="day"),
    "seconds": pd.date_range("2020", periods=N, freq="s", unit="s"),
    "days and holes": pd.DatetimeIndex(["2020-01-01", None] * 15),
    "Berlin": pd.date_range("2020-03-28", periods=N, freq="h", tz="Europe/Berlin", name="t"),
    "a zone by itself": pd.date_range("2020", periods=N, tz=ZoneInfo("Asia/Kolkata")),
    "UTC": pd.date_range("2020", periods=N, tz="UTC"),
    "two hours": pd.date_range("2020", periods=N, tz=TWO_HOURS),
    "durations": pd.timedelta_range("1s", periods=N),
    "months": pd.period_range("2020-01", periods=N, freq="M"),
    "levels": pd.MultiIndex.from_product([["a", "b"], range(15)], names=["letter", 1]),
    "levels named by numbers": pd.MultiIndex.from_product([["a", "b"], range(15)], names=[1, 0]),
    "levels of times": pd.MultiIndex.from_product(
        [pd.date_range("2020", periods=15, tz="UTC"), ["x", None]]
    ),
    "one level": pd.MultiIndex.from_arrays([range(N)]),
    "mixed": pd.Index([1, "a", 2.5, None, True, datetime.date(2020, 1, 1)] * 5),
    "large numbers": pd.Index([2**70, "a"] * 15),
}
every_index = pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)


def frame(index, rows=ROWS):
    return pd.DataFrame(rows, columns=["a", "b"], index=index)


def classifier(**params):
    return LaPOLeaFClassifier(**{"n_forests": FEW, "bandwidth": 0.5, **params})


def check_index(found, expected):
    if isinstance(expected, pd.DatetimeIndex | pd.TimedeltaIndex):
        # A frequency says nothing of the entries.
        expected = expected.copy()
        expected.freq = None
    assert_index_equal(found, expected, exact="equiv")
    assert [*map(type, found.tolist())] == [*map(type, expected.tolist())]


# ---------------------------------------------------------------------------------- columns


@pytest.mark.parametrize(("model", "y"), MODELS)
def test_columns(model, y):
    model = model.fit(frame(INDEXES["texts"]), y)
    found = model.labels_frame()
    numbers = y is NUMBERS
    assert [*found] == ["label", "confidence", "given", *(["std"] if numbers else [])]
    np.testing.assert_array_equal(found["label"], model.transduction_)
    np.testing.assert_array_equal(found["given"], model.given_)
    assert found["given"].dtype == bool
    assert found["confidence"].between(0, 1).all()
    if numbers:
        np.testing.assert_array_equal(found["std"], model.transduction_std_)
        share = 1 - model.transduction_std_**2 / np.nanvar(NUMBERS)
        np.testing.assert_allclose(found["confidence"], np.maximum(0, share), atol=1e-12)
        assert 0 < (found["confidence"] > 0).sum()
    else:
        np.testing.assert_array_equal(found["confidence"], model.confidence_)


@pytest.mark.parametrize("missing", [None, -1, np.nan])
def test_abstentions_are_marked_as_everywhere(missing):
    X, y, _ = iris()
    names = np.array([missing if label < 0 else label for label in y], dtype=object)
    model = LaPOLeaFClassifier(n_forests=FEW, min_confidence=0.9).fit(pd.DataFrame(X), names)
    label = model.labels_frame()["label"]
    unsure = model.confidence_ < 0.9
    assert 0 < unsure.sum() < len(X)
    assert (label[unsure] == -1 if missing == -1 else label[unsure].isna()).all()
    assert (label[~unsure] >= 0).all()


def test_several_targets():
    y = np.column_stack([NUMBERS, 5 - 2 * NUMBERS])
    y[0, 1] = np.nan
    model = LaPOLeaFRegressor(n_forests=FEW).fit(frame(INDEXES["days"]), y)
    found = model.labels_frame()
    names = [f"{name}_{k}" for name in ("label", "confidence", "given", "std") for k in (0, 1)]
    assert [*found] == names
    np.testing.assert_array_equal(found[["label_0", "label_1"]], model.transduction_)
    np.testing.assert_array_equal(found[["given_0", "given_1"]], ~np.isnan(y))
    one = LaPOLeaFRegressor(n_forests=FEW).fit(frame(INDEXES["days"]), NUMBERS[:, None])
    assert [*one.labels_frame()] == ["label", "confidence", "given", "std"]


def test_the_three_stages_have_no_variance():
    found = LaPOLeaFRegressor.as_published().fit(frame(None), NUMBERS).labels_frame()
    assert found[["confidence", "std"]].isna().all(axis=None)
    assert found["label"].notna().all()


@pytest.mark.parametrize(
    ("std", "given", "expected"),
    [
        ([0.0, 1.0, 2.0, 3.0], [0.0, 4.0, np.nan, np.nan], [1.0, 0.75, 0.0, 0.0]),
        # Equal numbers: known for sure, or not at all.
        ([0.0, 0.1, np.inf, np.nan], [3.0, 3.0, np.nan, np.nan], [1.0, 0.0, 0.0, np.nan]),
        ([0.0, 0.1, np.inf, np.nan], [3.0, np.nan, np.nan, np.nan], [1.0, 0.0, 0.0, np.nan]),
        ([1e-200, 1.0, np.inf, np.nan], [-1.0, 1.0, 1.0, -1.0], [1.0, 0.0, 0.0, np.nan]),
    ],
)
def test_share_of_the_variance_by_hand(std, given, expected):
    found = explained_share(np.array(std), np.array(given), np.ones(4))
    np.testing.assert_array_equal(found, expected)


def test_weights_are_rows_several_times():
    std, given = np.array([0.3, 0.7, 0.1]), np.array([1.0, 3.0, 9.0])
    found = explained_share(std, given, np.array([1.0, 2.0, 0.0]))
    np.testing.assert_allclose(found, 1 - std**2 / np.var([1.0, 3.0, 3.0]))


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_confidence_does_not_depend_on_the_unit(scale):
    usual = LaPOLeaFRegressor(n_forests=FEW).fit(ROWS, NUMBERS).labels_frame()
    found = LaPOLeaFRegressor(n_forests=FEW).fit(ROWS, scale * NUMBERS).labels_frame()
    np.testing.assert_allclose(found["confidence"], usual["confidence"], rtol=1e-9, atol=1e-9)


def test_one_given_number():
    y = np.where(np.arange(N) == 3, 7.0, np.nan)
    for model in (LaPOLeaFRegressor(n_forests=FEW), LeadingForestRegressor()):
        confidence = model.fit(ROWS, y).labels_frame()["confidence"]
        assert confidence.isin([0.0, 1.0]).all()


@pytest.mark.parametrize("room", [lapoleaf, lapoleaf.baselines], ids=["ours", "baselines"])
def test_all_that_label_rows_have_a_frame(room):
    kinds = [kind for name in room.__all__ if isinstance(kind := getattr(room, name), type)]
    labelling = [kind for kind in kinds if issubclass(kind, ClassifierMixin | RegressorMixin)]
    assert len(labelling) >= 4
    assert all(callable(kind.labels_frame) for kind in labelling)


# ---------------------------------------------------------------------------------- index


@pytest.mark.sampled(9)
@every_index
def test_the_index_of_a_frame_is_kept(index, tmp_path):
    X = frame(index)
    model = classifier().fit(X[:20], CLASSES[:20]).partial_fit(X[20:], CLASSES[20:])
    kept = np.delete(np.arange(N), [3, 25])
    found = model.forget([3, 25]).update_labels([4], [1]).labels_frame()
    check_index(found.index, index[kept])
    np.testing.assert_array_equal(found["label"], model.transduction_)
    check_index(pickle.loads(pickle.dumps(model)).labels_frame().index, index[kept])
    save(model, tmp_path / "model")
    for mmap in (False, True):
        again = load(tmp_path / "model", mmap=mmap)
        check_index(again.labels_frame().index, index[kept])
        assert_frame_equal(again.labels_frame(), found)
    save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    # What was loaded goes on as what was saved.
    for one in (model, again):
        one.partial_fit(X[:3]).forget([0, 30])
    check_index(again.labels_frame().index, model.labels_frame().index)


@pytest.mark.parametrize("bandwidth", [None, 0.5])
def test_small_models_that_are_rebuilt_and_models_that_grow(bandwidth):
    X = frame(INDEXES["texts"])
    model = classifier(bandwidth=bandwidth).partial_fit(X[:9], CLASSES[:9])
    for start in range(9, N, 7):
        model.partial_fit(X[start : start + 7], CLASSES[start : start + 7])
        model.forget(model.ids_[1])
    names = [f"row {row}" for row in model.ids_]
    assert model.labels_frame().index.tolist() == names
    # By the plain model, no row has another label than it had without an index.
    plain = classifier(bandwidth=bandwidth).fit(ROWS, CLASSES).labels_frame()
    again = classifier(bandwidth=bandwidth).fit(X, CLASSES).labels_frame()
    np.testing.assert_array_equal(again["label"], plain["label"])


def test_approximate_builds_that_are_rebuilt():
    rows = np.random.default_rng(3).normal(size=(600, 3))
    X = pd.DataFrame(rows, index=[f"row {k}" for k in range(600)]).rename(columns=str)
    y = np.where(np.arange(600) % 20 == 0, np.arange(600) // 20 % 2, -1)
    model = LaPOLeaFClassifier(n_forests=3, build="approximate").fit(X[:400], y[:400])
    model.partial_fit(X[400:], y[400:])
    assert model.labels_frame().index.tolist() == X.index.tolist()


def test_arrays_have_ids():
    model = classifier().fit(ROWS, CLASSES).forget([0, 4]).partial_fit(ROWS[:2])
    assert model._state.now.rows.frame_index is None
    check_index(model.labels_frame().index, pd.Index(model.ids_))


def test_frames_after_arrays_and_arrays_after_frames():
    names = pd.Index(["x", "y"], name="who")
    model = classifier().fit(ROWS, CLASSES)
    model.partial_fit(pd.DataFrame(ROWS[:2], index=names)).partial_fit(ROWS[:3])
    model.partial_fit(pd.DataFrame(ROWS[2:4], index=["z", "x"])).forget([1, 30, 33])
    found = model.labels_frame().index
    assert found.tolist() == [0, *range(2, N), "y", 32, 34, "z", "x"]
    assert found.name == "who"


def test_indexes_of_other_types_are_joined_as_pandas_does():
    first, second = pd.Index([1, 2, 3], name="n"), pd.Index([0.5, 1.5], name="other")
    model = classifier().fit(pd.DataFrame(ROWS[:3], index=first), [0, 1, -1])
    model.partial_fit(pd.DataFrame(ROWS[3:5], index=second))
    model.partial_fit(pd.DataFrame(ROWS[5:6], index=[9])).forget(1)
    check_index(model.labels_frame().index, pd.Index([1.0, 3.0, 0.5, 1.5, 9.0], name="n"))


def test_what_is_gone_does_not_make_an_index_mixed():
    model = classifier().fit(pd.DataFrame(ROWS[:3], index=list("abc")), [0, 1, -1])
    model.partial_fit(ROWS[3:5]).forget([3, 4])
    check_index(model.labels_frame().index, pd.Index(list("abc")))
    assert model._state.now.rows.frame_index.part_of is None


def test_a_refit_has_another_index():
    model = classifier().fit(frame(INDEXES["texts"]), CLASSES).fit(frame(INDEXES["days"]), CLASSES)
    check_index(model.labels_frame().index, INDEXES["days"])
    model.fit(ROWS, CLASSES)
    assert model._state.now.rows.frame_index is None


def test_a_call_that_fails_leaves_the_index():
    model = classifier().fit(frame(INDEXES["texts"]), CLASSES)
    with pytest.raises(ValueError, match="y has 3 labels"):
        model.partial_fit(frame(INDEXES["days"]), CLASSES[:3])
    check_index(model.labels_frame().index, INDEXES["texts"])


def test_labels_are_not_aligned_by_their_index():
    """As everywhere in scikit-learn, y goes with X by position."""
    X, y = frame(INDEXES["numbers"]), pd.Series(CLASSES)
    np.testing.assert_array_equal(
        classifier().fit(X, y).labels_frame()["label"], classifier().fit(ROWS, y).transduction_
    )


def test_types_of_pandas_become_what_their_values_are():
    for special, usual in (
        (pd.CategoricalIndex(["x", "y", "x"] * 10, name="c"), pd.Index(["x", "y", "x"] * 10)),
        (pd.Index(range(N), dtype="Int64"), pd.Index(range(N))),
    ):
        found = classifier().fit(frame(special), CLASSES).labels_frame().index
        check_index(found, usual.rename(special.name))


def test_objects_that_files_do_not_hold_are_kept_in_memory(tmp_path):
    index = pd.Index([uuid.UUID(int=k) for k in range(N)])
    model = classifier().fit(frame(index), CLASSES)
    check_index(model.labels_frame().index, index)
    check_index(pickle.loads(pickle.dumps(model)).labels_frame().index, index)
    with pytest.raises(ValueError, match=r"index of the rows cannot be saved.*type UUID.*pickle"):
        save(model, tmp_path / "model")
    model = classifier().fit(frame(pd.Index([10**50, "a"] * 15)), CLASSES)
    with pytest.raises(ValueError, match="more than 40 digits"):
        save(model, tmp_path / "model")


def test_a_zone_that_nobody_knows():
    model = classifier().fit(frame(INDEXES["Berlin"]), CLASSES)
    column = model._state.now.rows.frame_index.parts[0].columns[0]
    object.__setattr__(column, "dtype", "datetime64[ns, Middle/Earth]")
    with pytest.raises(ValueError, match=r"Middle/Earth.*cannot make on this computer"):
        model.labels_frame()


def test_more_types_than_can_be_told_apart():
    model = classifier().fit(frame(INDEXES["texts"]), CLASSES)
    index = model._state.now.rows.frame_index
    for k in range(MAX_PARTS + 1):
        part = index.parts[0].at(np.array([0]))
        object.__setattr__(part.columns[0], "dtype", f"type {k}")
        if len(index.parts) == MAX_PARTS:
            with pytest.raises(ValueError, match=f"another type than {MAX_PARTS}"):
                index.with_part(part)
            return
        index = index.with_part(part)
    raise AssertionError


# ---------------------------------------------------------------------------------- polars


@pytest.mark.parametrize(("model", "y"), MODELS)
def test_polars(model, y, tmp_path):
    X = pl.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1]})
    model.fit(X[:20], y[:20]).partial_fit(X[20:], y[20:]).forget([3])
    found = model.labels_frame()
    assert isinstance(found, pl.DataFrame)
    more = ["std"] if y is NUMBERS else []
    assert found.columns == ["id", "label", "confidence", "given", *more]
    np.testing.assert_array_equal(found["id"], model.ids_)
    np.testing.assert_array_equal(found["label"], model.transduction_)
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").labels_frame().equals(found)


def test_polars_with_texts():
    X = pl.DataFrame({"a": ROWS[:, 0]})
    names = ["one" if label == 0 else "two" if label == 1 else None for label in CLASSES]
    found = classifier(min_confidence=0.99).fit(X, names).labels_frame()
    assert found.schema["label"] == pl.String
    assert 0 < found["label"].null_count() < N


# ---------------------------------------------------------------------------------- pipelines


def test_pipelines():
    X = frame(INDEXES["Berlin"])
    pipeline = make_pipeline(StandardScaler(), classifier())
    check_index(pipeline.fit(X, CLASSES)[-1].labels_frame().index, pd.RangeIndex(N))
    pipeline.set_output(transform="pandas")
    check_index(pipeline.fit(X, CLASSES)[-1].labels_frame().index, INDEXES["Berlin"])


# ---------------------------------------------------------------------------------- without


@pytest.mark.parametrize(("model", "y"), MODELS)
def test_only_after_a_label(model, y):
    with pytest.raises(NotFittedError):
        type(model)().labels_frame()
    with pytest.raises(NotFittedError, match="no label yet"):
        type(model)().partial_fit(frame(None)).labels_frame()


def run(code):
    folder = Path(lapoleaf.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_arrays_need_neither_pandas_nor_polars():
    """scikit-learn imports pandas where it is installed: here it is not."""
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['polars'] = None\n"
        "from lapoleaf import LaPOLeaFClassifier\n"
        "model = LaPOLeaFClassifier(n_forests=2).fit([[0.0], [1.0], [5.0]], [0, -1, 1])\n"
        "model.partial_fit([[2.0]]).forget(1).predict([[3.0]])\n"
        "print(model.ids_.tolist(), model._state.now.rows.frame_index)"
    )
    assert run(code).strip() == "[0, 2, 3] None"


@pytest.mark.slow
def test_without_pandas_a_model_loads_and_tells_what_is_missing(tmp_path):
    model = classifier().fit(frame(INDEXES["mixed"]), CLASSES)
    save(model, tmp_path / "model")
    code = (
        "import sys; sys.modules['pandas'] = None\n"
        "from lapoleaf import load, save\n"
        f"model = load({str(tmp_path / 'model')!r})\n"
        "model.n_features_in_, vars(model).pop('feature_names_in_')\n"
        "model.partial_fit([[0.5, 0.5]]).forget([0])\n"
        f"save(model, {str(tmp_path / 'again')!r})\n"
        "try:\n    model.labels_frame()\n"
        "except ImportError as error:\n    print(error)"
    )
    assert run(code).startswith("labels_frame needs pandas: install it, or read transduction_")
    found = load(tmp_path / "again").labels_frame().index
    assert found.tolist() == [*INDEXES["mixed"][1:], 30]
