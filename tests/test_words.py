"""Words that docstrings, docs and names keep to."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
DOCUMENTS = [
    *SOURCES,
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs" / "guide").glob("*.md"),
    *(ROOT / "examples").glob("*.py"),
    ROOT / "README.md",
]


def docstrings(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def test_there_is_something_to_read():
    assert len(SOURCES) > 200
    assert len(DOCUMENTS) > len(SOURCES) + 20


def test_docstrings_begin_as_in_numpydoc():
    """A function returns something, it does not give or say it."""
    quaint = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in SOURCES
        for text in docstrings(path)
        if re.match(r"(Give|Say|Know|Be)s?\b", text)
    ]
    assert not quaint


@pytest.mark.parametrize("word", ["rival", "competitor"])
def test_what_we_compare_with_is_a_baseline(word):
    found = [
        str(path.relative_to(ROOT))
        for path in DOCUMENTS
        if re.search(rf"\b{word}s?\b", path.read_text(), re.IGNORECASE)
    ]
    assert not found
