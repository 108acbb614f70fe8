"""One page of all tables and pictures of a benchmark, for a browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.runner.tables import Table

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; margin: 2rem auto; max-width: 76rem;
       padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
p { max-width: 48rem; } code { background: #f2f2f2; padding: 0 .2em; }
.wide { overflow-x: auto; } img { max-width: 100%; margin-top: 1rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #ddd; }
th { vertical-align: bottom; border-bottom-color: #888; } .number { text-align: right; }
@media (prefers-color-scheme: dark) {
  body { background: #131416; color: #cfd0d0; } code { background: #26282b; }
  th, td { border-bottom-color: #3a3c40; } img { background: #fff; }
}
"""


def html_page(title: str, command: str, machine: str, tables: Sequence[Table], folder: Path) -> str:
    """Return tables and pictures as one page that needs no other file.

    Parameters
    ----------
    title : str
        What was measured.
    command : str
        The command that repeats it.
    machine : str
        Versions and machine.
    tables : sequence of Table
        What was measured.
    folder : Path
        Where the pictures are.

    Examples
    --------
    >>> from pathlib import Path
    >>> from benchmarks.runner.page import html_page
    >>> from benchmarks.runner.tables import Table
    >>> table = Table("speed", "Seconds", ("method", "seconds"), [("AGR", 1.5)])
    >>> page = html_page("Speed", "python -m benchmarks speed", "2 cores", [table], Path())
    >>> "<h2>Seconds</h2>" in page
    True
    """
    head = (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n<h1>{escape(title)}</h1>\n"
        f"<p><code>{escape(command)}</code><br>{escape(machine)}</p>\n"
    )
    return head + "".join(_section(table, folder) for table in tables)


def _section(table: Table, folder: Path) -> str:
    kinds = [' class="number"' if right else "" for right in table.is_numeric()]
    lines = [f"<h2>{escape(table.title)}</h2>\n"]
    if table.note:
        lines.append(f"<p>{_note(table.note)}</p>\n")
    lines.append('<div class="wide"><table>\n')
    for tag, line in [("th", table.columns), *(("td", row) for row in table.texts())]:
        cells = (f"<{tag}{kind}>{escape(t)}</{tag}>" for kind, t in zip(kinds, line, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>\n")
    lines.append("</table></div>\n")
    if table.picture and (folder / table.picture).is_file():
        data = base64.b64encode((folder / table.picture).read_bytes()).decode("ascii")
        lines.append(f'<img src="data:image/png;base64,{data}" alt="{escape(table.title)}">\n')
    return "".join(lines)


def _note(text: str) -> str:
    """Return a note with code between backticks, and emphasis between asterisks."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"(?<!\w)\*(\w[^*]*\w)\*(?!\w)", r"<em>\1</em>", marked)
