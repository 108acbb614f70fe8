"""What "auto" chooses for one forest, and from what."""

import numpy as np
import pytest
from models import one_tree, one_tree_of_numbers
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.preprocessing import minmax_scale

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    leading_tree,
    lodog,
    propagate,
)
from lapoleaf._propagation import Settings
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.settings_search import (
    CANDIDATES,
    ForestChoices,
    _honest_errors,
    _Trial,
    candidates_of,
    is_better,
    select_settings,
)

IRIS, SPECIES = load_iris(return_X_y=True)
PATIENTS, DISEASE = load_diabetes(return_X_y=True)
PATIENTS = minmax_scale(PATIENTS[:150])
DISEASE = DISEASE[:150]
ALL_AUTO = dict.fromkeys(CANDIDATES, "auto")


def some_species(seed=0, rate=0.1):
    given = np.random.default_rng(seed).random(len(IRIS)) < rate
    return np.where(given, SPECIES, -1)


def some_disease(seed=0, m=25):
    given = np.random.default_rng(seed).permutation(len(DISEASE)) < m
    return np.where(given, DISEASE, np.nan)


def fitted(**params):
    return one_tree(**params).fit(IRIS, some_species())


def test_chosen_says_what_was_used_and_how_well_it_did():
    model = fitted(**ALL_AUTO)
    assert set(model.chosen_) == {"percent", "weights", "alpha", "coupling", "mu", "loss"}
    for name, candidates in CANDIDATES.items():
        assert model.chosen_[name] in candidates
    fixed = {name: model.chosen_[name] for name in CANDIDATES}
    again = fitted(**fixed)
    assert again.chosen_ == model.chosen_
    np.testing.assert_array_equal(again.label_distributions_, model.label_distributions_)
    np.testing.assert_array_equal(again.forest_.roots, model.forest_.roots)


def test_what_is_not_auto_is_left_alone():
    model = fitted(percent=5.0, weights="auto", coupling=0.25, mu=3.0, alpha=0.4)
    assert model.chosen_["percent"] == 5.0
    assert model.chosen_["coupling"] == 0.25
    assert model.chosen_["mu"] == 3.0
    assert model.chosen_["alpha"] == 0.4


def test_parameters_stay_as_they_were_set():
    model = fitted(**ALL_AUTO)
    assert {name: model.get_params()[name] for name in CANDIDATES} == ALL_AUTO
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("mu", [np.inf, 1.0])
def test_the_loss_is_that_of_deleting_every_label_in_turn(mu):
    y = some_disease(m=12)
    model = one_tree_of_numbers(mu=mu).fit(PATIENTS, y)
    given = np.flatnonzero(~np.isnan(y))
    errors = []
    for row in given:
        fewer = y.copy()
        fewer[row] = np.nan
        errors.append(one_tree_of_numbers(mu=mu).fit(PATIENTS, fewer).transduction_[row] - y[row])
    expected = np.mean(np.square(errors)) / np.var(y[given])
    np.testing.assert_allclose(model.chosen_["loss"], expected, rtol=1e-9)


# Where the forest is one tree, or its trees are coupled as before, a cut changes nothing.
AROUND = {"alpha": {"coupling": 0.0}, "coupling": {"n_trees": 20}}


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_best_candidate_is_chosen_and_a_later_one_only_if_clearly_better(name):
    around = AROUND.get(name, {})
    found = [fitted(**around, **{name: v}).chosen_["loss"] for v in CANDIDATES[name]]
    assert max(found) > 1.01 * min(found)  # there is something to choose
    best = 0
    for k, loss in enumerate(found):
        if loss < 0.99 * found[best]:
            best = k
    model = fitted(**around, **{name: "auto"})
    assert model.chosen_[name] == CANDIDATES[name][best]
    assert model.chosen_["loss"] == found[best]


def test_the_choice_is_never_worse_by_its_own_measure():
    for seed in range(5):
        y = some_species(seed)
        chosen, default = (
            one_tree(**params).fit(IRIS, y).chosen_["loss"] for params in (ALL_AUTO, {})
        )
        assert chosen <= default


