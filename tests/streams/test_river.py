"""river's own checks of the adapters, and classes not seen before."""

import numpy as np
import pytest

river = pytest.importorskip("river", reason="river is not installed: pip install lapoleaf[streams]")

from river import checks  # noqa: E402

from lapoleaf.streams.river import RiverClassifier, RiverRegressor  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("model", [RiverRegressor(), RiverClassifier()], ids=["numbers", "classes"])
def test_river_accepts_the_adapter(model):
    checks.check_estimator(model)


@pytest.mark.parametrize("model", [RiverRegressor(), RiverClassifier()], ids=["numbers", "classes"])
def test_rivers_quick_checks(model):
    quick = [check for check in checks.yield_checks(model) if not hasattr(check, "keywords")]
    for check in quick:
        check(model.clone())
    assert len(quick) >= 10


def test_rows_without_a_label_and_features_that_come_and_go():
    rng = np.random.default_rng(0)
    model = RiverClassifier(chunk=20)
    for k in range(60):
        side = int(rng.integers(2))
        x = {"a": 5.0 * side + rng.normal(), "b": rng.normal()}
        if k > 30:
            x["c"] = rng.normal()
        model.learn_one(x, None if k % 2 else ("left", "right")[side])
    assert model.predict_one({"a": 0.0}) == "left"
    found = model.predict_proba_one({"a": 5.0, "c": 0.0, "unknown": 1.0})
    assert found["right"] > 0.8
    assert sum(found.values()) == pytest.approx(1.0)


def test_numbers_follow_the_rows():
    model = RiverRegressor(chunk=10)
    assert model.predict_one({"x": 1.0}) == 0.0
    for k in range(40):
        model.learn_one({"x": k / 4.0}, k / 4.0)
    assert model.predict_one({"x": 5.0}) == pytest.approx(5.0, abs=0.7)


def test_a_bad_chunk_gets_a_sentence():
    with pytest.raises(ValueError, match="chunk=0 must be a whole number"):
        RiverRegressor(chunk=0)


def made_row(rng):
    return {"a": rng.normal(), "b": rng.normal()}


def answers(model, seed=1):
    rng = np.random.default_rng(seed)
    return [model.predict_one(made_row(rng)) for _ in range(20)]


def fed(model, n, seed=0, bad=()):
    """Learn good rows, and expect a sentence for each bad one on the way."""
    rng = np.random.default_rng(seed)
    for k in range(n):
        if k % 7 == 0:
            for x, y, message in bad:
                with pytest.raises(ValueError, match=message):
                    model.learn_one(x, y)
        x = made_row(rng)
        number = isinstance(model, RiverRegressor)
        model.learn_one(x, x["a"] if number else ("left", "right")[int(x["a"] > 0)])
    return model


BAD_ROWS = [
    ({"a": np.nan, "b": 1.0}, "must be a finite number: leave the feature out"),
    ({"a": 1.0, "b": -np.inf}, "must be a finite number"),
    ({"new": np.nan}, "must be a finite number"),
    ({"a": "x", "b": 1.0}, "x\\['a'\\]='x' must be a finite number"),
    ({"a": None}, "must be a finite number"),
    ({"a": 10**400}, "must be a finite number"),
]


@pytest.mark.parametrize("model", [RiverRegressor, RiverClassifier])
def test_a_bad_row_is_refused_at_once_and_changes_nothing(model):
    y = 1.0 if model is RiverRegressor else "left"
    bad = [(x, y, message) for x, message in BAD_ROWS]
    bad.append(({"a": 1.0, "b": 1.0}, np.nan, "y=nan must be a"))
    if model is RiverRegressor:
        bad.append(({"a": 1.0, "b": 1.0}, np.inf, "y=inf must be a finite number"))
    else:
        bad.append(({"a": 1.0, "b": 1.0}, ["left"], "must be a class such as a text"))
    disturbed, plain = fed(model(chunk=20), 100, bad=bad), fed(model(chunk=20), 100)
    assert answers(disturbed) == answers(plain)
    assert disturbed._rows.columns == plain._rows.columns
    with pytest.raises(ValueError, match="must be a finite number"):
        plain.predict_one({"a": np.nan})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("model", [RiverRegressor, RiverClassifier])
@pytest.mark.parametrize("bound", [{"window_size": 50}, {"half_life": 5.0}, {"max_points": 50}])
def test_labels_that_have_left_and_come_back(model, bound):
    first = fed(model(chunk=10, **bound), 40)
    rng = np.random.default_rng(3)
    for _ in range(150):
        first.learn_one(made_row(rng), None)
    given = {"left", "right"} if model is RiverClassifier else None
    found = answers(first)
    assert set(found) <= given if given else np.isfinite(found).all()
    fed(first, 60, seed=4)
    low, high = first.predict_one({"a": -1.5, "b": 0.0}), first.predict_one({"a": 1.5, "b": 0.0})
    assert (low, high) == ("left", "right") if given else low < high


@pytest.mark.parametrize("model", [RiverRegressor, RiverClassifier])
@pytest.mark.parametrize("bound", [{"window_size": 60}, {"max_points": 60}])
def test_rows_without_any_target_are_kept_within_bounds(model, bound):
    first = model(chunk=10, **bound)
    rng = np.random.default_rng(0)
    for _ in range(500):
        first.learn_one(made_row(rng), None)
    assert len(first._rows.memory) <= 60
    assert len(first._rows.rows) < 10
    assert first.predict_one({"a": 1.0}) == (0.0 if model is RiverRegressor else None)
    fed(first, 40)
    assert first.predict_one({"a": 1.5, "b": 0.0}) != first.predict_one({"a": -1.5, "b": 0.0})


@pytest.mark.parametrize("model", [RiverRegressor, RiverClassifier])
def test_features_that_are_new_or_not_there(model):
    first = model(chunk=10)
    with pytest.raises(ValueError, match="x has no feature"):
        first.learn_one({}, 1.0)
    fed(first, 30)
    for k in range(30):
        first.learn_one({"c": float(k)}, 1.0 if model is RiverRegressor else "left")
        first.learn_one({}, 1.0 if model is RiverRegressor else "left")
    assert first.predict_one({}) is not None
    assert first.predict_one({"unheard of": 3.0}) is not None
