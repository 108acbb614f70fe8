"""A small synthetic example table."""

from __future__ import annotations

from pathlib import Path


def example_table() -> Path:
    """Return the path of a small table: 150 birds, of which 15 have a label.

    The table is synthetic. It has ids, dates, categories, numbers with missing values, booleans,
    and notes.

    Returns
    -------
    Path
        A CSV file.

    Examples
    --------
    >>> from lapoleaf.inputs import example_table, read
    >>> read(example_table(), label="species", id="ring").X.shape[0]
    150
    """
    return Path(__file__).with_name("birds.csv")