def test_only_given_labels_decide_and_how_missing_ones_are_marked_does_not():
    y = some_species()
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)
    marked = [
        (y, "auto"),
        (np.where(y < 0, 99, y), 99),
        (np.where(y < 0, np.nan, y), "auto"),
        (np.where(y < 0, None, names[y]), "auto"),
        (np.where(y < 0, "?", names[y]), "?"),
    ]
    models = [
        one_tree(missing_label=missing, **ALL_AUTO).fit(IRIS, labels) for labels, missing in marked
    ]
    for model in models[1:]:
        assert model.chosen_ == models[0].chosen_
        np.testing.assert_array_equal(model.label_distributions_, models[0].label_distributions_)


def test_labels_of_weight_0_do_not_decide():
    """A row of weight 0 is as good as not there, whatever its label says."""
    y, weight = some_disease(), np.ones(len(DISEASE))
    hidden = np.flatnonzero(np.isnan(y))[:40]
    weight[hidden] = 0.0
    wrong = y.copy()
    wrong[hidden] = -1e6
    one, other = (
        one_tree_of_numbers(**ALL_AUTO).fit(PATIENTS, targets, sample_weight=weight)
        for targets in (y, wrong)
    )
    assert one.chosen_ == other.chosen_
    np.testing.assert_array_equal(one.transduction_, other.transduction_)


def test_equal_candidates_leave_the_first():
    y = np.where(some_species() >= 0, 1, -1)
    with pytest.warns(UserWarning, match="only -1 and 1"):
        model = one_tree(**ALL_AUTO).fit(IRIS, y)
    assert model.chosen_ == {
        "percent": 2.0, "weights": "self-tuned", "alpha": 0.5, "coupling": 1.0, "mu": np.inf,
        "loss": 0.0,
    }  # fmt: skip


def test_a_single_label_leaves_the_first_and_costs_what_the_mean_does():
    y = np.full(len(DISEASE), np.nan)
    y[3] = 7.0
    model = one_tree_of_numbers(**ALL_AUTO).fit(PATIENTS, y)
    assert model.chosen_["percent"] == 2.0
    assert model.chosen_["mu"] == np.inf
    assert model.chosen_["loss"] == 0.0
    np.testing.assert_allclose(model.transduction_, 7.0, rtol=1e-14)


def test_candidate_trees_are_those_built_one_by_one_bit_for_bit():
    model = one_tree(percent="auto")
    weight = np.ones(len(IRIS))
    together = model._tree_settings().trees(IRIS, weight, CANDIDATES["percent"]).plain
    for percent, tree in zip(CANDIDATES["percent"], together, strict=True):
        alone = leading_tree(IRIS, percent=percent)
        assert tree.bandwidth == alone.bandwidth
        for name in ("density", "delta", "parent", "population", "node_of", "scale"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(alone, name), name)
    chosen = model.fit(IRIS, some_species())
    alone = leading_tree(IRIS, percent=chosen.chosen_["percent"])
    np.testing.assert_array_equal(chosen.tree_.parent, alone.parent)
    assert chosen.bandwidth_ == alone.bandwidth


def test_candidate_trees_share_one_pass_over_the_distances():
    calls = [0]

    def counting(a, b):
        calls[0] += 1
        return float(np.abs(a - b).sum())

    X, y, spent = IRIS[::3], some_species(rate=0.3)[::3], []
    for percent in (2.0, "auto"):
        calls[0] = 0
        one_tree(percent=percent, metric=counting).fit(X, y)
        spent.append(calls[0])
    assert spent[1] < 1.3 * spent[0]


def test_a_bandwidth_leaves_no_percentage_to_choose():
    model = fitted(percent="auto", bandwidth=0.5)
    assert model.bandwidth_ == 0.5
    np.testing.assert_array_equal(model.tree_.parent, leading_tree(IRIS, bandwidth=0.5).parent)


