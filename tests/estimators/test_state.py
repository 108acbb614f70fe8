"""What an estimator has learnt: nothing after a failure, one earlier value, computed once."""

import functools
import gc
import importlib
import pickle
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest
from models import few_forests, few_forests_of_numbers
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
)
from lapoleaf._propagation import Propagation
from lapoleaf.estimators.class_ensemble import EnsembleOfClasses
from lapoleaf.estimators.number_ensemble import EnsembleOfNumbers
from lapoleaf.estimators.one_forest import OneForestOfClasses, OneForestOfNumbers

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2)) + 3.0 * (np.arange(80) % 3 == 0)[:, None]
NEW = RNG.normal(size=(20, 2))
CLASSES = np.where(np.arange(80) % 4 == 0, np.arange(80) % 3, -1)
NUMBERS = np.where(np.arange(80) % 4 == 0, X[:, 0] + 0.1 * RNG.normal(size=80), np.nan)

MAKERS = {
    "classes, stages": LaPOLeaFClassifier.as_published,
    "classes, one forest": LeadingForestClassifier,
    "classes, ensemble": few_forests,
    "numbers, stages": LaPOLeaFRegressor.as_published,
    "numbers, one forest": LeadingForestRegressor,
    "numbers, ensemble": few_forests_of_numbers,
}
METHODS = {
    "classes, stages": OneForestOfClasses,
    "classes, one forest": OneForestOfClasses,
    "classes, ensemble": EnsembleOfClasses,
    "numbers, stages": OneForestOfNumbers,
    "numbers, one forest": OneForestOfNumbers,
    "numbers, ensemble": EnsembleOfNumbers,
}


def labels_of(kind):
    return CLASSES if kind.startswith("classes") else NUMBERS


@functools.cache
def first_state(kind):
    """Return the attributes of a model of this kind after a fit."""
    return vars(MAKERS[kind](bandwidth=1.0, n_jobs=1).fit(X, labels_of(kind)))


def fitted(kind):
    """Return a fitted model; what was learnt is shared, for it never changes."""
    model = MAKERS[kind](bandwidth=1.0, n_jobs=1)
    vars(model).update(first_state(kind))
    return model


def changed(kind):
    """Return a model after two changes of which nothing was asked yet."""
    return fitted(kind).partial_fit(NEW[:3]).partial_fit(NEW[3:6], labels_of(kind)[:3])


@pytest.fixture(params=MAKERS)
def kind(request):
    return request.param


# What the design lists, and what not all of them have.
ATTRIBUTES = (
    "transduction_", "label_distributions_", "confidence_", "transduction_std_", "classes_",
    "given_", "tree_", "forest_", "forests_", "ids_", "changed_", "chosen_", "bandwidth_",
    "build_report_",
)  # fmt: skip
OF_CLASSES = {"label_distributions_", "confidence_", "classes_"}
OF_NUMBERS = {"transduction_std_"}


def everything(model):
    """Return all that a user can read or ask, in values that do not change any more."""
    found = {name: getattr(model, name) for name in ATTRIBUTES if hasattr(model, name)}
    found["predict"] = model.predict(NEW)
    found["explain"] = [str(model.explain(3)), str(model.explain(NEW[7]))]
    found["suggest"] = model.suggest(5)
    found["forests_"] = [forest.tree.parent for forest in found["forests_"]]
    found["tree_"], found["forest_"] = model.tree_.parent, model.forest_.roots
    found["n_features_in_"] = model.n_features_in_
    found["parameters"] = model.get_params()
    return {name: np.copy(v) if isinstance(v, np.ndarray) else v for name, v in found.items()}


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name, value in one.items():
        if name == "build_report_":
            continue
        np.testing.assert_equal(value, other[name], name)


# ------------------------------------------------------------------- fitted attributes, not fitted


def test_every_estimator_has_the_fitted_attributes_of_the_design(kind):
    model = fitted(kind).partial_fit(NEW)
    missing = OF_NUMBERS if kind.startswith("classes") else OF_CLASSES
    if kind == "numbers, stages":
        missing = missing | {"transduction_std_"}
    assert {name for name in ATTRIBUTES if not hasattr(model, name)} == missing
    assert not hasattr(fitted(kind), "changed_")


def test_before_a_fit_nothing_can_be_read(kind):
    model = MAKERS[kind]()
    assert not model.__sklearn_is_fitted__()
    for name in ATTRIBUTES:
        assert not hasattr(model, name)
    with pytest.raises(NotFittedError):
        _ = model.ids_


