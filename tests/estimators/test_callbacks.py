"""scikit-learn's callbacks hear of the stages of a fit."""

import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from labelled import iris
from models import FEW
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lapoleaf
from lapoleaf import (
    LabelledKFold,
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
    load,
    save,
)
from lapoleaf._progress import Progress, reporting_to, stage
from lapoleaf.baselines import AGR, FLP, HAGR, LLGC, LSSVR, RGSSLMCC, PoissonLearning

callback = pytest.importorskip("sklearn.callback")
X, Y, _ = iris()
NUMBERS = np.where(Y < 0, np.nan, Y)
MODELS = [
    (LaPOLeaFClassifier(n_forests=FEW), Y, ["trees", "propagation", "experts", "labels"]),
    (LaPOLeaFRegressor(n_forests=FEW), NUMBERS, ["trees", "propagation", "experts", "labels"]),
    (LeadingForestClassifier(), Y, ["trees", "propagation"]),
    (LeadingForestRegressor(), NUMBERS, ["trees", "propagation"]),
    (LoDOG(), None, ["trees"]),
    (LSSVR(), NUMBERS, ["factorization"]),
    *((kind(), Y, ["scores"]) for kind in (AGR, FLP, HAGR, LLGC, PoissonLearning, RGSSLMCC)),
]


class Recorder:
    """A callback that writes down what it hears."""

    def __init__(self, fails_at=None):
        self.heard = []
        self.fails_at = fails_at
        self.contexts = {}

    def setup(self, estimator, context):
        self.heard.append(("setup", 0, context.task_name))

    def teardown(self, estimator, context):
        self.heard.append(("teardown", 0, context.task_name))

    def _hear(self, event, context):
        depth, above = 0, context
        while above.parent is not None:
            depth, above = depth + 1, above.parent
        self.heard.append((event, depth, context.task_name))
        self.contexts[depth, context.task_name] = context
        if self.fails_at == (event, context.task_name):
            raise RuntimeError("no more")

    def on_fit_task_begin(self, estimator, context):
        self._hear("begin", context)

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self._hear("end", context)
        if fitted_estimator is not None:
            self.fitted, self.shown = fitted_estimator, (X, y)

    def at(self, event, depth):
        return [name for found, level, name in self.heard if (found, level) == (event, depth)]


class Inherited(Recorder):
    """A callback that goes from a pipeline or a search to the estimators in it."""

    max_propagation_depth = None


def own_score(model, X, y):
    """Return an estimator's own score, of the labelled rows."""
    return {"score": model.score(X, y)}


def fitted(model, y, *callbacks):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).set_callbacks(*callbacks).fit(X, y)


@pytest.mark.parametrize(("model", "y", "stages"), MODELS)
def test_stages(model, y, stages):
    recorder = Recorder()
    found = fitted(model, y, recorder)
    assert recorder.heard[0] == ("setup", 0, "fit")
    assert recorder.heard[-1] == ("teardown", 0, "fit")
    assert recorder.at("begin", 0) == recorder.at("end", 0) == ["fit"]
    assert recorder.at("begin", 1) == recorder.at("end", 1) == stages
    begun, ended = ([h[1:] for h in recorder.heard if h[0] == e] for e in ("begin", "end"))
    assert sorted(begun) == sorted(ended)
    assert not {"_callback_fit_ctx", "_skl_callbacks_to_teardown"} & vars(found).keys()
    np.testing.assert_array_equal(recorder.shown[0], X)
    np.testing.assert_array_equal(recorder.fitted.predict(X), found.predict(X))
    np.testing.assert_array_equal(fitted(model, y).predict(X), found.predict(X))


def test_stages_have_parts():
    recorder = Recorder()
    fitted(LaPOLeaFClassifier(n_forests=FEW, n_jobs=2), Y, recorder)
    parts = ["bandwidth", "distances and densities", "leaders", "forests"]
    assert [name for name in recorder.at("begin", 2) if name in parts] == parts
    steps = recorder.contexts[2, "forests"]
    assert steps.max_subtasks == recorder.at("end", 3).count("forests") == FEW - 1


