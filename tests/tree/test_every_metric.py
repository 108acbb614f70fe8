"""The tree of real data, for every metric: against the twin and by the definition of right."""

import numpy as np
import pytest
import scipy.sparse as sp
import twins
from cases import BOOLEAN, LOADERS, METRICS, PARAMS, SAME, ZERO, formula, rows_for, table
from right_tree import check_right_tree, clear_of_ties
from sklearn.datasets import load_digits
from sklearn.metrics import pairwise

from lapoleaf import leading_tree

# These take few values: most nodes have others at the same distance.
COARSE = BOOLEAN | {"hamming"}
# Names that scikit-learn lists and SciPy no longer has.
GONE = {"kulsinski", "sokalmichener", "wminkowski"}


def check_against_twin(tree, D, zero=0.0, percent=2.0):
    """Compare a tree with the twin's over rows with distances ``D``; return nodes clear of ties."""
    first, node_of, population = twins.merge(D, zero=zero)
    np.testing.assert_array_equal(tree.node_of, node_of)
    np.testing.assert_array_equal(tree.population, population)
    D = D[np.ix_(first, first)]
    d_c = twins.bandwidth(D, percent, population)
    np.testing.assert_allclose(tree.bandwidth, d_c, rtol=1e-9)
    # A distance that differs in its last bit can move a term by 2**-30.
    rho = np.array(twins.densities(D, population, tree.bandwidth))
    np.testing.assert_allclose(tree.density, rho, rtol=1e-9, atol=2**-29)
    check_right_tree(tree, D)
    clear = clear_of_ties(rho, D)
    parent = np.array(twins.leaders(D, rho)[0])
    np.testing.assert_array_equal(tree.parent[clear], parent[clear])
    return clear


SIZES = [
    pytest.param(data, marks=[pytest.mark.slow] if data in {"breast_cancer", "digits"} else [])
    for data in LOADERS
]


@pytest.mark.parametrize("data", SIZES)
@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m if isinstance(m, str) else m.__name__)
def test_tree_equals_twin(data, metric):
    X = rows_for(metric, table(data))
    D = twins.pair_distances(X, formula(metric, X))
    tree = leading_tree(X, metric=metric, metric_params=PARAMS.get(metric))
    clear = check_against_twin(tree, D, ZERO.get(metric, 0.0))
    if data == "wine" and metric not in COARSE:
        assert len(clear) > 0.8 * tree.n_nodes


@pytest.mark.parametrize("alias", SAME)
def test_another_name_gives_the_same_tree(alias):
    X = table("wine")
    named, plain = leading_tree(X, metric=alias), leading_tree(X, metric=SAME[alias])
    np.testing.assert_array_equal(named.density, plain.density)
    np.testing.assert_array_equal(named.delta, plain.delta)
    np.testing.assert_array_equal(named.parent, plain.parent)


def test_no_metric_of_scikit_learn_is_missing_here():
    assert set(pairwise._VALID_METRICS) <= {*METRICS, *SAME, *GONE}


@pytest.mark.parametrize("p", [1, 2])
def test_minkowski_of_1_and_2_are_manhattan_and_euclidean(p):
    X = table("iris")
    tree = leading_tree(X, metric="minkowski", metric_params={"p": p})
    plain = leading_tree(X, metric={1: "manhattan", 2: "euclidean"}[p])
    np.testing.assert_array_equal(tree.delta, plain.delta)
    np.testing.assert_array_equal(tree.density, plain.density)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_variances_can_be_given(metric):
    X = rows_for(metric, table("wine"))
    spread = np.linspace(1.0, 3.0, X.shape[1])
    params = {"V": spread} if metric == "seuclidean" else {"VI": np.diag(1 / spread)}
    D = twins.pair_distances(X, lambda u, V: np.sqrt(((u - V) ** 2 / spread).sum(-1)))
    check_against_twin(leading_tree(X, metric=metric, metric_params=params), D)


@pytest.mark.slow
def test_all_digits():
    X = load_digits().data
    D = twins.pair_distances(X, formula("euclidean", X))
    clear = check_against_twin(leading_tree(X, percent=1.0), D, percent=1.0)
    assert len(clear) > 1500


@pytest.mark.parametrize("data", LOADERS)
def test_precomputed_distances(data):
    X = table(data)
    D = twins.pair_distances(X, formula("manhattan", X))
    check_against_twin(leading_tree(D, metric="precomputed"), D)


def test_precomputed_distances_in_float32():
    X = table("iris")
    D = twins.pair_distances(X, formula("euclidean", X)).astype(np.float32)
    tree = leading_tree(D, metric="precomputed")
    check_against_twin(tree, D.astype(float))


@pytest.mark.parametrize("data", ["iris", "wine"])
def test_graph_of_neighbours(data):
    """Ten neighbours of each row, one direction slightly longer: the shorter one counts."""
    X = table(data)
    D = twins.pair_distances(X, formula("euclidean", X))
    graph = np.full(D.shape, np.inf)
    for i, row in enumerate(D):
        near = np.argsort(row, kind="stable")[1:11]
        graph[i, near] = row[near] * (1.0 + 0.01 * (near < i))
    both = np.minimum(graph, graph.T)
    both[np.isinf(both)] = 2 * both[np.isfinite(both)].max()
    np.fill_diagonal(both, 0.0)
    i, j = np.nonzero(np.isfinite(graph))
    stored = sp.csr_array((graph[i, j], (i, j)), shape=D.shape)
    check_against_twin(leading_tree(stored, metric="precomputed"), both)
