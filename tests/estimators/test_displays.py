"""Displays of fitted estimators."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from labelled import HEAPS, in_two_heaps, iris
from models import FEW, few_forests, one_tree
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lapoleaf import (
    DecisionGraphDisplay,
    ForestDisplay,
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestMap,
    LoDOG,
    ObjectiveDisplay,
    layout,
)


@pytest.fixture(autouse=True)
def _no_figures_left():
    yield
    plt.close("all")


def fitted(kind):
    X, y, _ = iris()
    y = np.where(y < 0, np.nan, y) if kind is LaPOLeaFRegressor else y
    model = kind(cut="objective") if kind is LoDOG else kind(n_forests=FEW)
    return X, model.fit(X, y)


KINDS = [LaPOLeaFClassifier, LaPOLeaFRegressor, LoDOG]


@pytest.mark.parametrize("kind", KINDS)
def test_decision_graph(kind):
    _, model = fitted(kind)
    display = DecisionGraphDisplay.from_estimator(model)
    points = display.nodes_.get_offsets()
    np.testing.assert_array_equal(points[:, 0], model.tree_.density)
    np.testing.assert_array_equal(points[:, 1], model.tree_.delta)
    roots = display.roots_.get_offsets()
    np.testing.assert_array_equal(roots[:, 0], model.tree_.density[model.forest_.roots])
    assert display.figure_ is display.ax_.figure


@pytest.mark.parametrize("kind", KINDS)
def test_objective(kind):
    _, model = fitted(kind)
    display = ObjectiveDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.line_.get_ydata(), model.forest_.objective)
    assert display.n_trees == model.forest_.n_trees


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
def test_forest(kind):
    _, model = fitted(kind)
    display = ForestDisplay.from_estimator(model, links=True)
    n, n_trees = model.tree_.n_nodes, model.forest_.n_trees
    assert len(display.nodes_.get_offsets()) == n
    assert len(display.links_.get_segments()) == n - n_trees
    drawn = display.positions
    np.testing.assert_array_equal(drawn, layout(model).places[model.tree_.first_rows])
    assert f"(trustworthiness {layout(model).trustworthiness:.2f})" in display.ax_.get_title()
    assert ForestDisplay.from_estimator(model).links_ is None
    named = [text.get_text() for text in display.ax_.texts]
    if kind is LaPOLeaFClassifier:
        assert sorted(named) == sorted(str(label) for label in model.transduction_[::10])
    else:
        assert named == []


def test_forest_colours_are_classes():
    model = one_tree(bandwidth=1.0, n_trees=2).fit(HEAPS, in_two_heaps("x", "a", None))
    display = ForestDisplay.from_estimator(model, HEAPS)
    colours = [tuple(colour) for colour in display.nodes_.get_facecolors()]
    assert len(set(colours[:5])) == len(set(colours[5:])) == 1
    assert colours[0] != colours[5]
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend[:2] == ["a", "x"]


def test_forest_with_duplicates_and_rows_left_out():
    X = np.vstack([HEAPS, HEAPS[:3], [[50.0]]])
    y = [*in_two_heaps(0, 1, -1), -1, 0, -1, 1]
    model = few_forests(bandwidth=1.0).fit(X, y, [1] * 13 + [0])
    display = ForestDisplay.from_estimator(model)
    assert len(display.nodes_.get_offsets()) == 10
    assert sorted(text.get_text() for text in display.ax_.texts) == ["0", "0", "1"]


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, lambda X: X.tolist()])
def test_forest_over_positions_of_ones_own(form):
    X, model = fitted(LaPOLeaFClassifier)
    display = ForestDisplay.from_estimator(model, form(X[:, :2]))
    np.testing.assert_array_equal(display.positions, X[model.tree_.first_rows, :2])
    assert "trustworthiness" not in display.ax_.get_title()


def test_a_forest_alone():
    _, model = fitted(LoDOG)
    display = ForestDisplay.from_forest(model.forest_)
    assert display.positions.shape == (model.tree_.n_nodes, 2)
    assert "trustworthiness" in display.ax_.get_title()


def test_the_forest_of_a_map():
    model = LeadingForestMap(n_forests=FEW).fit(iris()[0])
    display = ForestDisplay.from_estimator(model)
    np.testing.assert_array_equal(display.positions, model.embedding_[model.tree_.first_rows])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("labels", "missing"), [("abc", None), ((0, 1, 2), -1), ((0.0, 1.0, 2.0), np.nan)]
)
def test_forest_with_unsure_rows(labels, missing):
    """Rows below min_confidence have no class: they are drawn all the same."""
    X, y, _ = iris()
    y = [missing if label < 0 else labels[label] for label in y]
    model = LaPOLeaFClassifier.as_published(n_trees=1, min_confidence=0.9).fit(X, y)
    assert 0 < (model.label_distributions_.max(axis=1) < 0.9).sum() < len(X)
    display = ForestDisplay.from_estimator(model)
    assert len(display.nodes_.get_offsets()) == model.tree_.n_nodes


def test_axes_of_ones_own():
    X, model = fitted(LoDOG)
    axes = plt.subplots(1, 3)[1]
    assert DecisionGraphDisplay.from_estimator(model, ax=axes[0], s=40).ax_ is axes[0]
    assert ObjectiveDisplay.from_estimator(model, ax=axes[1], color="black").ax_ is axes[1]
    assert ForestDisplay.from_estimator(model, X[:, :2], ax=axes[2], s=3).ax_ is axes[2]


def test_only_after_fit():
    for display in (DecisionGraphDisplay, ObjectiveDisplay):
        with pytest.raises(NotFittedError):
            display.from_estimator(LaPOLeaFClassifier())
    with pytest.raises(NotFittedError):
        ForestDisplay.from_estimator(LoDOG(), HEAPS)


def test_other_rows_than_the_forest_has():
    X, model = fitted(LoDOG)
    with pytest.raises(ValueError, match="positions has 149 rows, but the tree was built from 150"):
        ForestDisplay.from_estimator(model, X[1:, :2])
    with pytest.raises(ValueError, match=r"positions must have two columns, got shape \(150, 4\)"):
        ForestDisplay.from_estimator(model, X)


def in_a_pipeline(model):
    return make_pipeline(StandardScaler(), model)


def in_a_search(model, refit=True):
    return GridSearchCV(in_a_pipeline(model), {"standardscaler__with_mean": [True]}, refit=refit)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("wrap", [in_a_pipeline, in_a_search])
def test_pipelines_and_searches(wrap):
    X, _, truth = iris()
    scaled = StandardScaler().fit_transform(X)
    estimator = wrap(one_tree()).fit(X, truth)
    model = one_tree().fit(scaled, truth)
    display = DecisionGraphDisplay.from_estimator(estimator)
    np.testing.assert_array_equal(display.density, model.tree_.density)
    display = ObjectiveDisplay.from_estimator(estimator)
    np.testing.assert_array_equal(display.objective, model.forest_.objective)
    drawn = ForestDisplay.from_estimator(estimator)
    wanted = ForestDisplay.from_estimator(model)
    np.testing.assert_array_equal(drawn.positions, wanted.positions)
    np.testing.assert_array_equal(drawn.labels, wanted.labels)


def test_a_map_of_the_rows_of_a_pipeline_is_drawn_as_it_is():
    X, y, _ = iris()
    estimator = in_a_pipeline(one_tree()).fit(X, y)
    plane = PCA(2).fit_transform(X)
    drawn = ForestDisplay.from_estimator(estimator, plane).positions
    np.testing.assert_array_equal(drawn, plane[estimator[-1].tree_.first_rows])


def test_pipelines_and_searches_without_a_forest():
    X, _, truth = iris()
    for wrap in (in_a_pipeline, in_a_search):
        with pytest.raises(NotFittedError):
            DecisionGraphDisplay.from_estimator(wrap(one_tree()))
    with pytest.raises(ValueError, match="GridSearchCV has no fitted model to draw: it needs"):
        ObjectiveDisplay.from_estimator(in_a_search(one_tree(), refit=False).fit(X, truth))
    with pytest.raises(TypeError, match="RandomForestClassifier has no forest to draw: pass"):
        ForestDisplay.from_estimator(RandomForestClassifier(n_estimators=2).fit(X, truth))


def covered(display):
    """Return the share of the picture that names of given labels cover."""
    display.figure_.canvas.draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in display.ax_.texts]
    frame = display.ax_.get_window_extent()
    return sum(box.width * box.height for box in boxes) / (frame.width * frame.height)


@pytest.mark.parametrize("word", ["Chinstrap", "a name of thirty letters, nice"])
def test_long_names_do_not_cover_the_picture(word):
    X, y, _ = iris()
    names = [None if label < 0 else f"{word} {label}" for label in y]
    display = ForestDisplay.from_estimator(one_tree().fit(X, names))
    assert covered(display) < 0.1
    # The picture is wider than the legend, which tells the classes apart.
    legend = display.ax_.get_legend()
    assert display.ax_.get_window_extent().width > legend.get_window_extent().width
    shown = [text.get_text() for text in legend.get_texts()][:3]
    assert [text[-1] for text in shown] == ["0", "1", "2"]
    # The given labels are still seen.
    rings = display.ax_.collections[-1].get_offsets()
    assert len(rings) == (y >= 0).sum()


def test_names_are_no_formulas():
    """A dollar sign is a dollar sign."""
    model = one_tree(bandwidth=1.0, n_trees=2).fit(HEAPS, in_two_heaps("$a$", "$b^$", None))
    display = ForestDisplay.from_estimator(model, HEAPS)
    display.figure_.canvas.draw()
    assert display.ax_.get_legend().get_texts()[0].get_text() == "$a$"
