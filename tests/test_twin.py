"""Unfitted twins learn, and hand over what they have learnt."""

from sklearn import config_context
from sklearn.base import BaseEstimator

from lapoleaf._twin import adopt, unfitted_twin
from lapoleaf.baselines import LSSVR


class Mean(BaseEstimator):
    """An estimator that learns one number and shows its parameter."""

    def __init__(self, *, weights=None, inner=None):
        self.weights = weights
        self.inner = inner


def learnt(**params):
    model = Mean(**params)
    model.mean_, model._hidden = 3.0, [1, 2]
    return model


def test_a_twin_has_the_same_parameters_and_has_learnt_nothing():
    weights, inner = [1, 2], Mean()
    model = learnt(weights=weights, inner=inner)
    twin = unfitted_twin(model)
    assert type(twin) is Mean
    assert twin is not model
    assert vars(twin) == {"weights": weights, "inner": inner}
    # As they are, no copies: clone would copy them.
    assert twin.weights is weights
    assert twin.inner is inner


def test_a_twin_that_learns_leaves_the_other_alone():
    model = learnt()
    twin = unfitted_twin(model)
    twin.mean_, twin.other_ = 5.0, "more"
    assert (model.mean_, model._hidden) == (3.0, [1, 2])
    assert not hasattr(model, "other_")


def test_adopting_replaces_all_that_was_learnt_before():
    model, weights = learnt(weights=[1]), [7]
    model.set_params(weights=weights)
    twin = unfitted_twin(model)
    twin.other_ = "new"
    twin._hidden = [3]
    assert adopt(model, twin) is model
    assert vars(model) == {"weights": weights, "inner": None, "other_": "new", "_hidden": [3]}
    assert not hasattr(model, "mean_")
    assert model.get_params(deep=False) == {"weights": weights, "inner": None}


def test_what_others_have_attached_stays():
    """scikit-learn's pipelines attach a context during a fit and take it away afterwards."""
    model = learnt()
    model._parent_callback_ctx = context = object()
    adopt(model, unfitted_twin(model))
    assert model._parent_callback_ctx is context


def test_requests_for_metadata_survive_a_fit():
    """They are set once, and pipelines route weights by them in every fit."""
    with config_context(enable_metadata_routing=True):
        model = LSSVR().set_score_request(sample_weight=True)
        model.fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 3.0])
        requests = model.get_metadata_routing().score.requests
    assert requests["sample_weight"] is True


def test_subclasses_have_twins_of_their_own_kind():
    class Median(Mean):
        pass

    assert type(unfitted_twin(Median())) is Median