@pytest.mark.parametrize("name", [name for name in CANDIDATES if name != "mu"])
@pytest.mark.parametrize("kind", [LeadingForestClassifier, LeadingForestRegressor])
def test_the_three_stages_have_nothing_to_choose_by(kind, name):
    params = {"mu": np.inf, name: "auto"}
    with pytest.raises(ValueError, match=f"{name}='auto' is chosen by leave-one-out, which only"):
        kind(solver="stages", **params).fit(IRIS, SPECIES.astype(float))


@pytest.mark.parametrize("kind", [LaPOLeaFClassifier, LaPOLeaFRegressor])
def test_the_three_stages_keep_given_labels_without_being_told(kind):
    y = SPECIES.astype(float)
    model = kind.as_published().fit(IRIS, y)
    assert model.chosen_["mu"] == np.inf
    assert len(model.forests_) == 1
    np.testing.assert_array_equal(model.transduction_, y)
    told = kind.as_published(mu=np.inf).fit(IRIS, y)
    np.testing.assert_array_equal(model.transduction_, told.transduction_)


@pytest.mark.parametrize("kind", [LaPOLeaFClassifier, LaPOLeaFRegressor])
def test_the_three_stages_have_no_loss(kind):
    assert kind.as_published().fit(IRIS, SPECIES).chosen_["loss"] is None


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"percent": "automatic"}, "percent='automatic' must be a number"),
        ({"alpha": "Auto"}, "alpha='Auto' must be a number"),
        ({"coupling": "automatic"}, "coupling='automatic' must be a number"),
        ({"mu": "auto "}, "mu='auto ' must be a positive number"),
        ({"weights": "best"}, "weights='best' is not known"),
        ({"mu": -1}, "mu=-1 must be a positive number"),
        ({"coupling": 2}, "coupling=2 must be a number from 0"),
        ({"solver": "iterate"}, "solver='iterate' is not known"),
        ({"alpha": [0.5]}, "alpha="),
    ],
)
def test_bad_values_get_one_clear_sentence(params, sentence):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        fitted(**params)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_with_several_targets_the_loss_is_their_mean_and_units_do_not_count():
    y = np.column_stack([some_disease(0), 1000 * some_disease(1)])
    both = one_tree_of_numbers(mu=1.0).fit(PATIENTS, y).chosen_["loss"]
    alone = [one_tree_of_numbers(mu=1.0).fit(PATIENTS, t).chosen_["loss"] for t in y.T]
    np.testing.assert_allclose(both, np.mean(alone), rtol=1e-12)


def test_every_label_is_judged_by_what_would_be_chosen_without_it():
    """Three candidates for three labels: losses a label, and errors in standard deviations."""
    forest = lodog(leading_tree([[0.0], [1.0], [3.0]]), n_trees=1)
    result = propagate(forest, [1.0, 2.0, 3.0], [1, 1, 1])
    trials = [
        _Trial(result, np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])),
        _Trial(result, np.array([0.0, 1.0, 1.1]), np.array([0.1, 0.2, 0.3])),  # by label 0 only
        _Trial(result, np.array([9.0, 9.0, 0.0]), np.array([7.0, 8.0, 9.0])),
    ]
    # Without label 0 the first is at 2, the second at 2.1: the first stays. Without label 1 they
    # are at 2 and 1.1, without label 2 at 2 and 1: the second is taken.
    np.testing.assert_array_equal(_honest_errors(trials), [1.0, 0.2, 0.3])


# ------------------------------------------------------------------------- the search, by itself


def problem_of(y):
    """Targets of rows that all are nodes of their own."""
    return Problem(np.nan_to_num(y)[:, None], (~np.isnan(y)).astype(float))


def rows_and_numbers():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(np.arange(60) % 4 == 0, X[:, 0], np.nan)
    return X, y


ONE_OF_EACH = {name: candidates[:1] for name, candidates in CANDIDATES.items()}


