"""``import lapoleaf`` is quick: names are loaded when they are first used."""

import subprocess
import sys
from pathlib import Path

import pytest

import lapoleaf

HEAVY = ("numba", "sklearn", "scipy", "matplotlib", "pandas", "polars")


def run(code):
    """Run code in a fresh process and return what it prints."""
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(lapoleaf.__file__).parents[1],
    )
    return found.stdout.split()


def loaded_after(code):
    names = f"[name for name in {HEAVY} if name in sys.modules]"
    return run(f"import sys; {code}; print(*{names})")


def test_import_loads_nothing_heavy():
    assert loaded_after("import lapoleaf") == []
    assert loaded_after("import lapoleaf; dir(lapoleaf); lapoleaf.__version__") == []


def test_displays_are_named_without_loading_matplotlib():
    assert "matplotlib" not in loaded_after("from lapoleaf import ForestDisplay, LoDOG")


def test_estimators_come_when_they_are_asked_for():
    assert "sklearn" in loaded_after("from lapoleaf import LaPOLeaFClassifier")


def test_the_public_names():
    wanted = {
        "DecisionGraphDisplay", "Explanation", "ForestDisplay", "LaPOLeaFClassifier",
        "LaPOLeaFRegressor", "LabelledKFold", "LeadingForest", "LeadingForestClassifier",
        "LeadingForestRegressor", "LeadingTree", "LoDOG", "ObjectiveDisplay", "Propagation",
        "__version__", "leading_tree", "lodog", "propagate",
    }  # fmt: skip
    assert wanted <= set(lapoleaf.__all__)
    assert set(lapoleaf.__all__) <= set(dir(lapoleaf))
    fresh = run("import lapoleaf; print(*dir(lapoleaf))")
    assert set(lapoleaf.__all__) <= set(fresh)
    for name in lapoleaf.__all__:
        assert getattr(lapoleaf, name) is not None


@pytest.mark.parametrize("name", ["no_such_name", "numpy", "_private"])
def test_other_names_are_not_there(name):
    with pytest.raises(AttributeError, match=f"module 'lapoleaf' has no attribute '{name}'"):
        getattr(lapoleaf, name)
