"""Columns with a companion that is never left out, and their plans."""

import numpy as np
import pandas as pd

from lapoleaf import TableEncoder


def framed(values, name="c"):
    """Return a frame of a column and another one, so that something can always be encoded."""
    return pd.DataFrame({name: values, "other": np.arange(len(values)) % 2 * 1.5})


def learnt(values, kind=None, name="c", **params):
    """Return the plan of a column."""
    kinds = None if kind is None else {name: kind}
    return TableEncoder(kinds=kinds, **params).fit(framed(values, name)).plan_.columns[0]


def encoded(values, kind=None, new=None, **params):
    """Return the numbers of a column, of those of the fit or of new values."""
    plan = learnt(values, kind, **params)
    return plan.encode(framed(values if new is None else new).iloc[:, 0])


def total_variance(block):
    return block.var(axis=0).sum()
