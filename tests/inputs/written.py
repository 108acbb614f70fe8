"""Small tables as people have them, written to files in many ways."""

import csv
import gzip
import io
import json

import numpy as np
import pandas as pd

COLUMNS = ["species", "island", "bill", "flipper", "sex", "seen", "ringed", "note"]
KINDS = ("Adelie", "Gentoo", "Chinstrap")
ISLANDS = ("Torgersen", "Biscoe", "Île Dream")


def penguins(n_rows=30, seed=0):
    """Rows of cells: strings, and None for missing ones."""
    rng = np.random.default_rng(seed)
    rows = []
    for row in range(n_rows):
        kind = int(rng.integers(3))
        rows.append(
            [
                KINDS[kind] if rng.random() < 0.8 else None,
                ISLANDS[int(rng.integers(3))],
                f"{38 + 5 * kind + rng.normal():.1f}" if rng.random() < 0.9 else None,
                str(180 + 10 * kind + int(rng.integers(8))) if rng.random() < 0.9 else None,
                ("MALE", "FEMALE")[int(rng.integers(2))] if rng.random() < 0.9 else None,
                f"2024-0{1 + row % 9}-{10 + row % 18}",
                ("True", "False")[int(rng.integers(2))],
                f'said "hi", twice; row {row}\nand left' if row % 5 == 0 else f"plain {row}",
            ]
        )
    return rows


def as_text(
    rows, header=COLUMNS, separator=",", decimal=".", newline="\n", title=(), missing="", quote=None
):
    """Write rows as CSV; numbers of the third column with a decimal sign."""
    file = io.StringIO()
    for line in title:
        file.write(line + newline)
    quoting = csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=separator, lineterminator=newline, quoting=quoting)
    if header is not None:
        writer.writerow(header)
    for row in rows:
        cells = [missing if cell is None else cell for cell in row]
        if decimal != ".":
            cells[2] = cells[2].replace(".", decimal)
        writer.writerow(cells)
    return file.getvalue()


def typed_frame(rows, header=COLUMNS):
    """Return rows as a frame in which numbers are numbers."""
    frame = pd.DataFrame(rows, columns=header).astype(object)
    frame["bill"] = pd.to_numeric(frame["bill"])
    frame["flipper"] = pd.to_numeric(frame["flipper"])
    return frame


def write_json_lines(path, rows, header=COLUMNS):
    lines = []
    for row in rows:
        record = dict(zip(header, row, strict=True))
        record["bill"] = None if record["bill"] is None else float(record["bill"])
        record["flipper"] = None if record["flipper"] is None else int(record["flipper"])
        lines.append(json.dumps(record))
    path.write_text("\n".join(lines) + "\n")


def write_gzip(path, text):
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        file.write(text)
