"""Diagrams of estimators link to the pages of the documentation."""

import importlib
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr

from lapoleaf import LaPOLeaFClassifier, LoDOG
from lapoleaf._documentation import DocumentedMixin, template_among
from lapoleaf.baselines import LLGC
from lapoleaf.streams import SeriesForecaster

API = Path(__file__).parent.parent / "docs" / "api.rst"
TEMPLATE = template_among(["Documentation, https://lapoleaf.example/stable"])


def estimators():
    """Yield the public name and the class of every estimator."""
    for room in ("lapoleaf", "lapoleaf.baselines", "lapoleaf.streams"):
        module = importlib.import_module(room)
        for name in module.__all__:
            kind = getattr(module, name)
            if isinstance(kind, type) and issubclass(kind, BaseEstimator):
                yield f"{room}.{name}", kind


def pages():
    """Return the names of the pages that the API page makes."""
    found, module = set(), ""
    for line in API.read_text().splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   [\w.]+", line):
            found.add(f"{module}.{line.strip()}")
    return found


@pytest.fixture
def _with_pages(monkeypatch):
    monkeypatch.setattr(DocumentedMixin, "_doc_link_template", TEMPLATE)


def test_all_estimators_are_looked_at():
    assert {"LoDOG", "LLGC", "SeriesForecaster"} <= {kind.__name__ for _, kind in estimators()}


@pytest.mark.usefixtures("_with_pages")
@pytest.mark.parametrize(("name", "kind"), list(estimators()))
def test_every_diagram_links_to_a_page_that_is_there(name, kind):
    assert name in pages()
    link = f"https://lapoleaf.example/stable/generated/{name}.html"
    assert kind()._get_doc_link() == link
    assert f'href="{link}"' in estimator_html_repr(kind())


@pytest.mark.parametrize("kind", [LaPOLeaFClassifier, LoDOG, LLGC, SeriesForecaster])
def test_without_an_address_there_is_no_link(kind, monkeypatch):
    monkeypatch.setattr(DocumentedMixin, "_doc_link_template", "")
    assert kind()._get_doc_link() == ""
    assert "href=" not in estimator_html_repr(kind())


@pytest.mark.usefixtures("_with_pages")
def test_a_class_of_somebody_else_has_no_page_of_ours():
    class Mine(LoDOG):
        pass

    assert Mine()._get_doc_link() == ""


def test_a_template_of_ones_own():
    model = LoDOG()
    model._doc_link_template = "file:///pages/{page}.html"
    assert model._get_doc_link() == "file:///pages/lapoleaf.LoDOG.html"


@pytest.mark.parametrize(
    ("addresses", "template"),
    [
        (["Documentation, https://a.org/"], "https://a.org/generated/{page}.html"),
        (["documentation,https://a.org"], "https://a.org/generated/{page}.html"),
        (["Homepage, https://a.org", "Documentation,"], ""),
        ([], ""),
    ],
)
def test_addresses_in_the_metadata(addresses, template):
    assert template_among(addresses) == template
