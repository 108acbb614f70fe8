"""Tables of the suggest benchmark: means, wins, and every data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks.runner.ranks import ahead_level_behind
from benchmarks.runner.runner import Scores
from benchmarks.runner.tables import Table
from benchmarks.suggest.label_errors import BINS, MEASURES

_CHANCE = "Mean over {sets} data sets, and over {splits} draws of random methods."
_START = (
    "Labels of 2K rows for K classes, starting without labels: all together, or K and then K "
    "more after the first labels. k-means: the rows nearest to 2K centres."
)
_ROUNDS = (
    "K labels per round for K classes, up to 5K. suggest and margin (the smallest difference of "
    "the two largest probabilities) use the labels given so far; margin starts with K random "
    "rows, or with the first rows of suggest; k-means selects the rows nearest to as many centres "
    "as there are labels."
)
_DOUBT = (
    "20 labels per class (at most half of a class), one in ten changed to another class. AUC of "
    "the doubt; precision among the most doubtful labels, as many as are wrong; F1 of the labels "
    "listed as wrong: those that are more likely wrong than right, or that the confident joint "
    "flags. Confident learning uses probabilities from five folds of the given labels."
)
_UNLABELLED = "Accuracy on the unlabelled rows."


def start_tables(found: Mapping[str, Scores]) -> Iterator[Table]:
    """Yield accuracy and classes seen with the first labels."""
    accuracy, seen = found["start"], found["start-seen"]
    note = f"{_START} {_UNLABELLED}"
    title = "Accuracy with the first labels"
    yield mean_table("start", title, accuracy, note)
    yield win_table("start", title, accuracy)
    yield mean_table("start-seen", "Share of the classes seen among the first labels", seen, _START)
    yield from set_tables("start", title, accuracy)


def round_tables(found: Mapping[str, Scores]) -> Iterator[Table]:
    """Yield accuracy with more and more labels."""
    scores = found["rounds"]
    title = "Accuracy with labels asked for in rounds"
    yield mean_table("rounds", title, scores, f"{_ROUNDS} {_UNLABELLED}")
    yield win_table("rounds", title, scores)
    yield from set_tables("rounds", title, scores, scores.columns[-1:])


def doubt_tables(found: Mapping[str, Scores]) -> Iterator[Table]:
    """Yield the scores of detecting wrong labels."""
    columns = ("method", "AUC", "found first", "F1")
    measured = [found[name] for name in MEASURES[: len(columns) - 1]]
    means = np.stack([scores.values.mean(axis=(1, 2)) for scores in measured], axis=1)
    first = found["doubt"]
    rows = [(name, *map(float, line)) for name, line in zip(first.methods, means, strict=True)]
    title = "Wrong labels found"
    yield Table("doubt", title, columns, rows, f"{_DOUBT} {_means_over(first)}")
    yield win_table("doubt", f"{title}, AUC", first)
    yield from set_tables("doubt", f"{title}, AUC", first)
    yield reliability_table(found)


def reliability_table(found: Mapping[str, Scores]) -> Table:
    """Return how many labels are wrong among those of a doubt, for the first method."""
    rows: list[tuple[str, float, float, float]] = []
    for name in BINS:
        labels, doubts, wrong = (
            float(found[f"doubt, {what}, {name}"].values[0].mean())
            for what in ("labels", "sum", "wrong")
        )
        if labels > 0:
            rows.append((name, labels, doubts / labels, wrong / labels))
    error = sum(share * abs(doubt - wrong) for _, share, doubt, wrong in rows)
    note = (
        f"Labels by the doubt of {found['doubt'].methods[0]}, as above: their share among all "
        f"given labels, their mean doubt, and the share of them that is wrong. Mean difference of "
        f"the latter two: {error:.3f}. {_means_over(found['doubt'])}"
    )
    columns = ("doubt", "share of labels", "mean doubt", "wrong")
    return Table("doubt-reliability", "Doubts and wrong labels", columns, rows, note)


TABLES = {"start": start_tables, "rounds": round_tables, "doubt": doubt_tables}


def mean_table(name: str, title: str, scores: Scores, note: str) -> Table:
    """Return the means over the data sets."""
    means = scores.values.mean(axis=1)
    rows = [(name, *map(float, line)) for name, line in zip(scores.methods, means, strict=True)]
    return Table(name, title, ("method", *scores.columns), rows, f"{note} {_means_over(scores)}")


def win_table(name: str, title: str, scores: Scores) -> Table:
    """Return on how many data sets the first method wins, ties and loses against each baseline."""
    ours, *others = scores.values
    rows = [
        (baseline, *(ahead_level_behind(gains) for gains in (ours - values).T))
        for baseline, values in zip(scores.methods[1:], others, strict=True)
    ]
    note = f"Data sets where {scores.methods[0]} is ahead / level (within 0.1 points) / behind."
    title = f"{title}: {scores.methods[0]} against each"
    return Table(f"{name}-wins", title, ("baseline", *scores.columns), rows, note)


def set_tables(
    name: str, title: str, scores: Scores, columns: tuple[str, ...] | None = None
) -> Iterator[Table]:
    """Yield, for some columns or all, every method on every data set."""
    for column in scores.columns if columns is None else columns:
        number = scores.columns.index(column)
        rows = [
            (data.name, len(data.X), len(np.unique(data.y)), *map(float, values))
            for data, values in zip(scores.sets, scores.values[:, :, number].T, strict=True)
        ]
        heads = ("data set", "rows", "classes", *scores.methods)
        file = f"{name}-{column.replace(' ', '-')}"
        yield Table(file, f"{title}: {column}", heads, rows)


def _means_over(scores: Scores) -> str:
    return _CHANCE.format(sets=len(scores.sets), splits=scores.splits)
