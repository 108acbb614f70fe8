"""The parameter ``experts``: all, none, or a list of names and of objects."""

import numpy as np
import pytest
from labelled import iris
from models import few_forests, few_forests_of_numbers

from lapoleaf import save
from lapoleaf.estimators.ensemble import checked_experts
from lapoleaf.estimators.experts import CLASS_EXPERTS, Estimate, KernelRidge


class Centroids:
    """An expert of a user: the distance to the mean of every class."""

    name = "centroids"
    usual_share = 0.5
    score_unit = 1.0

    def __init__(self, helps=True):
        self.helps = helps

    def can_help(self, points, problem):
        return self.helps

    def fit(self, points, problem, threads=1):
        assert self.helps, "an expert that cannot help is not fitted"
        nodes, labels = problem.nodes, problem.labels[problem.nodes]
        rows = points.at(nodes)
        means = (labels.T @ rows) / labels.sum(axis=0)[:, None]
        return FittedCentroids(means, FittedCentroids(means, None).at_rows(rows))


class FittedCentroids:
    name = "centroids"
    description = "the nearest mean"
    logarithms_of = 1.0

    def __init__(self, means, leave_one_out):
        self.means, self.leave_one_out = means, leave_one_out

    def at_nodes(self, points, nodes=None, threads=1, verbose=0):
        return self.at_rows(points.at(np.arange(points.n) if nodes is None else nodes))

    def at_rows(self, X, threads=1, verbose=0):
        return -((np.asarray(X)[:, None] - self.means) ** 2).sum(axis=2)


def test_all_none_or_some():
    assert checked_experts(None, CLASS_EXPERTS) == ()
    assert checked_experts("auto", CLASS_EXPERTS) == tuple(CLASS_EXPERTS.values())
    assert checked_experts([], CLASS_EXPERTS) == ()
    names = [expert.name for expert in checked_experts(["trees", "ridge"], CLASS_EXPERTS)]
    assert names == ["ridge", "trees"]
    own = Centroids()
    assert checked_experts((own, "trees"), CLASS_EXPERTS)[1] is own


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ("ridge", r"experts='ridge' must be 'auto'"),
        (0.1, r"experts=0.1 must be 'auto'"),
        (True, r"experts=True must be 'auto'"),
        (["forest"], r"has 'forest': it must be 'ridge' or 'trees' or 'discriminants'"),
        ([None], r"has None: it must be"),
        ([1], r"has 1: it must be"),
        ([object()], r"it must be 'ridge' or 'trees' or 'discriminants', or an expert of your own"),
        ([Centroids], r"has the class Centroids: put an object of it into the list"),
        (["trees", "trees"], "has a name twice"),
        ([KernelRidge()], "called 'ridge': that name is taken"),
    ],
)
def test_bad_experts(bad, words):
    with pytest.raises(ValueError, match=words):
        checked_experts(bad, CLASS_EXPERTS)
    X, y, _ = iris()
    with pytest.raises(ValueError, match=words):
        few_forests(experts=bad).fit(X, y)


def test_an_object_that_lacks_a_part():
    class Half:
        name = "half"

        def fit(self, points, problem, threads=1):
            """Learn nothing."""

    with pytest.raises(ValueError, match=r"without usual_share, score_unit, can_help"):
        checked_experts([Half()], CLASS_EXPERTS)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("name", 3, r"whose name=3 must be a string"),
        ("usual_share", 0, r"whose usual_share=0 must be a finite number above 0"),
        ("usual_share", "half", r"whose usual_share='half' must be"),
        ("score_unit", np.nan, r"whose score_unit=nan must be"),
        ("score_unit", True, r"whose score_unit=True must be"),
    ],
)
def test_an_object_with_a_wrong_part(name, value, words):
    expert = Centroids()
    setattr(expert, name, value)
    with pytest.raises(ValueError, match=words):
        checked_experts([expert], CLASS_EXPERTS)


def without(fitted, name):
    delattr(fitted, name)
    return fitted


def with_answers(fitted, leave_one_out):
    fitted.leave_one_out = leave_one_out
    return fitted


