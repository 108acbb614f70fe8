"""Rows that are hard on matrix products: far from 0, full of ties, of many scales."""

import numpy as np

KINDS = {
    "cloud": lambda rng, n, d: rng.normal(size=(n, d)),
    "grid": lambda rng, n, d: rng.integers(0, 4, size=(n, d)).astype(float),
    "far": lambda rng, n, d: 1e6 + rng.normal(size=(n, d)),
    "far grid": lambda rng, n, d: 1e6 + 1e-9 * rng.integers(0, 5, size=(n, d)),
    "heaps": lambda rng, n, d: 1e7 * rng.integers(0, 3, size=(n, 1)) + rng.normal(size=(n, d)),
    "points": lambda rng, n, d: 1e12 * rng.integers(0, 3, size=(n, 1)) + rng.normal(size=(n, d)),
    "columns": lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9, size=d),
    "rows": lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9, size=(n, 1)),
    "tiny": lambda rng, n, d: 1e-170 * rng.normal(size=(n, d)),
    "huge": lambda rng, n, d: 1e150 * rng.normal(size=(n, d)),
    "float32": lambda rng, n, d: rng.normal(3, 1, size=(n, d)).astype(np.float32),
}
