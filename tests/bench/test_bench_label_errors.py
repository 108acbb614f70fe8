"""Confident learning against a case worked out by hand."""

import numpy as np
import pytest

from benchmarks.methods.label_errors import confident_doubts, logistic_learner, out_of_sample

LABELS = np.array([0, 0, 1, 1, 2])
# Thresholds: (0.8 + 0.2) / 2, (0.6 + 0.4) / 2 and 0.4.
PROBABILITIES = np.array(
    [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.5, 0.4, 0.1], [0.3, 0.3, 0.4]]
)


def test_doubts_by_hand():
    # Less the thresholds, plus the largest, the third column gains 0.1: rows sum to 1.1.
    others = np.array([0.2, 0.5, 0.4, 0.5, 0.3])
    given = np.array([0.8, 0.2, 0.6, 0.4, 0.5])
    found = confident_doubts(PROBABILITIES, LABELS)
    np.testing.assert_allclose(found.doubt, (others - given) / 1.1)


def test_flags_by_hand():
    # Row 1 reaches the threshold of class 1 alone, row 3 that of class 0; the rest their own.
    found = confident_doubts(PROBABILITIES, LABELS)
    assert found.flagged.tolist() == [False, True, False, True, False]


def test_what_reaches_no_threshold_is_not_flagged():
    probabilities = np.array([[0.1, 0.9], [0.9, 0.1], [0.6, 0.4]])
    # Thresholds: 0.9 and 0.65. Row 2 is more likely of class 0, but not confidently.
    found = confident_doubts(probabilities, np.array([1, 0, 1]))
    assert found.flagged.tolist() == [False, False, False]


def test_the_arguments_stay_as_they_were():
    before = PROBABILITIES.copy()
    confident_doubts(PROBABILITIES, LABELS)
    np.testing.assert_array_equal(PROBABILITIES, before)


@pytest.mark.parametrize("n", [3, 23])
def test_nobody_is_judged_by_who_saw_the_label(n):
    labels = np.arange(n) % 3
    judged = []

    def learn(seen, unseen):
        assert sorted([*seen, *unseen]) == list(range(n))
        judged.append(unseen.tolist())
        return unseen[:, None] * [1.0, 10.0]

    found = out_of_sample(labels, learn, seed=0)
    assert len(judged) == min(n, 5)
    np.testing.assert_array_equal(found, np.arange(n)[:, None] * [1.0, 10.0])


def test_folds_have_their_share_of_every_class():
    labels = np.repeat([0, 1, 2], [10, 20, 5])
    shares = []

    def learn(seen, unseen):
        shares.append(np.bincount(labels[unseen]).tolist())
        return np.zeros((len(unseen), 3))

    out_of_sample(labels, learn, seed=1)
    assert shares == [[2, 4, 1]] * 5


def test_logistic_regression_knows_the_seen_only():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [5.5]])
    learn = logistic_learner(X, np.array([0, 0, 1, 1, 2]))
    found = learn(np.array([0, 1, 2, 3]), np.array([4, 0]))
    assert found.shape == (2, 3)
    assert found[0].tolist() == pytest.approx([0.5, 0.5, 0.0], abs=0.05)
    assert found[1, 0] > 0.9
    assert learn(np.array([2, 3]), np.array([0])).tolist() == [[0.0, 1.0, 0.0]]
