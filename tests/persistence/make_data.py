"""Make the files of a version of the format that old and new versions are compared by.

    python make_data.py FOLDER

Run once for a new version of the format; files that are in ``data/`` are never made anew.
"""

import json
import sys
from pathlib import Path

import numpy as np

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, LoDOG, save
from lapoleaf.io.header import VERSION

ROWS = [[0.4, 0.0], [7.5, 1.0], [3.0, 4.1], [20.0, 20.0]]
WEIGHT = np.where(np.arange(24) == 5, 0.0, 1.0 + np.arange(24) % 2)


def _table():
    rng = np.random.default_rng(11)
    X = np.array([[0, 0], [6, 1], [2, 6]])[np.arange(24) % 3] + rng.normal(size=(24, 2))
    X[9] = X[3]
    return X


def _classifier():
    y = np.where(np.arange(24) % 2 == 0, np.array(["a", "b", "ü"])[np.arange(24) % 3], None)
    model = LaPOLeaFClassifier(n_forests=5, bandwidth=1.5).fit(_table(), y, WEIGHT)
    return model.partial_fit([[3.0, 3.0], [4.0, 1.0]], ["b", None]).forget([2, 25])


def _regressor():
    X = _table()
    y = np.where(np.arange(24)[:, None] % 2 == 0, X @ [[1.0, 0.5], [0.0, 2.0]], np.nan)
    y[4, 1] = np.nan
    model = LaPOLeaFRegressor(n_forests=5, bandwidth=1.5).fit(X, y, WEIGHT)
    return model.partial_fit([[3.0, 3.0], [4.0, 1.0]], [[1.0, 2.0], [3.0, np.nan]]).forget([2, 25])


def _clustering():
    return LoDOG(3, build="approximate").fit(_table(), sample_weight=WEIGHT)


ATTRIBUTES = ["transduction_", "transduction_std_", "label_distributions_", "labels_"]
METHODS = ["predict", "predict_proba", "predict_interval"]


def make(model, folder):
    """Save a model, and beside it what it answers."""
    name = f"{type(model).__name__}-{VERSION}"
    save(model, Path(folder, f"{name}.lapoleaf"))
    found = {
        "attributes": {n: getattr(model, n).tolist() for n in ATTRIBUTES if hasattr(model, n)},
        "rows": ROWS,
        "methods": {
            n: np.asarray(getattr(model, n)(ROWS)).tolist() for n in METHODS if hasattr(model, n)
        },
        "explained": {
            str(row): str(model.explain(row)) for row in (1, 5) if hasattr(model, "explain")
        },
    }
    Path(folder, f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    for make_model in (_classifier, _regressor, _clustering):
        make(make_model(), sys.argv[1])
