"""``lapoleaf predict``: predict new rows with a saved model."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lapoleaf._messages import shown
from lapoleaf.cli.arguments import INPUT, add_output
from lapoleaf.cli.names import printable

if TYPE_CHECKING:
    from lapoleaf.cli.models import Answers
    from lapoleaf.inputs import Dataset

HELP = "labels of new rows by a model that 'lapoleaf fit' kept"
EXAMPLES = (
    ("lapoleaf predict birds.lapoleaf june.csv -o june-labelled.csv",
     "add the columns lapoleaf_label and lapoleaf_confidence"),
    ("tail -f new.csv | lapoleaf predict birds.lapoleaf - --learn --save birds2.lapoleaf",
     "answer every line at once; then the row joins the model"),
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model by 'lapoleaf fit' or lapoleaf.save")
    parser.add_argument("input", metavar="INPUT", help=f"{INPUT}; with the columns of the fit")
    parser.add_argument("--sheet", metavar="NAME", help="sheet of an Excel file (default: first)")
    add_output(
        parser,
        "where to write the table with labels, .csv, .tsv, .xlsx or .parquet (default: standard "
        "output)",
    )
    learn = parser.add_argument_group("new rows join the model")
    learn.add_argument(
        "--learn", action="store_true",
        help="answer line by line (CSV with a header, or JSON lines), each as soon as it is there; "
        "then its row joins the model, with its label if it has one",
    )  # fmt: skip
    learn.add_argument(
        "--label", metavar="NAME", help="the column of labels of these lines (default: label)"
    )
    learn.add_argument(
        "--save", metavar="MODEL", help="keep the model there at the end, and after Ctrl-C"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from lapoleaf.cli.outputs import destination_of
    from lapoleaf.cli.problems import usable_rows_of
    from lapoleaf.cli.tables import Column, check_size, write_table

    _check(arguments)
    destination = destination_of(arguments)
    if arguments.learn:
        from lapoleaf.cli.learning import learn_lines

        kept = None if arguments.save is None else destination_of(arguments, (), "save")
        return learn_lines(arguments, loaded(arguments.model), kept)
    model = loaded(arguments.model)
    data = _read(arguments)
    check_size(destination, len(data))
    rows, usable = _rows(model, data, arguments), usable_rows_of(data)
    answers = answers_for(model, rows if usable.all() else rows[usable]).spread(usable)
    columns = [Column("lapoleaf_label", answers.labels, ".6g")]
    if answers.lower is not None and answers.upper is not None:
        columns.append(Column("lapoleaf_low", answers.lower.tolist(), ".6g"))
        columns.append(Column("lapoleaf_high", answers.upper.tolist(), ".6g"))
    columns.append(Column("lapoleaf_confidence", answers.confidence.tolist()))
    write_table(destination, data, columns)
    destination.tell(f"Labelled     {int(usable.sum()):,} rows by {printable(arguments.model)}")
    destination.tell(f"\nThe labels are in {printable(destination.name)}")
    return int(not usable.all())


def _check(arguments: argparse.Namespace) -> None:
    if not arguments.learn:
        for name in ("save", "label"):
            if getattr(arguments, name) is not None:
                raise ValueError(f"--{name} {getattr(arguments, name)} is for --learn.")
    elif arguments.output is not None:
        raise ValueError(
            f"-o {arguments.output}: with --learn, answers go to standard output line by line; "
            f"redirect it with > {arguments.output}."
        )
    elif arguments.sheet is not None:
        raise ValueError(f"--sheet {arguments.sheet}: --learn reads lines of text.")


def loaded(path: str) -> Any:
    """Load a model that can predict new rows."""
    from lapoleaf import load
    from lapoleaf.cli.outputs import watching

    model = load(path)
    if not hasattr(model, "predict_proba") and not hasattr(model, "predict_interval"):
        raise ValueError(
            f"MODEL {shown(path)} holds a {type(model).__name__}, which has no labels for new rows."
        )
    return model.set_params(verbose=watching())


def _read(arguments: argparse.Namespace) -> Dataset:
    from lapoleaf.cli.outputs import watching
    from lapoleaf.inputs import read

    sheet = arguments.sheet
    if sheet is not None and sheet.isdecimal():
        sheet = int(sheet) - 1
    return read(arguments.input, sheet=sheet, verbose=watching())


def _rows(model: Any, data: Dataset, arguments: argparse.Namespace) -> Any:
    """Return rows with the columns that the model was fitted on."""
    names = getattr(model, "feature_names_in_", None)
    if data.table is None:
        return data.X
    frame = data.table.frame
    if names is None:
        raise ValueError(
            f"MODEL {shown(arguments.model)} was fitted on rows without names of columns, and "
            f"{data.source} is a table: give an .npz file, or a folder of pictures."
        )
    missing = [str(name) for name in names if name not in frame]
    # Columns that were left out in the fit, such as ids, are not needed.
    spare = set(missing) & left_out(model)
    missing = [name for name in missing if name not in spare]
    if missing:
        known = ", ".join(map(shown, frame.columns[:12]))
        raise ValueError(
            f"{data.source} has no column {', '.join(map(shown, missing[:5]))}, which the model "
            f"needs; its columns are {known}."
        )
    return frame.reindex(columns=list(names))


def left_out(model: Any) -> set[str]:
    """Return the names of columns that a model was fitted on but does not use."""
    encoder = getattr(model, "encoder_", None)
    if encoder is None:
        return set()
    return {plan.name for plan in encoder.plan_.columns if not plan.feature_names}


def answers_for(model: Any, rows: Any) -> Answers:
    """Return the predictions of a model for new rows."""
    import numpy as np

    from lapoleaf.cli.models import COVERAGE, Answers

    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(rows)
        labels = model.classes_[shares.argmax(axis=1)]
        if getattr(model, "min_confidence", None) is not None:
            labels = model.predict(rows)
        return Answers([_plain(label) for label in labels.tolist()], shares.max(axis=1))
    values, std = model.predict(rows, return_std=True)
    lower, upper = model.predict_interval(rows, COVERAGE)
    spread = _spread_of(model)
    with np.errstate(all="ignore"):
        share = np.clip(1.0 - (std / spread) ** 2, 0.0, 1.0)
    confidence = np.where(std == 0.0, 1.0, np.nan_to_num(share))
    return Answers(values.tolist(), confidence, lower, upper)


def _spread_of(model: Any) -> float:
    """Return the standard deviation of the given numbers of a model."""
    frame = model.labels_frame()
    return float(frame["label"][frame["given"]].std(ddof=0))


def _plain(label: Any) -> Any:
    return label if label is None or isinstance(label, str | float) else str(label)
