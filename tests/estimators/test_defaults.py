"""What the documentation says is what the code does: defaults, parameters, examples."""

import doctest
import inspect
import re

import pytest

import lapoleaf.images

PUBLIC = {
    name: getattr(room, name)
    for room in (lapoleaf, lapoleaf.images)
    for name in sorted(room.__all__)
    if not name.startswith("_") and not name.endswith("Error")
}


def public_functions():
    """All public functions, classes and methods, by name."""
    for name, thing in PUBLIC.items():
        yield name, thing
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, callable):
                ours = str(getattr(function, "__module__", "")).startswith("lapoleaf.")
                if ours and not method.startswith("_"):
                    yield f"{name}.{method}", function


FUNCTIONS = dict(public_functions())


def section(doc, title):
    """The text below a numpydoc title."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    return found.group(1) if found else ""


def documented_parameters(doc):
    """Names of the parameters of a docstring, and what it says about each."""
    found = {}
    for line in section(doc, "Parameters").splitlines():
        if line and not line.startswith(" "):
            names, _, kind = line.partition(" : ")
            found |= dict.fromkeys((name.strip(" *") for name in names.split(",")), kind)
    return found


def signature(thing):
    parameters = inspect.signature(thing).parameters.values()
    return {p.name: p for p in parameters if p.name not in ("self", "cls")}


def test_there_is_something_to_check():
    assert {"LaPOLeaFClassifier", "LaPOLeaFClassifier.fit", "leading_tree", "lodog"} <= set(
        FUNCTIONS
    )
    assert {"LabelledKFold.split", "ForestDisplay.from_estimator", "propagate"} <= set(FUNCTIONS)
    doc = inspect.getdoc(lapoleaf.leading_tree)
    assert documented_parameters(doc)["percent"] == "float, default=2.0"


# What a user makes: results are made for them.
RESULTS = ("Propagation", "Explanation", "SuspiciousLabels", "ImageFeatures")
MADE_BY_USERS = [name for name in FUNCTIONS if name not in RESULTS]


@pytest.mark.parametrize("name", MADE_BY_USERS)
def test_documented_defaults_are_the_real_ones(name):
    doc, parameters = inspect.getdoc(FUNCTIONS[name]), signature(FUNCTIONS[name])
    for parameter, kind in documented_parameters(doc).items():
        stated = re.search(r"default=(.+)$", kind)
        real = parameters[parameter].default
        if stated:
            assert real == eval(stated.group(1), {"inf": float("inf")}), parameter
        elif "ignored" not in kind and kind:
            assert real is inspect.Parameter.empty, f"{parameter}={real!r} has a default"


@pytest.mark.parametrize("name", MADE_BY_USERS)
def test_every_parameter_is_documented_in_order(name):
    documented = list(documented_parameters(inspect.getdoc(FUNCTIONS[name])))
    assert documented == list(signature(FUNCTIONS[name]))


def test_classmethods_share_the_defaults_of_the_class():
    for kind in (lapoleaf.LaPOLeaFClassifier, lapoleaf.LaPOLeaFRegressor):
        real, published = signature(kind), signature(kind.as_published)
        for name in ("percent", "alpha", "cost"):
            assert published[name].default == real[name].default


@pytest.mark.parametrize("name", FUNCTIONS)
def test_everything_public_is_documented(name):
    doc = inspect.getdoc(FUNCTIONS[name])
    assert doc
    assert doc.splitlines()[0].endswith(".")


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name):
    doc = inspect.getdoc(PUBLIC[name])
    assert doctest.DocTestParser().get_examples(section(doc, "Examples"))


ESTIMATORS = {
    "LaPOLeaFClassifier": [0, 1, -1, -1, 1],
    "LaPOLeaFRegressor": [0.5, 1.5, float("nan"), float("nan"), 2.0],
    "LoDOG": None,
}


@pytest.mark.parametrize(("name", "y"), ESTIMATORS.items())
def test_documented_attributes_are_the_fitted_ones(name, y):
    X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
    model = getattr(lapoleaf, name)().fit(X, y)
    doc = section(inspect.getdoc(type(model)), "Attributes")
    documented = re.findall(r"^(\w+) : ", doc, re.MULTILINE)
    real = [name for name in vars(model) if name.endswith("_") and not name.startswith("_")]
    # Some are there only where columns have names, or after a change.
    later = ["feature_names_in_", *(["changed_"] if hasattr(model, "partial_fit") else [])]
    assert sorted(documented) == sorted([*real, *later])
