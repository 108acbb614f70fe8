"""README and the landing page of the documentation agree."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
LANDING = (ROOT / "docs" / "index.md").read_text()


def sentence(page):
    """Return the first paragraph below the title."""
    return page.split("\n\n")[1]


def block(page, language):
    return re.search(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE).group(1)


def test_same_sentence():
    assert sentence(LANDING) == sentence(README)
    assert sentence(README).startswith("Label a few rows")


@pytest.mark.parametrize("language", ["python", "output"])
def test_same_example(language):
    assert block(LANDING, language) == block(README, language)


def test_every_door_leads_to_a_page():
    doors = re.findall(r"^\*\*\[.+?\]\((.+?)\)\*\*$", LANDING, re.MULTILINE)
    assert len(doors) >= 5
    assert all((ROOT / "docs" / door).is_file() for door in doors)


def test_figures_are_those_of_the_benchmarks():
    measured = (ROOT / "docs" / "benchmarks.md").read_text()
    table = LANDING.split(":::{container} comparison")[1].split("\n:::")[0]
    figures = re.findall(r"(?<![\w.])(?:\.\d{3}|\d+\.\d|\d,\d{3})(?!\d)", table)
    assert len(figures) > 12
    assert [figure for figure in figures if figure not in measured] == []