def test_attributes_that_are_made_for_the_user_are_theirs(kind):
    model = fitted(kind)
    model.chosen_["mu"] = "spoilt"
    model.forests_.clear()
    model.given_[:] = False
    assert model.chosen_["mu"] != "spoilt"
    assert len(model.forests_) > 0
    assert model.given_.any()


# ------------------------------------------------------------------------------------ failed calls


class Interrupt:
    """Ctrl-C in a function, at its n-th call."""

    def __init__(self, function, n):
        self.function, self.left = function, n

    def __call__(self, *args, **kwargs):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self.function(*args, **kwargs)

    def __get__(self, instance, owner):
        return functools.partial(self, instance)


def interrupt(patch, path, n):
    """Raise KeyboardInterrupt at the n-th call of a function, or of a method of a class."""
    module, _, name = path.partition(":")
    place = importlib.import_module(f"lapoleaf.{module}")
    *owner, name = name.split(".")
    for part in owner:
        place = getattr(place, part)
    patch.setattr(place, name, Interrupt(getattr(place, name), n))


BUILDING = {
    "while the trees are built": ("estimators.rows:trees_of_rows", 1),
    "while the plain tree is cut": ("_forest.objective:objective_curve", 1),
}
INSERTING = {
    "while the first row joins": ("_tree.incremental.exact:with_node", 1),
    "while the third row joins": ("_tree.incremental.exact:with_node", 3),
    "when all rows have joined": ("estimators.state:_settled", 1),
}
REMOVING = {
    "while the first row goes": ("_tree.incremental.exact:without_row", 1),
    "while the second row goes": ("_tree.incremental.exact:without_row", 2),
    "when all rows have gone": ("estimators.state:_settled", 1),
}
RANDOM_TREES = {
    "while random trees follow": ("_tree.incremental.ensemble:update_random_trees", 1),
}
PROPAGATING = {"while labels are propagated": ("estimators.settings_search:propagate_checked", 1)}
LABELLING = {
    "classes, stages": PROPAGATING,
    "classes, one forest": {
        **PROPAGATING,
        "while the third mu is tried": ("estimators.settings_search:propagate_checked", 3),
        "while labels become shares": ("estimators.one_forest:shares_of_labels", 1),
    },
    "classes, ensemble": {
        "while labels are propagated": ("estimators.ensemble:propagate_ensemble", 1),
        "while the third mu is tried": ("estimators.ensemble:propagate_ensemble", 3),
        "while the ridge is fitted": ("estimators.experts.kernel_ridge:KernelRidge.fit", 1),
        "while parts are mixed": ("estimators.class_ensemble:mix", 4),
        "at the end": ("estimators.class_ensemble:reach_of", 1),
    },
    "numbers, stages": PROPAGATING,
    "numbers, one forest": {
        **PROPAGATING,
        "at the end": ("estimators.one_forest:number_labelling", 1),
    },
    "numbers, ensemble": {
        "while labels are propagated": ("estimators.ensemble:propagate_ensemble", 2),
        "while the trend is fitted": ("estimators.experts.trend:Trend.fit", 1),
        "while the share is chosen": ("estimators.number_ensemble:chosen_forest_share", 1),
        "at the end": ("estimators.number_ensemble:number_labelling", 1),
    },
}


def fit_again(model):
    rows = np.column_stack([X, X[:, 0]])
    model.fit(rows, CLASSES if is_classifier(model) else NUMBERS)


def join(model):
    model.partial_fit(NEW[6:11], (CLASSES if is_classifier(model) else NUMBERS)[:5])


def leave(model):
    model.forget(model.ids_[[1, 4, 70]])


def relabel(model):
    model.update_labels([1, 2, 3], [2, 0, 1] if is_classifier(model) else [2.0, 0.0, 1.0])


def stages_of(kind):
    """Yield every action with the places at which it can be interrupted."""
    random = RANDOM_TREES if "ensemble" in kind else {}
    yield fit_again, BUILDING | LABELLING[kind]
    yield join, INSERTING | random
    yield leave, REMOVING | random
    yield relabel, LABELLING[kind]


INTERRUPTED = [
    pytest.param(kind, action, path, n, id=f"{kind}: {action.__name__}, {stage}")
    for kind in MAKERS
    for action, stages in stages_of(kind)
    for stage, (path, n) in stages.items()
]


