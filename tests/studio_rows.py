"""Rows that tests of the studio label."""

import numpy as np
import pandas as pd


def birds(n=40, seed=0):
    """Return a table of two kinds of birds, without labels."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 2
    return pd.DataFrame(
        {
            "ring": [f"R{number:03d}" for number in range(n)],
            "weight": np.round(rng.normal(10 + 20 * kind, 1.0), 2),
            "wing": np.round(rng.normal(50 + 40 * kind, 2.0), 2),
            "note": [f"seen at pond {number % 7}" for number in range(n)],
        }
    )
