"""Models of the command, chosen by the kind of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.cli.outputs import Destination, watching
from lapoleaf.cli.problems import Problem

if TYPE_CHECKING:
    from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor
    from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray

    Model = LaPOLeaFClassifier | LaPOLeaFRegressor

COVERAGE = 0.9


def make_model(problem: Problem, jobs: int | None) -> Model:
    """Return an unfitted model."""
    from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor
    from lapoleaf.inputs import TableEncoder

    data = problem.data
    options: dict[str, Any] = {"n_jobs": jobs, "verbose": watching()}
    if data.kind in ("table", "texts"):
        options["encoder"] = TableEncoder(kinds=data.kinds or None, verbose=watching())
    if problem.task.kind == "numbers":
        return LaPOLeaFRegressor(**options)
    return LaPOLeaFClassifier(missing_label=None, **options)


def fitted(problem: Problem, jobs: int | None) -> Model:
    """Return a model that is fitted on all rows that can be used."""
    return make_model(problem, jobs).fit(usable_rows(problem), labels_to_fit(problem))


def usable_rows(problem: Problem) -> Any:
    """Return the rows that can be used, as a frame."""
    data = problem.data
    if data.kind == "images":
        import pandas as pd

        # Names of files may hold invalid Unicode.
        names = [str(name).encode("utf-8", "backslashreplace").decode() for name in data.names]
        rows = pd.DataFrame(data.X, index=names)
    else:
        rows = data.rows
    return rows if problem.usable.all() else rows[problem.usable]


def labels_to_fit(problem: Problem) -> AnyArray:
    """Return labels for the model: numbers, or texts and None."""
    given = problem.given
    labels: AnyArray
    if problem.task.kind == "numbers" and given.numbers is not None:
        labels = given.numbers
    else:
        labels = np.empty(len(given.texts), dtype=object)
        labels[:] = given.texts
    return labels[problem.usable]


@dataclass(frozen=True, eq=False)
class Answers:
    """Predictions for all rows; None and NaN for rows that cannot be used.

    Attributes
    ----------
    labels : list of str, float or None
        Classes, or numbers.
    confidence : ndarray of shape (n_rows,)
        Probability of the class; for numbers the explained share of the variance.
    lower, upper : ndarray of shape (n_rows,) or None
        Ends of intervals for numbers.
    """

    labels: list[Any]
    confidence: FloatArray
    lower: FloatArray | None = None
    upper: FloatArray | None = None

    def spread(self, usable: BoolArray) -> Answers:
        """Return predictions for usable rows expanded to all rows."""
        if usable.all():
            return self
        ends = [None if end is None else spread(end, usable) for end in (self.lower, self.upper)]
        labels = _spread_objects(self.labels, usable)
        return Answers(labels, spread(self.confidence, usable), *ends)


def answers_of(model: Model, problem: Problem) -> Answers:
    """Return the labels of all rows, with given ones unchanged."""
    usable, given = problem.usable, problem.given.mask & problem.usable
    frame = model.labels_frame()
    confidence = spread(frame["confidence"].to_numpy(), usable)
    confidence[given] = 1.0
    if problem.task.kind == "classes":
        return Answers(_spread_objects(frame["label"].tolist(), usable), confidence)
    values = spread(frame["label"].to_numpy(), usable)
    ends = model.predict_interval(usable_rows(problem), COVERAGE)
    lower, upper = (spread(end, usable) for end in ends)
    numbers = problem.given.numbers
    for part in (values, lower, upper):
        part[given] = values[given] if numbers is None else numbers[given]
    return Answers(values.tolist(), confidence, lower, upper)


def spread(values: AnyArray, usable: BoolArray) -> FloatArray:
    """Return numbers of usable rows expanded to all rows, NaN for the others."""
    found = np.full(len(usable), np.nan)
    found[usable] = values
    return found


def _spread_objects(values: Sequence[Any], usable: BoolArray) -> list[Any]:
    found = np.full(len(usable), None, dtype=object)
    found[usable] = values
    result: list[Any] = found.tolist()
    return result


def leaders_of(model: Model, problem: Problem) -> IntArray:
    """Return the leader of each row, -1 for none."""
    tree = model.tree_
    leader = tree.parent[tree.node_of]
    rows = np.flatnonzero(problem.usable)
    found = np.full(len(problem.usable), -1, dtype=np.int64)
    found[rows] = np.where(leader >= 0, rows[tree.first_rows[leader]], -1)
    return found


def save_model(model: Any, destination: Destination) -> None:
    """Save a model to a file atomically."""
    from lapoleaf import save

    if destination.path is None:
        raise ValueError("--save must be the name of a file.")
    # The numbers of threads and the verbosity are not part of the saved model.
    model.set_params(verbose=0, n_jobs=None)
    try:
        save(model, destination.path)
    except OSError as error:
        raise OSError(
            f"--save {shown(destination.name)} cannot be written: {error.strerror or error}. "
            f"Nothing was written."
        ) from error
