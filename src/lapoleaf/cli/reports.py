"""Short reports of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf.cli.models import COVERAGE, Answers
from lapoleaf.cli.names import printable
from lapoleaf.cli.problems import Problem

if TYPE_CHECKING:
    from lapoleaf.inputs import Dataset

_MOST_CLASSES = 20
_WIDEST_CELL, _WIDEST_ROW = 40, 100


def report_of_classes(answers: Answers, problem: Problem) -> Iterator[str]:
    """Yield a line for every class with its numbers of given and of predicted labels."""
    given = problem.given.mask
    labels = np.array([str(label) for label in answers.labels], dtype=object)
    classes = sorted({str(label) for label in answers.labels if label is not None})
    yield f"\n{'given':>7} {'labelled':>10}   mean confidence   class"
    found = ~given & problem.usable
    counts = {label: int((found & (labels == label)).sum()) for label in classes}
    if len(classes) > _MOST_CLASSES:
        classes = sorted(classes, key=lambda label: -counts[label])
    for label in classes[:_MOST_CLASSES]:
        here = found & (labels == label)
        sure = f"{answers.confidence[here].mean():.0%}" if here.any() else "-"
        n_given = int((given & (labels == label)).sum())
        yield f"{n_given:>7,} {counts[label]:>10,} {sure:>17}   {printable(label)}"
    if len(classes) > _MOST_CLASSES:
        yield f"        and {len(classes) - _MOST_CLASSES:,} more classes"


def report_of_numbers(answers: Answers, problem: Problem) -> Iterator[str]:
    """Yield lines about numbers: ranges and widths of intervals."""
    given = problem.given.mask
    values = np.array(answers.labels, dtype=np.float64)
    found = ~given & problem.usable
    yield ""
    for name, rows in (("Given", given & problem.usable), ("Labelled", found)):
        here = values[rows]
        yield (
            f"{name:<12} from {here.min():.6g} to {here.max():.6g}, median {np.median(here):.6g}"
        )
    if answers.lower is not None and answers.upper is not None:
        width = np.median((answers.upper - answers.lower)[found])
        yield f"Intervals    hold {COVERAGE:.0%}; half of them are narrower than {width:.6g}"


def shown_row(data: Dataset, row: int) -> str:
    """Return the cells of a row as one line; empty for a picture, whose name suffices."""
    if data.kind == "images":
        return ""
    shown = data.show(row)
    if "text" in shown:
        return _short(shown["text"], _WIDEST_ROW)
    cells = [f"{name} {_short(cell, _WIDEST_CELL)}" for name, cell in shown["cells"].items()
             if cell is not None and name != data.id]  # fmt: skip
    line = ", ".join(cells)
    return line if len(line) <= _WIDEST_ROW else f"{line[: _WIDEST_ROW - 4].rstrip(', ')} ..."


def _short(cell: Any, most: int) -> str:
    text = printable(" ".join(str(cell).split()))
    return text if len(text) <= most else f"{text[: most - 3]}..."


def aligned(lines: Sequence[Sequence[str]], left: int = 0) -> list[str]:
    """Return cells as aligned columns, numbers to the right and texts to the left.

    Parameters
    ----------
    lines : sequence of sequences of str
        Cells, the header first.
    left : int
        The first column that is aligned to the left.

    Examples
    --------
    >>> from lapoleaf.cli.reports import aligned
    >>> print(*aligned([["n", "name"], ["10", "ant"], ["9", "bee"]], left=1), sep=chr(10))
     n  name
    10  ant
     9  bee
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place >= left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
