"""Words that docstrings, docs and names keep to."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [
    path
    for folder in ("src", "benchmarks", "tests", "examples", "docs/_ext")
    for path in (ROOT / folder).rglob("*.py")
]
PAGES = [
    *(page for page in (ROOT / "docs").glob("*.*") if page.suffix in {".md", ".rst"}),
    *(ROOT / "docs" / "guide").glob("*.md"),
    *(ROOT / "docs" / "decisions").glob("*.md"),
    *(ROOT / "examples").glob("*.rst"),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
]
DOCUMENTS = [path for path in [*SOURCES, *PAGES] if path != Path(__file__)]
# First words of docstrings, and words anywhere, that are not those of a textbook.
QUAINT_VERBS = r"(Give|Say|Know|Be)s?\b"
QUAINT_WORDS = r"\b(anew|whoever|as ever|nobody|somebody|everybody|dear)\b"
# "is no number" for "is not a number"; "there is no such file" and "is no better" are plain.
QUAINT_NEGATION = r"(?<!\bthere )(?<!\bThere )\b(is|are) no (?!\w+er\b)\w+"
# "this number of rows" for "so many rows", "raise for invalid values" for "that make no sense".
QUAINT_PHRASES = (
    r"\bso many\b|in the manner of|for scikit-learn's sake|\bof no use\b|\bmake no sense\b|"
    r"\bwhatever (the|their|its|happens)\b|\bwhat was (learnt|learned)\b|\bas a person\b"
)


@functools.cache
def parsed(path):
    return [*ast.walk(ast.parse(path.read_text()))]


def docstrings(path):
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    return [ast.get_docstring(node) or "" for node in parsed(path) if isinstance(node, kinds)]


def messages(path):
    """Return the strings of a module that are not docstrings."""
    statements = {id(node.value) for node in parsed(path) if isinstance(node, ast.Expr)}
    constants = [node for node in parsed(path) if isinstance(node, ast.Constant)]
    return [
        node.value
        for node in constants
        if isinstance(node.value, str) and id(node) not in statements
    ]


def test_there_is_something_to_read():
    assert len(SOURCES) > 350
    assert len(PAGES) > 30


def test_docstrings_begin_as_in_numpydoc():
    """A function returns something, it does not give or say it."""
    quaint = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in SOURCES
        for text in docstrings(path)
        if re.match(QUAINT_VERBS, text)
    ]
    assert not quaint


def test_a_docstring_does_not_end_with_give():
    """Such as "Build a tree; give its root": it returns the root."""
    quaint = [
        f"{path.relative_to(ROOT)}: {first}"
        for path in SOURCES
        if path != Path(__file__)
        for text in docstrings(path)
        if re.search(r"([;,]|\band|\bor) (give|say)\b", first := text.partition("\n\n")[0])
    ]
    assert not quaint


def test_pages_are_in_plain_words():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in PAGES
        for match in re.finditer(QUAINT_WORDS, path.read_text(), re.IGNORECASE)
    ]
    assert not found


def test_what_is_not_is_in_plain_words():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in PAGES
        for match in re.finditer(QUAINT_NEGATION, path.read_text())
        if path.name != "benchmarks.md"
    ]
    assert not found


@pytest.mark.parametrize("folder", ["src", "benchmarks", "examples"])
def test_modules_are_in_plain_words(folder):
    modules = [path for path in (ROOT / folder).rglob("*.*") if path.suffix in {".py", ".js"}]
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in modules
        for match in re.finditer(QUAINT_WORDS, path.read_text(), re.IGNORECASE)
    ]
    assert len(modules) > 10
    assert not found


@pytest.mark.parametrize("folder", ["src", "benchmarks"])
def test_modules_have_no_private_language(folder):
    """Except the studio."""
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in (ROOT / folder).rglob("*.py")
        for match in re.finditer(QUAINT_PHRASES, path.read_text())
        if "studio" not in path.parts
    ]
    assert not found


def test_messages_are_in_plain_words():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in (ROOT / "src").rglob("*.py")
        for text in messages(path)
        for match in re.finditer(QUAINT_NEGATION, text)
    ]
    assert not found


@pytest.mark.parametrize("word", ["riv[a]l", "competit[o]r"])
def test_what_we_compare_with_is_a_baseline(word):
    found = [
        str(path.relative_to(ROOT))
        for path in DOCUMENTS
        if re.search(rf"\b{word}s?\b", path.read_text(), re.IGNORECASE)
    ]
    assert not found
