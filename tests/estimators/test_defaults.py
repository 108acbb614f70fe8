"""What the documentation says is what the code does: defaults, parameters, examples."""

import doctest
import inspect
import re

import pytest

import lapoleaf.inputs

PUBLIC = {
    name: getattr(room, name)
    for room in (lapoleaf, lapoleaf.inputs)
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
RESULTS = (
    "ForestMap",
    "Propagation",
    "Explanation",
    "SuspiciousLabels",
    "ImageFeatures",
    "Dataset",
)
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


def test_as_published_has_the_defaults_of_one_forest():
    for kind, of_one_forest in (
        (lapoleaf.LaPOLeaFClassifier, lapoleaf.LeadingForestClassifier),
        (lapoleaf.LaPOLeaFRegressor, lapoleaf.LeadingForestRegressor),
    ):
        real, published = signature(of_one_forest), signature(kind.as_published)
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


CLASSES, NUMBERS = [0, 1, -1, -1, 1], [0.5, 1.5, float("nan"), float("nan"), 2.0]
ESTIMATORS = {
    "LaPOLeaFClassifier": CLASSES,
    "LaPOLeaFRegressor": NUMBERS,
    "LeadingForestClassifier": CLASSES,
    "LeadingForestRegressor": NUMBERS,
    "LoDOG": None,
}


@pytest.mark.parametrize(("name", "y"), ESTIMATORS.items())
def test_documented_attributes_are_the_fitted_ones(name, y):
    X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
    model = getattr(lapoleaf, name)().fit(X, y)
    doc = section(inspect.getdoc(type(model)), "Attributes")
    documented = re.findall(r"^(\w+) : ", doc, re.MULTILINE)
    assert sorted(documented) == sorted([*fitted_attributes(model), "feature_names_in_"])
    # Some are there only where columns have names, or after a change.
    later = {"feature_names_in_", "changed_"}
    assert {name for name in documented if not hasattr(model, name)} == later & set(documented)
    assert ("changed_" in documented) == hasattr(model, "partial_fit")


def fitted_attributes(model):
    """Return the names of what a fit leaves behind: properties, and a few plain attributes."""
    return [name for name in dir(model) if name.endswith("_") and not name.startswith("_")]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_before_a_fit_there_are_no_fitted_attributes(name):
    model = getattr(lapoleaf, name)()
    assert fitted_attributes(model) == []
    doc = section(inspect.getdoc(type(model)), "Attributes")
    for attribute in re.findall(r"^(\w+) : ", doc, re.MULTILINE):
        assert not hasattr(model, attribute)


# As the design lists them; keyword-only, so that their order is that of the documentation only.
SHARED_OF_ONE_FOREST = [
    "percent", "bandwidth", "metric", "metric_params", "build", "alpha", "cost", "n_trees",
    "solver", "mu", "weights", "coupling",
]  # fmt: skip
OF_CLASSES, LAST = ["missing_label", "min_confidence"], ["n_jobs", "verbose"]
TREES = ["metric", "metric_params", "build", "bandwidth"]
PARAMETERS = {
    "LeadingForestClassifier": [*SHARED_OF_ONE_FOREST, *OF_CLASSES, *LAST],
    "LeadingForestRegressor": [*SHARED_OF_ONE_FOREST, *LAST],
    "LaPOLeaFClassifier": [
        "n_forests", "class_prior", "experts", "mu", *TREES, *OF_CLASSES, "encoder", "scaling",
        "random_state", *LAST,
    ],
    "LaPOLeaFRegressor": [
        "n_forests", "experts", "mu", *TREES, "encoder", "scaling", "random_state", *LAST,
    ],
}  # fmt: skip


@pytest.mark.parametrize(("name", "parameters"), PARAMETERS.items())
def test_parameters_of_the_estimators(name, parameters):
    kind = getattr(lapoleaf, name)
    assert list(signature(kind)) == parameters
    assert set(kind().get_params()) == set(parameters)
    assert {p.kind for p in signature(kind).values()} == {inspect.Parameter.KEYWORD_ONLY}
