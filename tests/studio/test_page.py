"""What is written twice, in the page and on the server, is the same."""

import re
from importlib.resources import files

from lapoleaf.studio.actions import KEYS, PALETTE
from lapoleaf.studio.cards import how_sure

PAGE = files("lapoleaf.studio") / "page"


def script(name):
    return (PAGE / "js" / name).read_text("utf-8")


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
