"""SciPy's sparse arrays are taken as its sparse matrices are, whichever scikit-learn makes."""

import contextlib

import numpy as np
import pytest
import scipy.sparse as sp
from labelled import iris
from models import FEW
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
    load,
    save,
)
from lapoleaf.baselines import AGR, FLP, HAGR, LLGC, LSSVR, RGSSLMCC, PoissonLearning

X, CLASSES, _ = iris()
X = np.where(X > 1.5, X, 0.0)
NUMBERS = np.where(CLASSES < 0, np.nan, CLASSES)
WEIGHT = np.where(np.arange(len(X)) % 7 == 3, 0.0, 1.0)
FORESTS = [
    (LaPOLeaFClassifier(n_forests=FEW), CLASSES),
    (LeadingForestClassifier(), CLASSES),
    (LaPOLeaFRegressor(n_forests=FEW), NUMBERS),
    (LeadingForestRegressor(), NUMBERS),
]
BASELINES = [
    *((kind(), CLASSES) for kind in (AGR, FLP, HAGR, LLGC, PoissonLearning, RGSSLMCC)),
    (LSSVR(), NUMBERS),
]
ARRAYS = [sp.csr_array, sp.csc_array, sp.coo_array]
HAS_INTERFACE = "sparse_interface" in get_config()


@pytest.fixture(params=["spmatrix", "sparray"], autouse=True)
def _interface(request):
    """What scikit-learn makes itself; before 1.9 these are always matrices."""
    if not HAS_INTERFACE and request.param == "sparray":
        pytest.skip("scikit-learn makes sparse matrices only")
    config = config_context(sparse_interface=request.param) if HAS_INTERFACE else None
    with config or contextlib.nullcontext():
        yield


def answers(model, new):
    found = [model.predict(new), model.labels_ if isinstance(model, LoDOG) else model.transduction_]
    if hasattr(model, "predict_proba"):
        found += [model.predict_proba(new), model.label_distributions_]
    if hasattr(model, "predict_interval"):
        found += [model.transduction_std_, *model.predict_interval(new)]
    return found


def check_same(found, expected):
    assert len(found) == len(expected) > 1
    for one, other in zip(found, expected, strict=True):
        assert type(one) is np.ndarray
        np.testing.assert_array_equal(one, other)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("form", ARRAYS)
@pytest.mark.parametrize(("model", "y"), [*FORESTS, *BASELINES, (LoDOG(), None)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fit_and_predict(model, y, form):
    of_matrix = clone(model).fit(sp.csr_matrix(X), y)
    of_array = clone(model).fit(form(X), y)
    check_same(answers(of_array, form(X[:20])), answers(of_matrix, sp.csr_matrix(X[:20])))
    # One form to fit, another to predict.
    check_same(answers(of_array, sp.csr_matrix(X[:20])), answers(of_matrix, form(X[:20])))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("model", "y"), FORESTS)
def test_rows_that_join_and_leave(model, y, tmp_path):
    found = []
    for form in (sp.csr_matrix, sp.csr_array):
        one = clone(model).set_params(bandwidth=0.5).fit(form(X[:100]), y[:100], WEIGHT[:100])
        one.partial_fit(form(X[100:]), y[100:], sample_weight=WEIGHT[100:])
        one.forget([3, 4, 120]).update_labels([7], [1])
        save(one, tmp_path / "model")
        again = load(tmp_path / "model")
        check_same(answers(again, form(X)), answers(one, form(X)))
        texts = [str(one.explain(row)) for row in (0, 8, form(X[:1]))]
        found.append((answers(one, form(X)), texts, clone(model).suggest(5, X=form(X)).tolist()))
    check_same(found[1][0], found[0][0])
    assert found[1][1:] == found[0][1:]


@pytest.mark.parametrize(("model", "y"), [*FORESTS, (LoDOG(), None)])
def test_graphs_of_distances(model, y):
    graph = kneighbors_graph(X, 9, mode="distance")
    if HAS_INTERFACE:
        is_array = get_config()["sparse_interface"] == "sparray"
        assert isinstance(graph, sp.sparray) == is_array
    found = []
    for form in (sp.csr_matrix, sp.csr_array, lambda graph: graph):
        one = clone(model).set_params(metric="precomputed").fit(form(graph), y)
        found.append(answers(one, form(graph[:20])))
    check_same(found[1], found[0])
    check_same(found[2], found[0])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_texts_in_a_pipeline(metric):
    texts = ["red wine", "white wine", "dry red wine", "blue cheese", "old cheese", "soft cheese"]
    model = LaPOLeaFClassifier(n_forests=FEW, metric=metric)
    pipeline = make_pipeline(TfidfVectorizer(), model)
    pipeline.fit(texts, ["drink", None, None, "food", None, None])
    assert pipeline.predict(["some wine", "hard cheese"]).tolist() == ["drink", "food"]
