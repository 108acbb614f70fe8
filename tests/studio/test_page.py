"""What is written twice, in the page and on the server, is the same."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path

from packaging.requirements import Requirement

from lapoleaf.studio.actions import KEYS, PALETTE
from lapoleaf.studio.cards import how_sure

PAGE = files("lapoleaf.studio") / "page"


def script(name):
    return (PAGE / "js" / name).read_text("utf-8")


def test_the_studio_is_small():
    """Its own files take less than 1 MB; what the extra installs less than 10 MB."""
    own = [path for path in Path(str(PAGE)).parent.rglob("*") if "__pycache__" not in path.parts]
    assert 0 < sum(path.stat().st_size for path in own if path.is_file()) < 1e6
    needed, n_bytes = {"starlette", "uvicorn"}, 0
    found = set()
    while needed - found:
        name = (needed - found).pop()
        found.add(name)
        try:
            package = distribution(name)
        except PackageNotFoundError:  # of another platform or version of Python
            continue
        needed |= {Requirement(one).name for one in package.requires or () if "extra" not in one}
        paths = [Path(str(package.locate_file(one))) for one in package.files or ()]
        n_bytes += sum(path.stat().st_size for path in paths if path.is_file())
    assert {"anyio", "h11", "click"} <= found
    assert 0 < n_bytes < 10e6


def test_how_sure_has_the_same_words():
    lines = re.findall(r'\[([\d.]+), "([^"]+)"\]', script("words.js"))
    assert len(lines) == 5
    assert [how_sure(float(least)) for least, _ in lines] == [words for _, words in lines]
    assert [how_sure(float(least) - 0.01) for least, _ in lines[:-1]] == [
        words for _, words in lines[1:]
    ]


def test_classes_have_the_same_colours_and_keys():
    text = script("palette.js")
    assert tuple(re.findall("#[0-9a-f]{6}", text)[: len(PALETTE)]) == PALETTE
    assert f'"{"".join(KEYS)}"' in text