def with_two_classes(fitted):
    fitted.means = fitted.means[:2]
    return fitted


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda f: None, r"fit of the expert 'centroids' returned None without name, description"),
        (lambda f: without(f, "leave_one_out"), r"without leave_one_out: see FittedExpert in"),
        (
            lambda f: with_answers(f, f.leave_one_out[1:]),
            r"leave_one_out of the expert 'centroids' must be an array of shape \(15, 3\), a row a "
            r"given label, and a column a class; got shape \(14, 3\)",
        ),
        (lambda f: with_answers(f, [[0.0]]), r"a column a class; got \[\[0.0\]\]"),
        (lambda f: with_answers(f, f.leave_one_out * np.nan), r"must hold finite numbers"),
        (lambda f: with_answers(f, f.leave_one_out.astype(str)), r"must hold finite numbers"),
        (with_two_classes, r"at_nodes for one node of the expert 'centroids' .* shape \(1, 3\)"),
    ],
    ids=["none", "a part", "a row", "a list", "NaN", "texts", "a class"],
)
def test_what_an_expert_of_a_user_learns_is_checked(spoil, words):
    class Spoilt(Centroids):
        def fit(self, points, problem, threads=1):
            return spoil(super().fit(points, problem, threads))

    X, y, _ = iris()
    with pytest.raises(ValueError, match=words):
        few_forests(experts=[Spoilt()]).fit(X, y)


class Mean:
    """An expert of a user for numbers: the mean, left out one by one."""

    name = "mean"
    usual_share = 0.3
    score_unit = 1.0

    def can_help(self, points, problem):
        return len(problem.nodes) > 1

    def fit(self, points, problem, threads=1):
        values = problem.labels[problem.nodes, 0]
        others = (values.sum() - values) / (len(values) - 1)
        return FittedMean(values, Estimate(others, np.full(len(values), values.var())))


class FittedMean:
    name = "mean"
    description = "the mean"
    logarithms_of = 1.0

    def __init__(self, values, leave_one_out):
        self.values, self.leave_one_out = values, leave_one_out

    def at_nodes(self, points, nodes=None, threads=1, verbose=0):
        return self.at_rows(np.arange(points.n) if nodes is None else nodes)

    def at_rows(self, X, threads=1, verbose=0):
        n = len(X)
        return Estimate(np.full(n, self.values.mean()), np.full(n, self.values.var()))


def test_an_expert_of_a_user_for_numbers():
    X, y, _ = iris()
    targets = np.where(y >= 0, X[:, 0], np.nan)
    model = few_forests_of_numbers(experts=["trend", Mean()]).fit(X[:, 1:], targets)
    assert 0 < model.chosen_["expert_shares"]["mean"] < 0.5
    assert np.isfinite(model.predict(X[:, 1:])).all()


def test_what_an_expert_of_a_user_learns_about_numbers_is_checked():
    class Spoilt(Mean):
        def fit(self, points, problem, threads=1):
            found = super().fit(points, problem, threads)
            return with_answers(found, found.leave_one_out.values)

    X, y, _ = iris()
    targets = np.where(y >= 0, X[:, 0], np.nan)
    with pytest.raises(ValueError, match=r"leave_one_out of the expert 'mean' must be an Estimate"):
        few_forests_of_numbers(experts=[Spoilt()]).fit(X, targets)


def test_a_list_of_names():
    X, y, truth = iris()
    model = few_forests(experts=["trees"]).fit(X, y)
    assert list(model.chosen_["expert_shares"]) == ["trees"]
    assert np.mean(model.transduction_ == truth) > 0.85
    assert list(few_forests().fit(X, y).chosen_["expert_shares"])[:2] == ["ridge", "trees"]


def test_an_expert_of_a_user():
    X, y, truth = iris()
    model = few_forests(experts=[Centroids()], scaling=None).fit(X, y)
    assert model.chosen_["expert_shares"]["centroids"] > 0
    assert np.mean(model.predict(X) == truth) > 0.85
    assert "centroids" in model.explain(int(np.flatnonzero(y < 0)[0])).parts


def test_an_expert_that_cannot_help_is_not_fitted():
    X, y, _ = iris()
    model = few_forests(experts=[Centroids(helps=False)]).fit(X, y)
    assert model.chosen_["expert_shares"] == {}


def test_an_expert_of_a_user_cannot_be_saved(tmp_path):
    X, y, _ = iris()
    model = few_forests(experts=[Centroids()]).fit(X, y)
    with pytest.raises(
        ValueError, match=r"experts\[0\]=.* cannot be saved: it is of type Centroids"
    ):
        save(model, tmp_path / "model")