@functools.cache
def undisturbed(kind):
    """Return all answers of a changed model of this kind."""
    return everything(changed(kind))


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("kind", "action", "path", "n"), INTERRUPTED)
def test_an_interrupted_call_changes_nothing(kind, action, path, n):
    model = changed(kind)
    before = dict(vars(model))
    with pytest.MonkeyPatch.context() as patch:
        interrupt(patch, path, n)
        with pytest.raises(KeyboardInterrupt):
            action(model)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())
    # Nothing was asked of it before the interrupt: all is computed now.
    assert_same(everything(model), undisturbed(kind))
    action(model)
    assert model._state is not before["_state"]


BAD_CALLS = {
    "rows of other columns join": lambda model: model.partial_fit([[1.0, 2.0, 3.0]]),
    "NaN joins": lambda model: model.partial_fit([[1.0, np.nan]]),
    "labels are too few": lambda model: model.partial_fit(NEW[:2], [1]),
    "labels are of another kind": lambda model: model.partial_fit(NEW[:1], ["what"]),
    "a weight is negative": lambda model: model.partial_fit(NEW[:1], sample_weight=[-1.0]),
    "an unknown row is forgotten": lambda model: model.forget([0, 12345]),
    "a row is forgotten twice": lambda model: model.forget([3, 3]),
    "all rows are forgotten": lambda model: model.forget(model.ids_),
    "an unknown row is labelled": lambda model: model.update_labels([-1], [1]),
    "labels for other rows": lambda model: model.update_labels([1, 2], [1]),
    "a label of another kind": lambda model: model.update_labels([1], ["what"]),
    "n_jobs": lambda model: model.set_params(n_jobs=0).partial_fit(NEW[:1]),
}


@pytest.mark.sampled(36)
@pytest.mark.parametrize("call", BAD_CALLS.values(), ids=BAD_CALLS)
def test_a_refused_call_changes_nothing(kind, call):
    model = changed(kind)
    before = dict(vars(model))
    with pytest.raises(ValueError):  # noqa: PT011
        call(model)
    model.set_params(n_jobs=1)
    assert vars(model).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(model).items())
    assert_same(everything(model), undisturbed(kind))


def test_a_failed_first_partial_fit_leaves_an_unfitted_model(kind):
    model = MAKERS[kind]()
    with pytest.raises(ValueError, match="rows"):
        model.partial_fit(X, labels_of(kind)[:-1])
    assert vars(model) == model.get_params()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("stage", ["while labels are propagated", "at the end"])
def test_labels_that_were_interrupted_are_computed_when_asked_for_again(kind, stage):
    path, _ = LABELLING[kind].get(stage, LABELLING[kind]["while labels are propagated"])
    model = changed(kind)
    with pytest.MonkeyPatch.context() as patch:
        interrupt(patch, path, 1)
        with pytest.raises(KeyboardInterrupt):
            _ = model.transduction_
    assert not model._state.now.is_computed
    assert_same(everything(model), undisturbed(kind))


# --------------------------------------------------------------------------------- kept choices


