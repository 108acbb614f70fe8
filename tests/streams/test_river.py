"""river's own checks of the adapters, and classes nobody has seen before."""

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
