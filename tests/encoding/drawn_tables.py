"""Tables as people have them, drawn by hypothesis."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

# Zero bytes at the end of a string cannot be stored, which saving says; pandas takes no halves of
# surrogate pairs.
CHARACTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
MARKS = ["NA", "", " ", "?", "nan", "None", "N/A"]
MOMENTS = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1))
NUMBERS = st.floats(-1e12, 1e12)

CELLS = {
    "float": NUMBERS,
    "any float": st.floats(allow_nan=True, allow_infinity=False),
    "whole": st.integers(-(2**53), 2**53),
    "few": st.integers(0, 3),
    "huge": st.integers(-(10**30), 10**30),
    "decimal": st.decimals(-(10**6), 10**6, places=2),
    "number string": NUMBERS.map(lambda value: f"{value:.3f}"),
    "comma string": NUMBERS.map(lambda value: f"{value:.2f}".replace(".", ",")),
    "boolean": st.booleans(),
    "truth string": st.sampled_from(["True", "False"]),
    "category": st.sampled_from(["red", "green", "blue", "ÄÖ"]),
    "string": st.text(CHARACTERS, max_size=12),
    "text": st.lists(st.text(CHARACTERS, min_size=1, max_size=8), max_size=12).map(" ".join),
    "date": MOMENTS,
    "day": MOMENTS.map(lambda moment: moment.date()),
    "time": st.times(),
    "date string": MOMENTS.map(lambda moment: moment.strftime("%d.%m.%Y %H:%M")),
    "duration": st.timedeltas(datetime.timedelta(days=-999), datetime.timedelta(days=999)),
    "mixed": st.one_of(st.integers(-9, 9), st.text(CHARACTERS, max_size=4), st.booleans(), MOMENTS),
    "nothing": st.none(),
}  # fmt: skip
NUMERIC = {"float", "any float", "whole", "few", "huge", "decimal", "number string", "comma string"}
NAMES = st.one_of(
    st.sampled_from(["id", "a", "b", "size", "row_id", "länge", "when", ""]),
    st.text(CHARACTERS, max_size=6),
)


@st.composite
def columns(draw, n_rows):
    """Draw the kind of a column and its cells, with holes of some sort."""
    kind = draw(st.sampled_from(sorted(CELLS)))
    cells = draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows))
    hole = draw(st.sampled_from([None, np.nan, pd.NA, *MARKS]))
    if draw(st.booleans()):
        rows = draw(st.sets(st.integers(0, n_rows - 1), max_size=n_rows))
        cells = [hole if row in rows else cell for row, cell in enumerate(cells)]
    return kind, cells


def as_series(cells, dtype):
    """Return cells as a column of a type, or of Python's objects if it does not take them."""
    objects = np.empty(len(cells), dtype=object)
    objects[:] = cells
    try:
        if dtype == "category":
            return pd.Series(objects).astype("category")
        return pd.Series(objects).infer_objects() if dtype == "inferred" else pd.Series(objects)
    except (TypeError, ValueError, OverflowError):
        return pd.Series(objects)


@st.composite
def tables(draw, max_rows=60):
    """Draw a frame, and the kind of every column."""
    n_rows = draw(st.integers(1, max_rows))
    names = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    drawn = [draw(columns(n_rows)) for _ in names]
    dtypes = [draw(st.sampled_from(["object", "inferred", "category"])) for _ in names]
    series = [as_series(cells, dtype) for (_, cells), dtype in zip(drawn, dtypes, strict=True)]
    frame = pd.concat(series, axis=1) if series else pd.DataFrame()
    frame.columns = names
    return frame, [kind for kind, _ in drawn]


def in_polars(frame):
    """Return a frame of polars, or None if polars does not take one of the columns."""
    try:
        return pl.DataFrame({name: pl.Series(frame[name].tolist()) for name in frame})
    except Exception:
        return None


def number_of(cell):
    """Return the number that a cell of a column of numbers is; None for a hole."""
    if cell is None or cell is pd.NA or cell in MARKS or cell != cell:
        return None
    if isinstance(cell, str):
        cell = cell.replace(",", ".")
    return float(decimal.Decimal(cell)) if isinstance(cell, str | decimal.Decimal) else float(cell)
