"""The parameter ``experts``: all, none, or a list of names and of objects."""

import numpy as np
import pytest
from labelled import iris
from models import few_forests

from lapoleaf import save
from lapoleaf.estimators.ensemble import checked_experts
from lapoleaf.estimators.experts import CLASS_EXPERTS, KernelRidge


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
