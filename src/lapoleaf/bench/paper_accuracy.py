"""The paper's Table 6, accuracy on images, and the same methods on small sets."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.bench.data import (
    DataSet,
    at_most,
    classification_sets,
    image_sets,
    scale_columns,
    scale_pixels,
)
from lapoleaf.bench.paper_methods import MCC, METHODS, OURS, PUBLISHED, params_text
from lapoleaf.bench.paper_plots import write_accuracy_plot
from lapoleaf.bench.paper_runs import FOLDS, SLOW_SPLITS, Asking, Question
from lapoleaf.bench.splits import labels_a_class, share_at_random
from lapoleaf.bench.tables import Table

SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5}
RATES = {"2 a class": 2, "5 a class": 5, "10 a class": 10}
# Mean and deviation as printed in the paper, by the percentage of labels.
PAPER: dict[str, dict[str, tuple[float, float]]] = {
    "LaPOLeaF": {"10 %": (92.6, 0.8), "30 %": (95.4, 0.9), "50 %": (97.5, 0.3)},
    "RGSSL-MCC": {"10 %": (63.0, 2.8), "30 %": (71.5, 1.2), "50 %": (74.0, 0.8)},
}
_PAPERS_NAME = {OURS: "LaPOLeaF", PUBLISHED: "LaPOLeaF", MCC: "RGSSL-MCC"}
_ALL = tuple(METHODS)
_QUICK_ROWS = 1000


def _draw_share(y: IntArray, column: str, split: int) -> BoolArray:
    return share_at_random(len(y), SHARES[column], split)


def _draw_rate(y: IntArray, column: str, split: int) -> BoolArray:
    return labels_a_class(y, RATES[column], split)


IMAGES = Question("accuracy", tuple(SHARES), _draw_share, "30 %", _ALL)
SMALL = Question(
    "small", tuple(RATES), _draw_rate, "5 a class", tuple(n for n in _ALL if n != PUBLISHED)
)


def image_set(folder: Path | None, *, quick: bool) -> DataSet:
    """Give the features of images that stand for the paper's; digits where there are none.

    Parameters
    ----------
    folder : Path or None
        The folder of data sets.
    quick : bool
        Whether the digits are enough.
    """
    found = [] if quick else image_sets(folder)
    if found:
        return found[0]
    data = load_digits()
    digits = DataSet("digits", scale_pixels(data.data), data.target)
    return at_most(digits, _QUICK_ROWS) if quick else digits


def small_sets(folder: Path | None, *, quick: bool, rows: int) -> list[DataSet]:
    """Give iris, wine, digits and the files of the folder, each with so many rows at most.

    Parameters
    ----------
    folder : Path or None
        The folder of data sets.
    quick : bool
        Whether scikit-learn's own are enough.
    rows : int
        Most rows of a set.
    """
    digits = load_digits()
    own = [
        DataSet("iris", scale_columns(load_iris().data), load_iris().target),
        DataSet("wine", scale_columns(load_wine().data), load_wine().target),
        DataSet("digits", scale_pixels(digits.data), digits.target),
    ]
    names = {data.name for data in own} | {"breast_cancer"}
    stored = [] if quick else [d for d in classification_sets(folder) if d.name not in names]
    return [at_most(data, rows) for data in own + stored]


def accuracy_tables(asking: Asking, arguments: argparse.Namespace) -> Iterator[Table]:
    """Give the accuracy on images at three percentages of labels, beside the paper's."""
    data = image_set(arguments.data, quick=arguments.quick)
    asking.ask(IMAGES, [data])
    n = len(data.X)
    rows = []
    for method in IMAGES.methods:
        cells: list[str] = []
        for column, share in SHARES.items():
            scores = asking.scores(IMAGES, data, method, column)
            given = max(2, round(share * n))
            # As the authors' script counts: given labels are right answers.
            all_rows = (given + scores.mean() * (n - given)) / n
            cells += [
                f"{100 * scores.mean():.1f} ± {100 * _deviation(scores):.1f} "
                f"({100 * all_rows:.1f})",
                _paper_text(method, column),
            ]
        seconds = [
            run.seconds
            for column in IMAGES.columns
            for run in asking.runs(IMAGES, data, method, column)
        ]
        which = asking.chosen(IMAGES, data, method)
        rows.append(
            (
                method,
                *cells,
                asking.splits_of(method),
                float(np.median(seconds)),
                params_text(METHODS[method].grid[which]) or "default",
            )
        )
    picture = write_accuracy_plot(arguments.output, asking, IMAGES, data, PAPER)
    columns = [name for column in SHARES for name in (column, f"paper, {column}")]
    yield Table(
        "accuracy",
        f"Accuracy at 10, 30 and 50 % labels (the paper's Table 6): {data.name}",
        ("method", *columns, "splits", "seconds", "parameters"),
        rows,
        f"{n:,} x {data.X.shape[1]:,}, {len(np.unique(data.y))} classes. Percent, mean and "
        f"standard deviation over the splits, on the rows without a label; in brackets as the "
        f"authors' script counts, given labels being right answers. The paper's numbers are of "
        f"its own images (2,481 x 4,096, 5 classes), which are not public, and are counted with "
        f"the given labels. 'Style' marks a reconstruction: its numbers are not its authors'. "
        f"LaPOLeaF as published has the paper's parameters, whose cost of a tree is in units of "
        f"distance; tuned, its cost is free of units. Seconds: median processor time of a fit on "
        f"one core. " + _CHOICE.format(column=IMAGES.choose_at),
        picture=picture,
    )


_CHOICE = (
    f"Parameters: the best of four by {FOLDS}-fold cross-validation on the labels of the first "
    "split at {column}, once a set. Slow methods have "
    f"at most {SLOW_SPLITS} splits. Splits are numbered from 0 and seeded by their numbers."
)


def _deviation(scores: FloatArray) -> float:
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0


def _paper_text(method: str, column: str) -> str:
    name = _PAPERS_NAME.get(method)
    if name is None:
        return "-"
    mean, deviation = PAPER[name][column]
    return f"{mean:g} ± {deviation:g}"


def small_tables(asking: Asking, arguments: argparse.Namespace) -> Iterator[Table]:
    """Give the accuracy on small sets, a table for every number of labels."""
    sets = small_sets(arguments.data, quick=arguments.quick, rows=arguments.rows)
    asking.ask(SMALL, sets)
    for column in SMALL.columns:
        means = np.array(
            [
                [
                    100 * asking.scores(SMALL, data, method, column).mean()
                    for method in SMALL.methods
                ]
                for data in sets
            ]
        )
        rows = [
            (f"{data.name} ({len(data.X):,} x {data.X.shape[1]:,})", *line.tolist())
            for data, line in zip(sets, means, strict=True)
        ]
        rows.append(("mean", *means.mean(axis=0).tolist()))
        yield Table(
            f"small-{RATES[column]}",
            f"Small sets, {column.replace(' a ', ' labels a ')}",
            ("data", *SMALL.methods),
            rows,
            "Percent of the rows without a label that got their class, mean over the splits. The "
            "paper has no such table. " + _CHOICE.format(column=SMALL.choose_at),
            digits=1,
        )
    yield Table(
        "small-chosen",
        "Small sets: what was chosen",
        ("data", *SMALL.methods[1:]),
        [
            (
                data.name,
                *(
                    params_text(METHODS[name].grid[asking.chosen(SMALL, data, name)])
                    for name in SMALL.methods[1:]
                ),
            )
            for data in sets
        ],
    )
