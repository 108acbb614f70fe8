"""``lapoleaf label``: labels for the rows that have none, from those that have one."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapoleaf.cli.names import shown

if TYPE_CHECKING:
    from lapoleaf import LaPOLeaFClassifier
    from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray
    from lapoleaf.images import ImageFeatures

HELP = "fill in missing labels: of features by 'lapoleaf images', or of a CSV file"
_LEAST_SURE = 3
# Rows from which on it takes so long that a person wants to know how far it is.
_LONG_WORK = 5_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "input",
        type=Path,
        metavar="INPUT",
        help="features.npz by 'lapoleaf images', or a CSV file with a header, columns of numbers "
        "and a column of labels of which some are missing",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="CSV", help="where to write labels"
    )
    parser.add_argument(
        "--label", metavar="NAME", help="the column of labels of a CSV file (default: label)"
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="NAME",
        help="a column of a CSV file that says nothing about the label; may be given repeatedly",
    )
    parser.add_argument(
        "--missing",
        action="append",
        default=[],
        metavar="TEXT",
        help="what marks a missing label in a CSV file (default: an empty cell, NA, N/A, NaN, "
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
            f"--output {str(arguments.output)!r} is the input: given labels and found ones could "
            f"not be told apart any more."
        )
    with open(arguments.input, "rb") as file:
        is_archive = file.read(4) == b"PK\x03\x04"
    label = _label_pictures if is_archive else _label_rows
    label(arguments, target)
    print(f"\nThe labels are in {shown(str(arguments.output))}")


def _label_pictures(arguments: argparse.Namespace, target: Path) -> None:
    from sklearn.preprocessing import normalize

    from lapoleaf.cli.csv_tables import write_table
    from lapoleaf.images import load_features

    options = {"--label": arguments.label, "--ignore": arguments.ignore}
    for option, value in {**options, "--missing": arguments.missing}.items():
        if value:
            raise ValueError(f"{option} is for CSV files: {str(arguments.input)!r} is none.")
    found = load_features(arguments.input)
    given = [label or None for label in found.labels.tolist()]
    # The direction of the features tells what is on a picture, their length rather how clearly.
    labelled = _labelled(normalize(found.features), given, arguments)
    write_table(target, _columns(found, labelled))
    _report(labelled, "pictures", found.files.tolist())


def _columns(found: ImageFeatures, labelled: _Labelled) -> dict[str, list[Any]]:
    """Return file, label, confidence and leader; with numbers of objects where there are boxes."""
    files, objects, leaders = found.files.tolist(), found.objects.tolist(), labelled.leaders
    columns: dict[str, list[Any]] = {
        "file": files,
        "object": [number or "" for number in objects],
        "label": labelled.labels.tolist(),
        "confidence": labelled.confidences,
        "leader": [files[row] if row >= 0 else "" for row in leaders],
        "leader_object": [(objects[row] or "") if row >= 0 else "" for row in leaders],
    }
    if not any(objects):
        del columns["object"], columns["leader_object"]
    return columns


def _label_rows(arguments: argparse.Namespace, target: Path) -> None:
    from sklearn.preprocessing import StandardScaler

    from lapoleaf.cli.csv_tables import read_table, write_filled

    label = "label" if arguments.label is None else arguments.label
    table = read_table(arguments.input, label, arguments.ignore, arguments.missing)
    scaled = StandardScaler().fit_transform(table.numbers)
    labelled = _labelled(scaled, table.labels, arguments)
    leaders = [row + 1 if row >= 0 else "" for row in labelled.leaders]
    further: dict[str, list[Any]] = {"confidence": labelled.confidences, "leader": leaders}
    write_filled(target, table, labelled.labels.tolist(), further)
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


def _labelled(X: FloatArray, given: list[str | None], arguments: argparse.Namespace) -> _Labelled:
    import numpy as np

    from lapoleaf import LaPOLeaFClassifier

    classes = {label for label in given if label is not None}
    if not classes:
        raise ValueError(
            f"{str(arguments.input)!r} has no labels at all: give a few of every class."
        )
    if None not in given:
        raise ValueError(f"{str(arguments.input)!r} has no row without a label: all is done.")
    if len(classes) == 1:
        raise ValueError(
            f"{str(arguments.input)!r} has labels of one class only, {classes.pop()!r}: give some "
            f"of every class."
        )
    model = LaPOLeaFClassifier(
        n_jobs=arguments.jobs, missing_label=None, verbose=len(X) > _LONG_WORK
    )
    model.fit(X, np.array(given, dtype=object))
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
        print(f"{count:>7,} {int(found.sum()):>10,} {sure:>17}   {shown(str(label))}")
    print("\nLeast sure, worth a look:")
    order = np.argsort(np.where(given, np.inf, labelled.confidence), kind="stable")
    for row in order[: min(_LEAST_SURE, len(given) - n_given)].tolist():
        print(f"  {labelled.confidence[row]:>4.0%}  {shown(str(labels[row]))}  {shown(names[row])}")
