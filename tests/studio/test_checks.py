"""The random check: its interval by hand, its draws by chance alone."""

import numpy as np
import pytest

from lapoleaf.studio.checks import drawn, order_of_draws, wilson_interval


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
