"""Pages of the documentation read as they are meant."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [
    *(page for page in DOCS.rglob("*") if page.suffix in {".md", ".rst"}),
    *(ROOT / "src").rglob("*.py"),
]
WRITTEN = [page for page in PAGES if not {"_build", "generated", "gallery"} & {*page.parts}]


def title(name, page):
    """Return the title of a page of the guide, as another page refers to it."""
    place = DOCS / name[1:] if name.startswith("/") else page.parent / name
    first = place.with_suffix(".md").read_text().splitlines()[0]
    return first.removeprefix("# ")


def test_fractions_have_braces():
    r"""LaTeX reads ``\tfrac12`` as one half; what draws our pages takes 12 for the numerator."""
    assert sum("frac{" in page.read_text() for page in WRITTEN) > 3
    assert [p.name for p in WRITTEN if re.search(r"\\[td]?frac(?!\{)", p.read_text())] == []


def test_a_link_within_a_sentence_is_not_a_sentence():
    """A page whose title is a question, or begins with "I", is referred to by another name."""
    found = [
        (page, name)
        for page in WRITTEN
        for name in re.findall(r"(?:\{doc\}|:doc:)`([\w/.]+)`", page.read_text())
        if "gallery" not in name
    ]
    assert len(found) > 20
    assert [
        (page.name, name) for page, name in found if re.search(r"\?$|^I ", title(name, page))
    ] == []
