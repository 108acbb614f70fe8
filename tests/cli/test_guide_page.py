"""The guide shows every verb at a terminal, and what it shows can be run."""

import importlib
import re
from pathlib import Path

import pytest

from lapoleaf.cli import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guide" / "command.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\{terminal\}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def parts_of(block):
    """Return the options and the commands of a block."""
    lines = block.splitlines()
    options = dict(re.findall(r"^:(\w+): ?(.*)$", block, re.MULTILINE))
    return options, [line for line in lines if not re.match(r":\w+:", line)]


def test_the_output_of_every_verb_is_shown():
    shown = [line for options, lines in map(parts_of, BLOCKS) if "hidden" not in options
             for line in lines]  # fmt: skip
    for verb in COMMANDS:
        assert any(f"lapoleaf {verb} " in f"{line} " for line in shown), verb


@pytest.mark.slow
def test_all_commands_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    run_block = importlib.import_module("commands").run_block

    printed = []
    for options, lines in map(parts_of, BLOCKS):
        printed += run_block(lines, tmp_path, int(options.get("exit", 0)))
    assert not any("Traceback" in ran.printed for ran in printed)