def test_several_targets_are_one_stage():
    recorder = Recorder()
    fitted(LaPOLeaFRegressor(n_forests=FEW), np.column_stack([NUMBERS, NUMBERS]), recorder)
    assert recorder.at("begin", 1) == ["trees", "propagation", "experts", "labels"]
    assert recorder.at("end", 2).count("propagation") == 10


def test_a_fit_of_iterations_that_ends_early():
    recorder = Recorder()
    model = fitted(RGSSLMCC(max_iter=500, tol=0.1), Y, recorder)
    assert model.n_iter_ < 500
    assert "RGSSL-MCC" in recorder.at("end", 2)


@pytest.mark.parametrize("at", [("begin", "fit"), ("end", "trees"), ("end", "fit")])
@pytest.mark.parametrize("model", [LaPOLeaFClassifier(n_forests=FEW), LeadingForestRegressor()])
def test_a_callback_that_raises_leaves_the_estimator_as_it_was(model, at):
    y = NUMBERS if isinstance(model, LeadingForestRegressor) else Y
    model = fitted(model, y)
    before = model._state
    recorder = Recorder(fails_at=at)
    with pytest.raises(RuntimeError, match="no more"):
        model.set_callbacks(recorder).fit(X[:100], y[:100])
    assert recorder.heard[-1] == ("teardown", 0, "fit")
    assert model._state is before
    assert not {"_callback_fit_ctx", "_skl_callbacks_to_teardown"} & vars(model).keys()
    # Nothing is reported afterwards.
    heard = list(recorder.heard)
    model.set_callbacks().fit(X, y)
    assert recorder.heard == heard


def test_a_baseline_that_fails_tears_its_callbacks_down():
    recorder = Recorder()
    with pytest.raises(ValueError, match="alpha"):
        LLGC(alpha=7.0).set_callbacks(recorder).fit(X, Y)
    assert recorder.heard[-1] == ("teardown", 0, "fit")


def test_only_fits_are_reported():
    recorder = Recorder()
    model = fitted(LaPOLeaFClassifier(n_forests=FEW), Y, recorder)
    heard = list(recorder.heard)
    model.update_labels([0], [1]).partial_fit(X[:2]).forget([3]).suggest(2)
    model.predict_proba(X)
    assert recorder.heard == heard


def test_what_is_no_callback():
    with pytest.raises(TypeError, match="FitCallback"):
        LaPOLeaFClassifier().set_callbacks("loud")


def test_clones_share_callbacks_and_can_be_without():
    recorder = Recorder()
    model = LaPOLeaFClassifier(n_forests=FEW).set_callbacks(recorder)
    clone(model).fit(X, Y)
    assert recorder.at("end", 0) == ["fit"]
    model.set_callbacks().fit(X, Y)
    assert recorder.at("end", 0) == ["fit"]


def test_pickles_have_callbacks_and_files_have_none(tmp_path):
    monitor = callback.ScoringMonitor(scoring=own_score)
    model = fitted(LaPOLeaFClassifier(n_forests=FEW), Y, monitor)
    again = pickle.loads(pickle.dumps(model))
    assert [type(one) for one in again._skl_callbacks] == [callback.ScoringMonitor]
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    save(model, tmp_path / "with")
    save(model.set_callbacks(), tmp_path / "without")
    assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes()
    loaded = load(tmp_path / "with")
    assert not hasattr(loaded, "_skl_callbacks")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize("model", [LaPOLeaFClassifier(n_forests=FEW), LLGC()])
def test_a_monitor_scores_the_labelled_rows(model):
    monitor = callback.ScoringMonitor(scoring=own_score)
    model = fitted(model, Y, monitor)
    (entry,) = monitor.get_logs().data
    assert entry["score"] == model.score(X, Y) > 0.9


