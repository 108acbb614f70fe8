"""The architecture page and the decision records name what is there."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGE = DOCS / "architecture.md"
RECORDS = sorted((DOCS / "decisions").glob("*.md"))


def rooms_in_order():
    """Return the rooms that are there, from the top to the bottom, as import-linter checks them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    rooms = [room.strip(" ()") for layer in layers for room in layer.split("|")]
    return [room for room in rooms if (ROOT / "src" / "lapoleaf" / room).is_dir()]


def test_the_table_of_rooms_is_that_of_the_package():
    table = PAGE.read_text().split("## Rooms")[1].split("## The walk")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == rooms_in_order()


def test_the_picture_has_all_rooms():
    drawn = (DOCS / "images" / "rooms.svg").read_text()
    assert [room for room in rooms_in_order() if not re.search(rf"\b{room}\b", drawn)] == []


def test_files_that_are_named_are_there():
    named = {
        (page.name, name)
        for page in [PAGE, *RECORDS]
        for name in re.findall(r"`([\w/]+\.py)`", page.read_text())
        if name != "kernels.py"
    }
    assert len(named) > 30
    places = [ROOT, ROOT / "src" / "lapoleaf"]
    missing = [(page, n) for page, n in named if not any((p / n).is_file() for p in places)]
    assert missing == []


def test_every_record_is_linked_and_complete():
    page = PAGE.read_text()
    assert len(RECORDS) > 5
    for record in RECORDS:
        assert f"decisions/{record.stem}\n" in page
        text = record.read_text()
        decisions = re.findall(r"^##+ .+\n\n(?=- )", text, re.MULTILINE)
        assert decisions
        for part in ("Context", "Decision", "Reason"):
            found = re.findall(rf"^- \*\*{part}\*\*: ", text, re.MULTILINE)
            assert len(found) == len(decisions), (record.name, part)
