"""What decided: given rows with real paths to them, and what every part adds."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from labelled import iris
from models import few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers

from lapoleaf import LaPOLeaFClassifier
from lapoleaf._propagation.attribution import label_shares

X, Y, _ = iris(every=6)
NEW = X[::13] + np.random.default_rng(0).normal(0, 0.3, X[::13].shape)
FAR = np.array([[40.0, 0.0, 0.0, 0.0]])
MODELS = {
    "ensemble": few_forests,
    "no experts": lambda: few_forests(experts=None),
    "no prior": lambda: few_forests(class_prior=None),
    "overruled": lambda: few_forests(mu=0.05),
    "one forest": one_tree,
    "cut": lambda: one_tree(n_trees=9, coupling=0.0),
    "stages": lambda: LaPOLeaFClassifier.as_published(n_trees=9),
}


def chain(parent, node):
    """A node and all that lead it, up to the root of the whole tree."""
    found = [node]
    while parent[found[-1]] >= 0:
        found.append(int(parent[found[-1]]))
    return found


def slow_path(parent, start, end):
    """Up to the first common leader, then down."""
    up, down = chain(parent, start), chain(parent, end)
    common = next(node for node in up if node in down)
    return [*up[: up.index(common)], common, *reversed(down[: down.index(common)])]


@pytest.fixture(scope="module", params=MODELS, name="model")
def fitted(request):
    return MODELS[request.param]().fit(X, Y)


def asked(model):
    """Rows without a label, rows with one, new rows, and a row far away."""
    given = np.flatnonzero(Y >= 0)
    return [0, 7, 71, 72, 149, *given[:3].tolist(), *NEW[:4], FAR[0], X[20]]


def explained(model):
    for row in asked(model):
        why = model.explain(row)
        yield row, why
        if why.others is not None:
            yield row, why.others


def test_parts_sum_to_the_log_odds(model):
    checked = 0
    for row, why in explained(model):
        if why.log_odds is None:
            continue
        checked += 1
        assert sum(why.parts.values()) == pytest.approx(why.log_odds, abs=1e-9)
        if np.ndim(row) and why.runner_up is not None:
            found = model.predict_proba([row])[0]
            classes = model.classes_.tolist()
            odds = found[classes.index(why.best)] / found[classes.index(why.runner_up)]
            assert why.log_odds == pytest.approx(np.log(odds), abs=1e-9)
    assert checked or model.get_params().get("solver") == "stages"


def test_best_and_runner_up(model):
    for row in range(0, 150, 11):
        why = model.explain(row)
        order = np.argsort(-model.label_distributions_[row], kind="stable")
        assert why.best == model.classes_[order[0]]
        second = model.label_distributions_[row, order[1]]
        assert why.runner_up == (model.classes_[order[1]] if second > 0 else None)
        if second > 0:
            odds = np.log(model.label_distributions_[row, order[0]] / second)
            assert why.log_odds == pytest.approx(odds, abs=1e-9)


def test_shares_of_a_class_sum_to_the_forests_mean(model):
    result = model._state.now.labelling.result
    for row, why in explained(model):
        labels = np.array(why.decider_labels)
        for label, share in why.forest_shares.items():
            assert why.shares[labels == label].sum() == pytest.approx(share, abs=1e-9)
        if np.ndim(row) == 0 and not why.given and Y[row] < 0:
            node = model.tree_.node_of[row]
            code = model.classes_.tolist().index(why.best)
            assert why.forest_shares[why.best] == pytest.approx(result.labels[node, code], abs=1e-9)


def test_reasons_are_the_first_of_each_class(model):
    for _, why in explained(model):
        labels = np.array(why.decider_labels)
        for label in why.forest_shares:
            found = [reason for reason in why.reasons if reason.label == label]
            assert [reason.row for reason in found] == why.deciders[labels == label][:3].tolist()
            assert [reason.share for reason in found] == why.shares[labels == label][:3].tolist()


def test_paths_are_links_of_a_forest(model):
    is_cut = model.get_params().get("solver") == "stages" or model.get_params().get("coupling") == 0
    for row, why in explained(model):
        for reason in why.reasons:
            assert reason.path[-1] == reason.row
            assert reason.path[0] == (row if np.ndim(row) == 0 else -1)
            forest = model.forests_[reason.forest]
            nodes = model.tree_.node_of[[r for r in reason.path if r >= 0]]
            roots = set(forest.roots.tolist())
            for one, other in pairwise(nodes):
                linked = other in (one, forest.tree.parent[one]) or forest.tree.parent[other] == one
                assert linked or (is_cut and {int(one), int(other)} <= roots)


def test_the_path_is_the_most_frequent():
    model = few_forests(n_forests=30).fit(X, Y)
    count = model._state.now.labelling.problem.count
    result = model._state.now.labelling.result
    repeated = 0
    for row in (0, 7, 71, 100, 149):
        start = int(model.tree_.node_of[row])
        for reason in model.explain(row).reasons:
            end = int(model.tree_.node_of[reason.row])
            paths = Counter(
                tuple(slow_path(forest.tree.parent, start, end))
                for forest in model.forests_
                if label_shares(forest, count, result, [start])[0, end] > 0
            )
            most = max(paths.values())
            assert reason.frequency == pytest.approx(most / 30)
            own = model.tree_.node_of[list(reason.path)]
            assert paths[tuple(own.tolist())] == most
            repeated += most > 1
    assert repeated > 5


def test_given_rows_are_told_what_the_others_would_say(model):
    rows = np.flatnonzero(Y >= 0)[::4]
    for row in rows.tolist():
        why = model.explain(row)
        assert why.given
        assert row not in why.others.deciders
        assert why.others.shares.sum() == pytest.approx(1.0)
        assert "Its label was given." in str(why)
        assert f"Without it: {why.others.best}" in str(why)


@pytest.mark.parametrize("make", [few_forests, one_tree], ids=["ensemble", "one forest"])
def test_without_a_label_is_leave_one_out(make):
    model = make(mu=0.2).fit(X, Y)
    labelling = model._state.now.labelling
    found = labelling.leave_one_out()
    for row in np.flatnonzero(Y >= 0)[::3].tolist():
        node = model.tree_.node_of[row]
        if (model.tree_.node_of[Y >= 0] == node).sum() > 1:
            continue
        others = model.explain(row).others
        place = np.searchsorted(labelling.problem.nodes, node)
        assert others.confidence == pytest.approx(found[place].max(), abs=1e-9)
        assert others.best == model.classes_[found[place].argmax()]


def test_the_only_label():
    with pytest.warns(UserWarning, match="one class only"):
        model = few_forests().fit(X, np.where(np.arange(150) == 3, 2, -1))
    why = model.explain(3)
    assert (why.given, why.others, why.runner_up) == (True, None, None)
    assert "There is no other given label" in str(why)


def test_experts_in_plain_words():
    model = few_forests().fit(X, Y)
    assert "A smooth boundary between the given labels prefers" in str(model.explain(71))
    numbers = np.where(Y >= 0, X[:, 0], np.nan)
    model = few_forests_of_numbers().fit(X[:, 1:], numbers)
    assert "from a smooth trend through the given numbers, alone" in str(model.explain(71))


@pytest.mark.parametrize("make", [few_forests_of_numbers, one_tree_of_numbers])
def test_parts_of_numbers(make):
    numbers = np.where(Y >= 0, X[:, 0], np.nan)
    model = make().fit(X[:, 1:], numbers)
    for row in (0, 7, *np.flatnonzero(Y >= 0)[:3].tolist(), NEW[0, 1:], NEW[3, 1:]):
        why = model.explain(row)
        found = model.transduction_[row] if np.ndim(row) == 0 else model.predict([row])[0]
        assert why.label == pytest.approx(found, rel=1e-12)
        assert sum(why.parts.values()) == pytest.approx(why.label, rel=1e-9)
        if np.ndim(row) == 0 and Y[row] >= 0:
            assert why.given
            assert row not in why.others.deciders


def test_far_away_the_distance_counts_against_the_best():
    why = few_forests().fit(X, Y).explain(FAR[0])
    assert why.parts["distance"] < 0
    assert "distance" not in few_forests().fit(X, Y).explain(NEW[0]).parts
