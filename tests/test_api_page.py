"""The API page of the documentation lists every public name, once."""

import importlib
import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "api.rst"
PUBLIC = ["", "baselines", "inputs", "io", "plots", "streams", "streams.river", "studio"]
# What these export is exported by ``lapoleaf`` too, and listed there.
AT_THE_TOP = {"io", "plots"}


def listed_names():
    """Return the names in the tables of the page, as seen from ``lapoleaf``."""
    tables = PAGE.read_text().split(".. autosummary::")[1:]
    return [
        match.group(1)
        for table in tables
        for line in table.splitlines()
        if (match := re.fullmatch(r"   ([A-Za-z][\w.]*)", line))
    ]


def public_names(module):
    prefix = f"{module}." if module and module not in AT_THE_TOP else ""
    exported = importlib.import_module(f"lapoleaf.{module}".rstrip(".")).__all__
    return {prefix + name for name in exported if not name.startswith("__")}


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_on_the_page(module):
    if module == "streams.river":
        pytest.importorskip("river")
    names = public_names(module)
    assert names
    assert names <= set(listed_names())


def test_no_other_name_is_on_the_page():
    if importlib.util.find_spec("river") is None:
        pytest.skip("river is not installed")
    assert set(listed_names()) == set().union(*map(public_names, PUBLIC))


def test_a_name_is_listed_once():
    assert max(Counter(listed_names()).values()) == 1


def test_public_rooms_are_all_checked():
    """A room without an underscore is public, but for the command and the home of estimators."""
    rooms = {path.parent.name for path in PAGE.parent.parent.glob("src/lapoleaf/*/__init__.py")}
    assert {room for room in rooms if room[0] != "_"} - {"cli", "estimators"} == {
        module for module in PUBLIC if module and "." not in module
    }