def test_every_problem_has_its_own_settings_in_one_forest():
    """Numbers that follow the rows want to be kept, noise wants to be smoothed."""
    X, y = rows_and_numbers()
    noise = np.where(np.isnan(y), np.nan, np.random.default_rng(1).normal(size=60))
    tree = leading_tree(X)
    problems = [problem_of(y), problem_of(noise)]
    options = {**ONE_OF_EACH, "mu": CANDIDATES["mu"]}
    found = select_settings(problems, lambda *_: lodog(tree), "exact", options)
    assert [result.settings for result in found.results] == list(found.choices.settings)
    assert found.choices.settings[0].mu > found.choices.settings[1].mu
    alone = [select_settings([p], lambda *_: lodog(tree), "exact", options) for p in problems]
    for place, one in enumerate(alone):
        assert one.choices.settings == found.choices.settings[place : place + 1]
        np.testing.assert_array_equal(one.results[0].labels, found.results[place].labels)
        np.testing.assert_array_equal(one.errors[0], found.errors[place])
    assert found.choices.loss == np.mean([one.choices.loss for one in alone])


def test_few_labels_choose_nothing():
    """Nine labels: only the first candidate of every parameter is tried."""
    X, _ = rows_and_numbers()
    y = np.where(np.arange(60) < 9, np.random.default_rng(1).normal(size=60), np.nan)
    tried = []

    def cut(percent, alpha):
        tried.append((percent, alpha))
        return lodog(leading_tree(X, percent=percent), alpha=alpha)

    found = select_settings([problem_of(y)], cut, "exact", CANDIDATES)
    assert tried == [(2.0, 0.5)]
    assert found.choices.settings == (Settings("exact", np.inf, "self-tuned", 1.0),)


def test_a_percentage_is_chosen_before_alpha():
    X, y = rows_and_numbers()
    tried = []

    def cut(percent, alpha):
        tried.append((percent, alpha))
        return lodog(leading_tree(X, percent=percent), alpha=alpha)

    found = select_settings([problem_of(y)], cut, "exact", CANDIDATES)
    n = len(CANDIDATES["percent"])
    assert [percent for percent, _ in tried[:n]] == list(CANDIDATES["percent"])
    assert {alpha for _, alpha in tried[:n]} == {0.5}
    assert [alpha for _, alpha in tried[n:]] == list(CANDIDATES["alpha"][1:])
    assert {percent for percent, _ in tried[n:]} == {found.choices.percent}


def test_the_stages_are_not_judged():
    X, y = rows_and_numbers()
    found = select_settings(
        [problem_of(y)], lambda *_: lodog(leading_tree(X)), "stages", ONE_OF_EACH
    )
    assert found.errors is None
    assert found.choices.loss is None


def test_choices_as_users_see_them():
    one, two = Settings("exact", 1.0, "inverse", 0.1), Settings("exact", np.inf, "inverse", 1.0)
    assert ForestChoices(2.0, 0.5, (one,), 0.25).as_dict() == {
        "percent": 2.0, "alpha": 0.5, "weights": "inverse", "coupling": 0.1, "mu": 1.0,
        "loss": 0.25,
    }  # fmt: skip
    both = ForestChoices(2.0, 0.5, (one, two), None).as_dict()
    assert both["mu"] == [1.0, np.inf]
    assert both["loss"] is None


def test_candidates_are_all_or_the_value_that_was_set():
    values = {"percent": 5.0, "weights": "auto", "alpha": "auto", "coupling": 0.3, "mu": "auto"}
    options = candidates_of("exact", values)
    assert options["percent"] == (5.0,)
    assert options["coupling"] == (0.3,)
    for name in ("weights", "alpha", "mu"):
        assert options[name] == CANDIDATES[name]
    set_all = {**values, "weights": "inverse", "alpha": 0.3}
    assert candidates_of("stages", set_all)["mu"] == (np.inf,)


def test_a_hundredth_is_not_better():
    assert is_better(0.98, 1.0)
    assert not is_better(0.99, 1.0)
    assert not is_better(1.0, 1.0)
    assert not is_better(None, 1.0)
    assert not is_better(0.5, None)