def fields_of(value):
    """Return the arrays and numbers of a labelling, all the way down."""
    if isinstance(value, Propagation):
        names = ("labels", "leave_one_out", "precision", "others", "sigma2")
        return {name: getattr(value, name) for name in names}
    if hasattr(value, "__dataclass_fields__"):
        return {name: fields_of(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, tuple | list):
        return [fields_of(part) for part in value]
    if isinstance(value, np.ndarray | float | int | bool | str) or value is None:
        return value
    # Points: equal where they are in the same place.
    return value.columns


@pytest.mark.parametrize("kind", ["classes, ensemble", "numbers, ensemble"])
@pytest.mark.parametrize("make", [fitted, changed])
def test_labels_follow_from_rows_given_labels_and_choices_alone(kind, make):
    now = make(kind)._state.now
    again = now.method.labelling(now.rows, now.given, now.choices)
    assert again is not now.labelling
    np.testing.assert_equal(fields_of(again), fields_of(now.labelling))


def test_choices_of_two_targets_are_kept_too():
    y = np.column_stack([NUMBERS, -NUMBERS[::-1]])
    now = few_forests_of_numbers().fit(X, y)._state.now
    again = now.method.labelling(now.rows, now.given, now.choices)
    np.testing.assert_equal(fields_of(again), fields_of(now.labelling))


# -------------------------------------------------------------------------------------- memory


def slide(model, steps, ask, watch=lambda step: None):
    """Add and remove rows, and read labels now and then."""
    labels = [0, 1, 2] if is_classifier(model) else [0.5, 1.0, 2.5]
    for step in range(steps):
        label = [labels[step % 3]] if step % 4 == 0 else None
        model.partial_fit(NEW[[step % 20]] + 0.001 * step, label)
        if step % 2:
            model.forget(model.ids_[[0, 1]])
        if step % ask == 0:
            _ = model.transduction_, model.changed_
        watch(step)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("ask", [1, 7])
def test_exactly_one_earlier_value_is_kept(kind, ask):
    model, refs = fitted(kind), []

    def watch(step):
        refs.extend([weakref.ref(model._state), weakref.ref(model._state.now)])

    slide(model, 15, ask, watch)
    gc.collect()
    alive = [ref() for ref in refs if ref() is not None]
    assert set(map(id, alive)) <= {
        id(model._state), id(model._state.now), id(model._state.earlier)
    }  # fmt: skip
    assert model._state.earlier.rows is not model._state.now.rows


def memory_growth(model, steps, ask):
    """Return how many bytes are held more after all steps than after a third of them."""
    sizes = {}

    def watch(step):
        if step in (steps // 3, steps - 1):
            gc.collect()
            sizes[step] = tracemalloc.get_traced_memory()[0]

    slide(model, 10, ask)
    tracemalloc.start()
    try:
        slide(model, steps, ask, watch)
    finally:
        tracemalloc.stop()
    return sizes[steps - 1] - sizes[steps // 3]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("kind", "steps"),
    [("classes, stages", 150), ("numbers, one forest", 150), ("classes, ensemble", 90)],
)
def test_memory_is_flat_over_many_changes(kind, steps):
    # One value of a step that stays would hold several arrays of 80 numbers, in every run. What is
    # compiled or imported for the first time stays as well, but only in the first.
    assert any(memory_growth(fitted(kind), steps, ask=25) < 50_000 for _ in range(2))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classes, stages", "numbers, stages"])
def test_memory_is_flat_over_ten_thousand_changes(kind):
    assert memory_growth(fitted(kind), 10_000, ask=100) < 100_000


# ---------------------------------------------------------------------------------------- pickles


@pytest.mark.sampled(3)
def test_a_pickle_holds_what_was_learnt_and_nothing_of_before(kind):
    again = pickle.loads(pickle.dumps(changed(kind)))
    state = again._state
    assert state.earlier is None
    assert state.now.rows.incremental is None
    assert state.now.is_computed
    assert state.now.rows.is_frozen
    assert_same(everything(again), undisturbed(kind))
    # It goes on as the other one does.
    models = again, changed(kind)
    for model in models:
        join(model)
        leave(model)
    assert_same(*(everything(model) for model in models))


def test_a_pickle_without_labels(kind):
    model = MAKERS[kind](bandwidth=1.0).partial_fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert not again._state.now.has_labels
    with pytest.raises(NotFittedError, match="no label yet"):
        again.predict(X)
    np.testing.assert_array_equal(again.suggest(3), model.suggest(3))
    assert again.changed_.tolist() == []


def test_caches_are_in_no_pickle(kind):
    """Models that were asked a lot are not larger."""
    model, asked = changed(kind), changed(kind)
    everything(asked)
    # Cached parts of forests are theirs; those of estimators must not show.
    state = pickle.loads(pickle.dumps(asked))._state
    for value in (state, state.now, state.now.rows, state.now.labelled[1]):
        assert vars(value).keys() == set(value.__dataclass_fields__)
    assert len(pickle.dumps(asked)) < 1.5 * len(pickle.dumps(model))


# ----------------------------------------------------------------------- showing computes nothing


SHOWING = {
    "repr": repr,
    "diagram": lambda model: model._repr_html_(),
    "estimator_html_repr": estimator_html_repr,
    "mimebundle": lambda model: model._repr_mimebundle_(),
    "dir": dir,
}


def is_idle(model):
    """Whether nothing that follows from the rows was computed, neither now nor earlier."""
    state = model._state
    both = (state.now, state.earlier)
    return not any(value.is_computed or value.rows.is_frozen for value in both)


@pytest.mark.parametrize("show", SHOWING.values(), ids=SHOWING)
def test_showing_a_model_computes_nothing(kind, show):
    model = changed(kind)
    assert is_idle(model)
    assert show(model)
    assert is_idle(model)


@pytest.mark.parametrize("show", SHOWING.values(), ids=SHOWING)
def test_showing_a_model_does_not_compute_what_changed(kind, show):
    model = changed(kind)
    assert len(model.transduction_) == 86
    _ = model.tree_
    show(model)
    assert model._state.now.is_computed
    assert not model._state.earlier.is_computed


def test_showing_a_fitted_model_shows_its_attributes(kind):
    model = fitted(kind)
    _ = model.transduction_
    page = model._repr_html_()
    assert "Fitted attributes" in page
    for name in ("transduction_", "ids_", "chosen_", "tree_", "n_features_in_"):
        assert name in page
    assert "changed_" not in page
    model = changed(kind)
    _ = model.changed_, model.tree_
    assert "changed_" in model._repr_html_()


def test_unfitted_models_can_be_shown(kind):
    for show in SHOWING.values():
        assert show(MAKERS[kind]())


# ------------------------------------------------------------------------------------ many threads


@pytest.fixture
def _restless():
    """Switch between threads as often as possible."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def in_threads(works):
    """Run functions at once; return their results, or raise the first exception."""
    found, errors, start = [None] * len(works), [], threading.Barrier(len(works))

    def run(place):
        try:
            start.wait()
            found[place] = works[place]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return found


def questions(model):
    """Six ways to ask: every one needs labels, some need the trees frozen, some what was before."""
    return [
        lambda: model.predict(NEW),
        lambda: model.transduction_,
        lambda: str(model.explain(3)),
        lambda: model.changed_,
        lambda: str(model.explain(NEW[2])),
        lambda: model.predict(NEW[::-1])[::-1],
    ]


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("_restless")
def test_threads_get_the_same_answers_and_compute_once(kind, monkeypatch):
    calls, label = [], METHODS[kind].label

    def counting(method, rows, given):
        calls.append(id(rows))
        return label(method, rows, given)

    monkeypatch.setattr(METHODS[kind], "label", counting)
    wanted = [ask() for ask in questions(changed(kind))]
    for _ in range(8):
        model = changed(kind)
        calls.clear()
        found = in_threads(questions(model))
        np.testing.assert_equal(found, wanted)
        state = model._state
        assert sorted(calls) == sorted([id(state.now.rows), id(state.earlier.rows)])


@pytest.mark.usefixtures("_restless")
def test_threads_that_predict_other_rows_get_their_own_answers():
    """A tree that grows keeps what it measured last: each thread must get its own."""
    model = fitted("numbers, stages").partial_fit(NEW[:1])
    rows = [NEW[[k % 20]] for k in range(6)]
    wanted = [model.predict(row)[0] for row in rows]
    assert not model._state.now.rows.is_frozen

    def many(place):
        return lambda: {model.predict(rows[place])[0] for _ in range(300)}

    assert in_threads([many(place) for place in range(6)]) == [{value} for value in wanted]


PREDICTING = [
    (kind, name)
    for kind in MAKERS
    for name in ("predict", "predict_proba" if kind.startswith("classes") else "predict_interval")
    if (kind, name) != ("numbers, stages", "predict_interval")
]


@pytest.mark.parametrize(("kind", "name"), PREDICTING)
def test_a_model_that_changes_during_a_prediction_answers_as_it_was(kind, name, monkeypatch):
    """Another thread lets rows join, with a class that comes before all others."""
    wanted = getattr(fitted(kind), name)(NEW)
    model, voters = fitted(kind), METHODS[kind].voters

    def changing(method, rows, *args):
        monkeypatch.setattr(METHODS[kind], "voters", voters)
        model.partial_fit(NEW, np.full(20, -5)).partial_fit(NEW + 0.1, np.full(20, -9))
        _ = model.transduction_
        return method.voters(rows, *args)

    monkeypatch.setattr(METHODS[kind], "voters", changing)
    found = getattr(model, name)(NEW)
    assert len(model.ids_) == 120
    np.testing.assert_array_equal(found, wanted)


# ---------------------------------------------------------------------------- captured parameters


OTHER = {
    "classes, stages": {
        "min_confidence": 0.99,
        "solver": "exact",
        "n_trees": 7,
        "metric": "cosine",
    },
    "classes, one forest": {"mu": 0.01, "weights": "inverse", "coupling": 0.0, "build": "full"},
    "classes, ensemble": {"mu": 0.5, "class_prior": [0.8, 0.1, 0.1], "experts": None},
    "numbers, stages": {"solver": "exact", "n_trees": 7, "cost": "water"},
    "numbers, one forest": {"mu": 0.01, "weights": "inverse", "coupling": 0.0},
    "numbers, ensemble": {"mu": np.inf, "experts": None, "n_forests": 1, "random_state": 3},
}
LAZY = ("transduction_", "chosen_", "changed_", "label_distributions_", "transduction_std_")


def test_parameters_are_captured_at_the_call(kind):
    model = changed(kind).set_params(**OTHER[kind])
    assert not model._state.now.is_computed
    for name in LAZY:
        if name in undisturbed(kind):
            np.testing.assert_equal(getattr(model, name), undisturbed(kind)[name], name)
    assert len(model.forest_.roots) == len(undisturbed(kind)["forest_"])
    held = model._state.now.method.parameters
    assert held == changed(kind).get_params()


def test_a_prior_that_is_written_into_afterwards_is_captured_too():
    prior = [0.2, 0.3, 0.5]
    model = few_forests(bandwidth=1.0, class_prior=prior).fit(X, CLASSES)
    other = few_forests(bandwidth=1.0, class_prior=[0.2, 0.3, 0.5]).fit(X, CLASSES)
    for each in (model, other):
        each.partial_fit(NEW[:3])
    assert not model._state.now.is_computed
    prior[:] = [0.98, 0.01, 0.01]
    np.testing.assert_array_equal(model.label_distributions_, other.label_distributions_)


def test_parameters_count_from_the_next_call_on(kind):
    """What does not touch the trees is taken from the new parameters."""
    taken = {
        name: value
        for name, value in OTHER[kind].items()
        if name not in ("metric", "n_forests", "random_state", "build")
    }
    model = changed(kind).set_params(**taken).partial_fit(NEW[6:7])
    fresh = MAKERS[kind](bandwidth=1.0, n_jobs=1).set_params(**taken)
    y = labels_of(kind)
    missing = -1 if is_classifier(model) else np.nan
    labels = np.concatenate([y, [missing] * 3, y[:3], [missing]])
    if "ensemble" in kind:
        # Random trees follow new rows only approximately: the labels in them are compared.
        now = model._state.now
        method = fresh._method()
        labelling = method.label(now.rows, now.given)[1]
        expected = labelling.of_rows(now.rows, now.given, None, method)[0]
        found = now.answers[0]
    else:
        expected = fresh.fit(np.concatenate([X, NEW[:7]]), labels).transduction_
        found = model.transduction_
    np.testing.assert_array_equal(found, expected)


# --------------------------------------------------------------------- one exact tree grows quickly


QUICK = {
    "predict": lambda model: model.predict(NEW[10:12]),
    "transduction_": lambda model: model.transduction_,
    "given_": lambda model: model.given_,
    "ids_": lambda model: model.ids_,
    "chosen_": lambda model: model.chosen_,
    "changed_": lambda model: model.changed_,
    "score": lambda model: model.score(X, np.arange(80) % 2),
}


@pytest.mark.parametrize("kind", ["classes, stages", "numbers, stages"])
@pytest.mark.parametrize("ask", QUICK.values(), ids=QUICK)
def test_answers_after_an_insertion_do_not_freeze_the_tree(kind, ask):
    model = fitted(kind)
    for step in range(3):
        model.partial_fit(NEW[[step]], labels_of(kind)[[step]])
        ask(model)
        assert not model._state.now.rows.is_frozen


@pytest.mark.parametrize("kind", ["classes, stages", "numbers, stages"])
def test_a_frozen_tree_answers_as_one_that_grows(kind):
    growing, frozen = (fitted(kind).partial_fit(NEW[:5]) for _ in range(2))
    _ = frozen.tree_
    assert frozen._state.now.rows.is_frozen
    np.testing.assert_array_equal(growing.predict(NEW), frozen.predict(NEW))
    np.testing.assert_array_equal(growing.transduction_, frozen.transduction_)
    assert not growing._state.now.rows.is_frozen


def test_clones_share_nothing(kind):
    assert vars(clone(changed(kind))) == MAKERS[kind](bandwidth=1.0, n_jobs=1).get_params()
