"""``lapoleaf label``: labels for the rows that have none, from those that have one."""

from __future__ import annotations

import argparse
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapoleaf._messages import shown
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    from lapoleaf import LaPOLeaFClassifier
    from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray
    from lapoleaf.inputs import Dataset

HELP = "fill in missing labels: of a table, of texts, of a folder of pictures"
_USUAL_LABEL = "label"
_LEAST_SURE = 3
# Rows from which on it takes so long that a person wants to know how far it is.
_LONG_WORK = 5_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "input",
        type=Path,
        metavar="INPUT",
        help="a table (CSV, TSV, Excel, Parquet, JSON lines; - for standard input) with a column "
        "of labels of which some are missing, a folder of pictures, or features.npz by 'lapoleaf "
        "images'",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="CSV", help="where to write labels"
    )
    parser.add_argument(
        "--label", metavar="NAME", help="the column of labels of a table (default: label)"
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="NAME",
        help="a column of a table that says nothing about the label; may be given repeatedly",
    )
    parser.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar="TEXT",
        help="what marks a missing label in a table (default: an empty cell, NA, N/A, NaN, "
        "null or ?); may be given repeatedly",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="number of threads (default: all cores)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    from lapoleaf._writing import target_of

    target = target_of(arguments.output)
    if target == Path(os.path.realpath(arguments.input)):
        raise ValueError(
            f"--output {shown(arguments.output)} is the input: given labels and found ones could "
            f"not be told apart any more."
        )
    data = _read(arguments)
    label = _label_pictures if data.kind == "images" else _label_rows
    label(arguments, data, target)
    print(f"\nThe labels are in {printable(str(arguments.output))}")


def _read(arguments: argparse.Namespace) -> Dataset:
    """Read the input; what looks wrong about its labels is told on standard error."""
    from lapoleaf._progress import tell
    from lapoleaf.inputs import read

    label = arguments.label
    marks = {label or _USUAL_LABEL: arguments.missing} if arguments.missing else ()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        data = read(arguments.input, label=label, ignore=arguments.ignore, missing=marks, verbose=1)
    for warning in caught:
        tell(f"lapoleaf: {warning.message}")
    if data.labels is None and data.table is not None:
        columns = ", ".join(map(repr, data.table.frame.columns[:12]))
        raise ValueError(
            f"{data.source} has no column {shown(_USUAL_LABEL)}, but {columns}: name the column of "
            f"labels with --label."
        )
    return data


def _label_pictures(arguments: argparse.Namespace, data: Dataset, target: Path) -> None:
    from lapoleaf.cli.label_files import label_texts, write_table

    # The direction of the features tells what is on a picture, their length rather how clearly.
    labelled = _labelled(data, label_texts(data), arguments)
    write_table(target, _columns(data, labelled))
    _report(labelled, "pictures", data.frame["image"].tolist())


def _columns(data: Dataset, labelled: _Labelled) -> dict[str, list[Any]]:
    """Return file, label, confidence and leader; with numbers of objects where there are boxes."""
    files, leaders = data.frame["image"].tolist(), labelled.leaders
    columns: dict[str, list[Any]] = {"file": files}
    numbers = None if data.others is None else data.others["object"].tolist()
    if numbers is not None:
        columns["object"] = [number or "" for number in numbers]
    columns["label"] = labelled.labels.tolist()
    columns["confidence"] = labelled.confidences
    columns["leader"] = [files[row] if row >= 0 else "" for row in leaders]
    if numbers is not None:
        columns["leader_object"] = [(numbers[row] or "") if row >= 0 else "" for row in leaders]
    return columns


def _label_rows(arguments: argparse.Namespace, data: Dataset, target: Path) -> None:
    from lapoleaf.cli.label_files import label_texts, write_filled

    for name in ("confidence", "leader"):
        if data.table is not None and name in data.table.frame:
            raise ValueError(
                f"{data.source} has a column {shown(name)} already, which the output needs: "
                f"rename it."
            )
    given = label_texts(data)
    labelled = _labelled(data, given, arguments)
    leaders = [row + 1 if row >= 0 else "" for row in labelled.leaders]
    further: dict[str, list[Any]] = {"confidence": labelled.confidences, "leader": leaders}
    write_filled(target, data, given, labelled.labels.tolist(), further)
    _report(labelled, "rows", [f"row {row}" for row in range(1, len(leaders) + 1)])


@dataclass(frozen=True)
class _Labelled:
    """What a model says of all rows; ``leaders`` is -1 for the row that nobody leads."""

    given: BoolArray
    labels: AnyArray
    confidence: FloatArray
    leaders: list[int]

    @property
    def confidences(self) -> list[str]:
        return [f"{confidence:.4f}" for confidence in self.confidence.tolist()]


def _labelled(data: Dataset, given: list[str | None], arguments: argparse.Namespace) -> _Labelled:
    import numpy as np

    from lapoleaf import LaPOLeaFClassifier

    classes = {label for label in given if label is not None}
    if not classes:
        raise ValueError(f"{data.source} has no labels at all: give a few of every class.")
    if None not in given:
        raise ValueError(f"{data.source} has no row without a label: all is done.")
    if len(classes) == 1:
        raise ValueError(
            f"{data.source} has labels of one class only, {shown(classes.pop())}: give "
            f"some of every class."
        )
    model = LaPOLeaFClassifier(
        n_jobs=arguments.jobs, missing_label=None, verbose=len(data) > _LONG_WORK
    )
    model.fit(data.X, np.array(given, dtype=object))
    return _Labelled(model.given_, model.transduction_, model.confidence_, _leaders(model).tolist())


def _leaders(model: LaPOLeaFClassifier) -> IntArray:
    """Return the row that leads each row, -1 for none."""
    import numpy as np

    tree = model.tree_
    leader = tree.parent[tree.node_of]
    leaders: IntArray = np.where(leader >= 0, tree.first_rows[leader], -1)
    return leaders


def _report(labelled: _Labelled, things: str, names: list[str]) -> None:
    import numpy as np

    given, labels = labelled.given, labelled.labels
    n_given = int(given.sum())
    print(f"Labelled     {len(given) - n_given:,} {things} that had no label")
    print(f"From         {n_given:,} given label{'s' * (n_given != 1)}")
    print(f"\n{'given':>7} {'labelled':>10}   mean confidence   class")
    for label in np.unique(labels):
        found = ~given & (labels == label)
        sure = f"{labelled.confidence[found].mean():.0%}" if found.any() else "-"
        count = int((given & (labels == label)).sum())
        print(f"{count:>7,} {int(found.sum()):>10,} {sure:>17}   {printable(str(label))}")
    print("\nLeast sure, worth a look:")
    order = np.argsort(np.where(given, np.inf, labelled.confidence), kind="stable")
    for row in order[: min(_LEAST_SURE, len(given) - n_given)].tolist():
        print(
            f"  {labelled.confidence[row]:>4.0%}  {printable(str(labels[row]))}  "
            f"{printable(names[row])}"
        )