@pytest.mark.parametrize("model", [LaPOLeaFClassifier(n_forests=FEW), LeadingForestClassifier()])
def test_a_progress_bar_shows_the_stages(model, capsys):
    pytest.importorskip("rich")
    fitted(model, Y, callback.ProgressBar())
    shown = capsys.readouterr().out
    for name in ("fit", "trees #0", "leaders #2", "propagation #1"):
        assert f"- {name}" in shown


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callbacks_of_a_search(n_jobs):
    recorder = Inherited()
    search = GridSearchCV(
        LaPOLeaFClassifier(n_forests=FEW),
        {"mu": [0.1, 1.0]},
        cv=LabelledKFold(2),
        n_jobs=n_jobs,
    )
    search.set_callbacks(recorder).fit(X, Y)
    assert recorder.at("begin", 0) == ["fit"]
    # Other processes have copies of the recorder; the last fit, on all rows, is made here.
    assert recorder.heard.count(("end", 2, "trees")) == 1
    if n_jobs == 1:
        assert recorder.heard.count(("end", 3, "trees")) == 4
    assert not hasattr(search.best_estimator_, "_skl_callbacks")
    assert not hasattr(search.best_estimator_, "_parent_callback_ctx")


@pytest.mark.parametrize("last", [LaPOLeaFClassifier(n_forests=FEW), LLGC()])
def test_callbacks_of_a_pipeline(last):
    recorder = Inherited()
    make_pipeline(StandardScaler(), last).set_callbacks(recorder).fit(X, Y)
    stages = ["scores"] if isinstance(last, LLGC) else ["trees", "propagation", "experts", "labels"]
    assert [name for name in recorder.at("end", 2) if name in stages] == stages


def run(code):
    folder = Path(lapoleaf.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


FIT = "from lapoleaf import LoDOG; model = LoDOG().fit([[0.0], [1.0], [5.0]])"


def test_without_callbacks_nothing_is_imported_for_them():
    assert run(f"{FIT}; import sys; print('sklearn.callback' in sys.modules)") == ["False"]


@pytest.mark.slow
def test_with_an_older_scikit_learn_there_are_none():
    """The module of callbacks is hidden, as if it had never been there."""
    code = (
        "import importlib.util as util; found = util.find_spec\n"
        "hidden = 'sklearn.callback'\n"
        "util.find_spec = lambda name, *a: None if name == hidden else found(name, *a)\n"
        f"{FIT}; print(hasattr(model, 'set_callbacks'), model.n_clusters_)"
    )
    assert run(code)[0] == "False"


# ------------------------------------------------------------------------------ tasks by hand


class Counted:
    """A task that counts its parts."""

    def __init__(self, log, name="all"):
        self.log, self.name = log, name

    def begin(self, title, n_steps):
        self.log.append(f"{self.name}/{title} of {n_steps}")
        return Counted(self.log, f"{self.name}/{title}")

    def end(self):
        self.log.append(f"{self.name} done")


def test_stages_and_progress_become_tasks():
    log = []
    with reporting_to(Counted(log)), stage("first"):
        progress = Progress("work", 2, 0)
        progress.advance(2)
    assert log == [
        "all/first of None",
        "all/first/work of 2",
        *["all/first/work/work of 0", "all/first/work/work done"] * 2,
        "all/first/work done",
        "all/first done",
    ]
    with stage("nobody hears"):
        Progress("work", 2, 0).advance()
    assert len(log) == 8


def test_long_jobs_have_a_hundred_steps_at_most():
    log = []
    with reporting_to(Counted(log)):
        progress = Progress("work", 12_345, 0)
        for _ in range(12_345):
            progress.advance()
    assert log.count("all/work/work done") == 100
    assert log.count("all/work done") == 1


def test_jobs_that_end_early_and_jobs_of_nothing():
    log = []
    with reporting_to(Counted(log)):
        Progress("nothing", 0, 0)
        progress = Progress("work", 10, 0)
        progress.advance(3)
        progress.finish()
        progress.finish()
    assert log.count("all/work done") == 1
    assert not any("nothing" in line for line in log)


def test_a_stage_that_fails_does_not_end():
    log = []
    with pytest.raises(ZeroDivisionError), reporting_to(Counted(log)), stage("first"):
        1 / 0  # noqa: B018
    assert log == ["all/first of None"]
