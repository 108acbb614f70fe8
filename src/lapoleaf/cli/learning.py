"""``lapoleaf predict --learn``: predict every line, then add its row to the model."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from lapoleaf._progress import tell
from lapoleaf.cli.models import save_model
from lapoleaf.cli.names import printable
from lapoleaf.cli.outputs import Destination, UnusableInput
from lapoleaf.cli.predict import answers_for
from lapoleaf.cli.raw_lines import RawLine, raw_lines
from lapoleaf.cli.row_lines import BadRow, Row, RowReader

# Number of invalid lines that are reported one by one.
_REPORTED = 10


def learn_lines(arguments: argparse.Namespace, model: Any, kept: Destination | None) -> int:
    """Predict the lines of INPUT one by one, add their rows, and save the model at the end.

    Parameters
    ----------
    arguments : argparse.Namespace
        With ``input`` and ``label``.
    model : estimator
        Fitted.
    kept : Destination or None
        File to save it to.

    Returns
    -------
    int
        0, or 1 if some lines could not be used.
    """
    learner = _Learner(model, RowReader(model, arguments.label))
    try:
        with ExitStack() as stack:
            source = sys.stdin.buffer
            if arguments.input != "-":
                source = stack.enter_context(open(arguments.input, "rb"))
            for line in raw_lines(source):
                learner.take(line)
    finally:
        # Also after Ctrl-C and a closed pipe, so that nothing learnt is lost.
        learner.keep(kept)
    learner.report(kept)
    if not learner.n_answered and learner.n_bad:
        raise UnusableInput(f"no line of {arguments.input} is a row.")
    return int(learner.n_bad > 0)


class _Learner:
    """A model that predicts and learns line by line."""

    def __init__(self, model: Any, reader: RowReader) -> None:
        self.model = model
        self.reader = reader
        self.n_answered = self.n_labelled = self.n_bad = 0
        self._number = 0
        self._named = False

    def take(self, line: RawLine) -> None:
        """Predict a line, print the prediction, and add the row."""
        self._number += 1
        try:
            row = self.reader.read(line.content)
            if row is None:
                return
            answer = self._answer(row)
        except (BadRow, ValueError, TypeError) as error:
            if self.reader.format is None:
                raise
            self._refuse(error)
            return
        for text in self._header(answer):
            sys.stdout.write(text)
        sys.stdout.write(self._written(row, answer))
        sys.stdout.flush()
        try:
            self.model.partial_fit(row.frame, row.labels)
        except (ValueError, TypeError) as error:
            self._refuse(error)
            return
        self.n_answered += 1
        self.n_labelled += row.labels is not None

    def _refuse(self, error: Exception) -> None:
        self.n_bad += 1
        if self.n_bad <= _REPORTED:
            tell(f"lapoleaf: line {self._number} is left out: {printable(str(error))}")
        elif self.n_bad == _REPORTED + 1:
            tell("lapoleaf: more lines are left out; they are counted at the end")

    def _answer(self, row: Row) -> dict[str, Any]:
        found = answers_for(self.model, row.frame)
        label = found.labels[0]
        answer = {"lapoleaf_label": f"{label:.6g}" if isinstance(label, float) else label}
        if found.lower is not None and found.upper is not None:
            ends = {"low": found.lower[0], "high": found.upper[0]}
            answer |= {
                f"lapoleaf_{name}": f"{end:.6g}" if math.isfinite(end) else ""
                for name, end in ends.items()
            }
        return {**answer, "lapoleaf_confidence": f"{found.confidence[0]:.4f}"}

    def _header(self, answer: dict[str, Any]) -> Iterator[str]:
        """Yield the names of columns before the first prediction."""
        names = self.reader.header
        if not self._named and names is not None:
            yield self._line([*names, *answer])
        self._named = True

    def _written(self, row: Row, answer: dict[str, Any]) -> str:
        if isinstance(row.cells, dict):
            return json.dumps({**row.cells, **answer}, ensure_ascii=False) + "\n"
        return self._line([*row.cells, *answer.values()])

    def _line(self, cells: list[Any]) -> str:
        text = io.StringIO()
        csv.writer(text, delimiter=self.reader.separator, lineterminator="\n").writerow(cells)
        return text.getvalue()

    def keep(self, kept: Destination | None) -> None:
        """Save the model if a file was set."""
        if kept is not None and self.n_answered:
            save_model(self.model, kept)

    def report(self, kept: Destination | None) -> None:
        """Print a summary on standard error."""
        left_out = f", {self.n_bad:,} left out" if self.n_bad else ""
        labelled = f", {self.n_labelled:,} with a label" if self.n_labelled else ""
        tell(f"lapoleaf: {self.n_answered:,} rows joined the model{labelled}{left_out}")
        if kept is None:
            tell("lapoleaf: the model was not kept: --save names a file for it")
        elif self.n_answered:
            tell(f"lapoleaf: the model is in {printable(kept.name)}")
