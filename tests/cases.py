"""Real data and every metric, with the formula of each."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler, minmax_scale

LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}


def table(name):
    """The rows of a data set; of digits every fifth."""
    X = LOADERS[name]().data
    return X[::5] if name == "digits" else X


def _counts(u, V):
    """How often both are true, only the first, only the second, neither."""
    return (u & V).sum(-1), (u & ~V).sum(-1), (~u & V).sum(-1), (~u & ~V).sum(-1)


def _one_minus_cosine(u, V):
    # Extended precision: one minus a number near 1 loses digits.
    u, V = u.astype(np.longdouble), V.astype(np.longdouble)
    return 1 - (u * V).sum(-1) / np.sqrt((u * u).sum() * (V * V).sum(-1))


def _correlation(u, V):
    u, V = u.astype(np.longdouble), V.astype(np.longdouble)
    return _one_minus_cosine(u - u.mean(), V - V.mean(-1, keepdims=True))


def _canberra(u, V):
    part, whole = np.abs(u - V), np.abs(u) + np.abs(V)
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), 0).sum(-1)


def _haversine(u, V):
    north = np.sin((u[0] - V[..., 0]) / 2) ** 2
    east = np.cos(u[0]) * np.cos(V[..., 0]) * np.sin((u[1] - V[..., 1]) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(north + east))


def _nan_euclidean(u, V):
    square = (u - V) ** 2
    present = (~np.isnan(square)).sum(-1)
    return np.sqrt(u.size / present * np.nansum(square, axis=-1))


def _yule(u, V):
    tt, tf, ft, ff = _counts(u, V)
    return np.where(tf * ft == 0, 0, 2 * tf * ft / np.maximum(tt * ff + tf * ft, 1))


def _dice(u, V):
    tt, tf, ft, _ = _counts(u, V)
    return (tf + ft) / (2 * tt + tf + ft)


def _jaccard(u, V):
    tt, tf, ft, _ = _counts(u, V)
    return (tf + ft) / (tt + tf + ft)


def _rogerstanimoto(u, V):
    tt, tf, ft, ff = _counts(u, V)
    return 2 * (tf + ft) / (tt + ff + 2 * (tf + ft))


def _sokalsneath(u, V):
    tt, tf, ft, _ = _counts(u, V)
    return 2 * (tf + ft) / (tt + 2 * (tf + ft))


def _euclidean(u, V):
    return np.sqrt(((u - V) ** 2).sum(-1))


def _manhattan(u, V):
    return np.abs(u - V).sum(-1)


def own_metric(a, b):
    """A metric no library has."""
    return np.abs(a - b).max() + np.abs(a - b).sum() / 2


FORMULAS = {
    "euclidean": _euclidean,
    "manhattan": _manhattan,
    "sqeuclidean": lambda u, V: ((u - V) ** 2).sum(-1),
    "chebyshev": lambda u, V: np.abs(u - V).max(-1),
    "minkowski": lambda u, V: (np.abs(u - V) ** 3).sum(-1) ** (1 / 3),
    "cosine": _one_minus_cosine,
    "correlation": _correlation,
    "canberra": _canberra,
    "braycurtis": lambda u, V: np.abs(u - V).sum(-1) / np.abs(u + V).sum(-1),
    "hamming": lambda u, V: (u != V).mean(-1),
    "haversine": _haversine,
    "nan_euclidean": _nan_euclidean,
    "dice": _dice,
    "jaccard": _jaccard,
    "rogerstanimoto": _rogerstanimoto,
    "russellrao": lambda u, V: 1 - (u & V).mean(-1),
    "sokalsneath": _sokalsneath,
    "yule": _yule,
    own_metric: lambda u, V: np.abs(u - V).max(-1) + np.abs(u - V).sum(-1) / 2,
}
BOOLEAN = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}
FROM_THE_DATA = {"seuclidean", "mahalanobis"}
METRICS = [*FORMULAS, *sorted(FROM_THE_DATA)]
SAME = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan", "matching": "hamming"}
PARAMS = {"minkowski": {"p": 3}}
# What a metric calls 0: one minus a quotient leaves parallel rows a rounding error apart.
ZERO = {"cosine": 1e-12, "correlation": 1e-12}


def formula(metric, X):
    """The formula of a metric; two of them take variances from the data."""
    if metric == "seuclidean":
        variance = X.var(axis=0, ddof=1)
        return lambda u, V: np.sqrt(((u - V) ** 2 / variance).sum(-1))
    if metric == "mahalanobis":
        inverse = np.linalg.inv(np.cov(X.T))
        return lambda u, V: np.sqrt(np.einsum("...i,ij,...j", u - V, inverse, u - V))
    return FORMULAS[metric]


def rows_for(metric, X):
    """``X`` in a shape the metric is defined for."""
    if metric in BOOLEAN:
        # The last column is true everywhere: no quotient of two zeros.
        return np.column_stack([X > np.median(X, axis=0), np.ones(len(X), dtype=bool)])
    if metric == "haversine":
        return minmax_scale(X[:, :2], (-1.5, 1.5))
    if metric == "nan_euclidean":
        holes = np.random.default_rng(0).random(X.shape) < 0.1
        holes[:, 0] = False
        return np.where(holes, np.nan, X)
    if metric in FROM_THE_DATA:
        varied = [len(np.unique(column)) > 10 for column in X.T]
        return StandardScaler().fit_transform(X[:, varied])
    return X[:150] if metric is own_metric else X
