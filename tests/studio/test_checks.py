"""The random check: its interval by hand, its draws by chance alone."""

import numpy as np
import pytest

from lapoleaf.studio.checks import drawn, order_of_draws, wilson_interval
from lapoleaf.studio.opening import opened
from lapoleaf.studio.results import Result


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    # From the formula, and from published tables.
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634),
     (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)  # fmt: skip
def test_wilson_by_hand(right, n, low, high):
    assert wilson_interval(right, n) == pytest.approx((low, high), abs=1e-4)


def test_the_interval_solves_its_equation():
    low, high = wilson_interval(37, 50)
    for end in (low, high):
        error = abs(37 / 50 - end) / np.sqrt(end * (1 - end) / 50)
        assert error == pytest.approx(1.959964, abs=1e-6)


def test_rows_are_drawn_uniformly():
    rng = np.random.default_rng(0)
    digests = rng.integers(0, 2**63, 30).astype(np.uint64)
    digests[10:20] = digests[0]  # equal rows have chances of their own
    allowed = np.ones(30, dtype=bool)
    allowed[25:] = False
    counts = np.zeros(30)
    for seed in range(2000):
        rows = drawn(order_of_draws(digests, seed * 7919), allowed, 5)
        assert len(set(rows.tolist())) == 5
        counts[rows] += 1
    assert (counts[25:] == 0).all()
    # 2000 draws of 5 out of 25: 400 each, with a standard deviation of 18.
    assert np.abs(counts[:25] - 400).max() < 5 * 18


def test_answers_do_not_change_the_other_draws():
    digests = np.arange(50, dtype=np.uint64) * np.uint64(2**40)
    allowed = np.ones(50, dtype=bool)
    order = order_of_draws(digests, 3)
    first = drawn(order, allowed, 6)
    allowed[first[2]] = False
    again = drawn(order, allowed, 5)
    assert again.tolist() == np.delete(first, 2).tolist()
    assert drawn(order, allowed, 99).shape == (49,)


def test_a_label_that_was_taken_back_is_not_checked_by_itself(tmp_path):
    """Until the model has answered again, it repeats the label that a person gave."""
    session = opened(np.arange(24.0).reshape(12, 2), project=tmp_path / "a.lapoleaf")
    for name in "ab":
        session.act({"kind": "add_class", "name": name})
    classes = np.zeros(12, dtype=np.int32)
    before = session.state
    session.act({"kind": "label", "rows": [5], "class": 1})
    after = session.state
    classes[5] = 1
    confidence = np.full(12, 0.75, dtype=np.float32)
    session.take_result(Result(None, classes, confidence, None), after)
    session.act({"kind": "undo"})
    assert 5 not in [row for row, _ in session.drawn_for_check(12)]
    session.take_result(Result(None, np.zeros(12, dtype=np.int32), confidence, None), before)
    assert (5, 0) in session.drawn_for_check(12)
    session.close()
