"""Criteria: against dense covariances, and a new one by one class and one row of the table."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from queries.dense_field import (
    DenseField,
    chain,
    dense_coverage,
    dense_variance_reduction,
    random_forest,
)

from lapoleaf import LeadingForest
from lapoleaf._propagation import Settings
from lapoleaf._queries import (
    CRITERIA,
    Coverage,
    Field,
    LabelModel,
    Target,
    VarianceReduction,
    suggest_nodes,
)

MODELS = st.builds(
    LabelModel,
    st.builds(Settings, mu=st.sampled_from([np.inf, 0.5]), coupling=st.sampled_from([1.0, 0.3])),
    pull=st.sampled_from([0.003, 0.1]),
    noise=st.sampled_from([0.0, 2.0]),
)
CASES = st.tuples(
    st.sampled_from([(Coverage, dense_coverage), (VarianceReduction, dense_variance_reduction)]),
    MODELS,
)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 25), case=CASES)
def test_every_suggestion_is_the_best_by_brute_force(seed, n, case):
    (make, dense_gains), model = case
    rng = np.random.default_rng(seed)
    population = rng.integers(1, 4, n).astype(float)
    row_weight = np.minimum(population, rng.integers(1, 4, n))
    forests = [random_forest(rng, n, population, cut=True) for _ in range(2)]
    # Two targets: some nodes have one of them, and would get the other.
    counts = [(rng.random(n) < 0.3) * 1.0 for _ in range(2)]
    concern = rng.random(n)
    targets = [Target(count, concern, make(model)) for count in counts]
    found = suggest_nodes(forests, targets, 4, row_weight=row_weight)
    free = set(np.flatnonzero(np.min(counts, axis=0) == 0).tolist())
    assert len(found) == min(4, len(free))
    twins = [
        (DenseField(forest, count, model, row_weight), count)
        for count in counts
        for forest in forests
    ]
    candidates = sorted(free)
    for node in found:
        total = np.zeros(n)
        for twin, count in twins:
            total += np.where(count == 0, dense_gains(twin, concern, candidates), 0.0)
        best = max(total[sorted(free)])
        assert total[node] == pytest.approx(best, rel=1e-5, abs=1e-7 * abs(total).max())
        free.remove(int(node))
        for twin, count in twins:
            if count[node] == 0:
                twin.add_label(node)
    assert all(any(count[node] == 0 for count in counts) for node in found)


def assert_thinning_changes_no_gain(criterion, rng, n, rtol):
    forest = random_forest(rng, n, cut=True)
    count = (rng.random(n) < 0.2) * 1.0
    nodes = rng.permutation(np.flatnonzero(count == 0))[:4]
    whole = Field.on(
        forest, criterion.model, nodes, count=count, concern=rng.random(n), row_weight=np.ones(n)
    )
    thin = whole.thinned()
    assert len(thin.parent) <= 2 * len(nodes) + 1
    np.testing.assert_allclose(criterion.gains(thin), criterion.gains(whole), rtol=rtol)
    if len(nodes):
        for field in (whole, thin):
            field.add_label(0)
        expected = criterion.gains(whole)
        np.testing.assert_allclose(criterion.gains(thin), expected, rtol=rtol, atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 40), case=CASES)
def test_thinning_changes_no_gain(seed, n, case):
    (make, _), model = case
    assert_thinning_changes_no_gain(make(model), np.random.default_rng(seed), n, rtol=1e-9)


@pytest.mark.parametrize("mu", [np.inf, 0.5])
@pytest.mark.parametrize("name", CRITERIA)
def test_thinning_changes_no_gain_of_any_criterion_of_the_table(name, mu):
    criterion = CRITERIA[name].from_settings(Settings(mu=mu, coupling=0.3))
    assert_thinning_changes_no_gain(criterion, np.random.default_rng(0), 100, rtol=1e-6)


def test_coverage_depends_on_the_weights_of_links_only():
    propagated = Settings(mu=0.3, weights="self-tuned", coupling=0.1, pull=2.0)
    assert Coverage.from_settings(propagated) == Coverage.from_settings(
        Settings(weights="self-tuned")
    )


def test_every_forest_counts_the_same_for_coverage():
    """Concern ten times as large in one field changes no gain: they are shares."""
    criterion = Coverage.from_settings(Settings())
    few, many = (
        Field.on(
            LeadingForest(chain(5), [0]),
            criterion.model,
            np.arange(5),
            count=np.zeros(5),
            concern=times * np.arange(5.0),
            row_weight=np.ones(5),
        )
        for times in (1.0, 10.0)
    )
    np.testing.assert_allclose(criterion.gains(few), criterion.gains(many))
    assert criterion.gains(few).max() == 1.0


# ------------------------------------------------------------------------------ a new criterion


@dataclass(frozen=True)
class LargestVariance:
    """The toy: the node whose label is the least certain."""

    model: LabelModel

    @classmethod
    def from_settings(cls, settings):
        return cls(LabelModel(settings, pull=0.01))

    def gains(self, field):
        variance, _ = field.covariances_with_sum()
        return variance


@pytest.mark.parametrize("candidates", [3000, 5], ids=["all nodes", "some nodes"])
def test_a_new_criterion_is_one_class_and_one_row(monkeypatch, candidates):
    """One end of a chain has a label: the other end first, then the middle."""
    monkeypatch.setattr("lapoleaf._queries.greedy._MIN_CANDIDATES", candidates)
    monkeypatch.setattr("lapoleaf._queries.greedy._CANDIDATES_PER_SUGGESTION", 1)
    monkeypatch.setitem(CRITERIA, "largest variance", LargestVariance)
    count = np.zeros(31)
    count[0] = 1
    criterion = CRITERIA["largest variance"].from_settings(Settings())
    found = suggest_nodes(
        [LeadingForest(chain(31), [0])], [Target(count, np.ones(31), criterion)], 2
    )
    assert found[0] == 30
    assert abs(found[1] - 15) <= 5


def test_criteria_may_differ_from_target_to_target():
    """Where the first target has all its labels, the second decides."""
    forest = LeadingForest(chain(31), [0])
    ends = (np.arange(31) == 0) * 1.0
    variance = LargestVariance.from_settings(Settings())
    targets = [
        Target(np.ones(31), np.ones(31), Coverage.from_settings(Settings())),
        Target(ends, np.ones(31), variance),
    ]
    assert suggest_nodes([forest], targets, 1).tolist() == [30]
