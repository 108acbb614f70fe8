"""Summaries of data sets."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._encoding import TableEncoder
from lapoleaf._encoding.plans.base import counted
from lapoleaf._typing import AnyArray
from lapoleaf.inputs.labels import are_classes, is_missing

if TYPE_CHECKING:
    from lapoleaf.inputs.dataset import Dataset

_MOST_CLASSES = 5
_LONGEST_NAME = 30


def summary_of(data: Dataset) -> str:
    """Return one line per column, and one about the labels."""
    lines = [*_lines_of_columns(data)]
    if data.labels is not None:
        lines.append((data.label or "", 0, _labels(data.labels)))
    elif data.kind != "array":
        lines.append(("", 0, "no column of labels"))
    names = [_short(name) for name, _, _ in lines]
    holes = [counted(n, "hole") if n else "" for _, n, _ in lines]
    wide, high = max(map(len, names)), max(map(len, holes))
    title = f"{os.path.basename(data.source.strip(chr(39)))}: {len(data):,} rows"
    if data.kind in ("table", "texts"):
        title += f", {counted(len(lines) - (data.labels is None), 'column')}"
    return "\n".join(
        [
            f"{title}{''.join(f'; {note}' for note in data.notes)}",
            *(
                f"  {name:<{wide}}  {hole:>{high}}{'  ' * bool(high)}{text}"
                for name, hole, (_, _, text) in zip(names, holes, lines, strict=True)
            ),
        ]
    )


def _short(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."


def _lines_of_columns(data: Dataset) -> list[tuple[str, int, str]]:
    if isinstance(data.encoder, TableEncoder):
        lines = [
            (plan.name, plan.n_missing, plan.description) for plan in data.encoder.plan_.columns
        ]
    elif data.encoder is None:
        lines = [(f"{data.frame.shape[1]} columns", 0, "numbers, taken as they are")]
    else:
        lines = [("image", 0, data.encoder.summary())]
    if data.others is not None:
        for name in data.others.columns:
            what = "left out: names of rows" if name == data.id else "left out: as asked for"
            lines.append((str(name), int(data.others[name].isna().sum()), what))
    return lines


def _labels(labels: AnyArray) -> str:
    """Return how many labels there are, and of what."""
    given = labels[~is_missing(labels)]
    if not len(given):
        return "labels: none given"
    n_missing = len(labels) - len(given)
    count = f"labels: {len(given):,} given{f', {n_missing:,} missing' if n_missing else ''}"
    if are_classes(labels):
        counts = Counter(given.tolist()).most_common()
        named = ", ".join(f"{_written(label)}: {n:,}" for label, n in counts[:_MOST_CLASSES])
        more = ", ..." if len(counts) > _MOST_CLASSES else ""
        kinds = counted(len(counts), "class", "classes")
        return f"{count}, {kinds} ({named}{more})"
    ends = f"from {_written(np.min(given))} to {_written(np.max(given))}"
    return f"{count}, numbers {ends}"


def _written(label: Any) -> str:
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return f"{label:.6g}" if isinstance(label, float) else str(label)
