"""Twenty labels on digits by keyboard alone, beside random order."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.runner.tables import Table
from benchmarks.studio.desk import opened
from lapoleaf import LaPOLeaFClassifier
from lapoleaf._typing import AnyArray

# Forty actions a minute.
_PAUSE = 1500.0
_N_DRAWS = 10
_N_CLASSES = 10


def digits_table(chromium: Path, n_labels: int) -> Table:
    """Return the accuracy after every label, and the waiting times.

    Parameters
    ----------
    chromium : Path
        The browser.
    n_labels : int
        Number of labels.
    """
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "digits.npz")
        np.savez(path, X=X)
        with opened(path, chromium) as desk:
            desk.wait_for_map()
            keys = desk.add_classes([f"digit {digit}" for digit in range(_N_CLASSES)])
            lines = []
            for _ in range(n_labels):
                digit = int(y[desk.row()])
                waited = desk.press_and_watch(keys[f"digit {digit}"])
                classes, given = desk.labels()
                right = float(np.mean(classes[~given] == y[~given]))
                lines.append((right, round(waited["next"]), round(waited["settled"])))
                desk.page.wait_for_timeout(max(0.0, _PAUSE - waited["settled"]))
    random = _in_random_order(X, y, n_labels)
    rows = [
        (number, right, other, following, settled)
        for number, ((right, following, settled), other) in enumerate(
            zip(lines, random, strict=True), start=1
        )
    ]
    return Table(
        name="studio-digits",
        title=f"{n_labels} labels on {len(y):,} digits by keyboard",
        columns=("labels", "label next", "random order", "ms to next row", "ms to new colours"),
        rows=rows,
        note="Accuracy on the rows without a given label; nothing is propagated before there are "
        f"two classes. Random order: mean of {_N_DRAWS} draws. 40 actions a minute; times from "
        "the key press, in the browser.",
    )


def _in_random_order(X: AnyArray, y: AnyArray, n_labels: int) -> list[float]:
    """Return the mean accuracy after every label, where rows are drawn at random."""
    found = np.zeros((_N_DRAWS, n_labels))
    for draw in range(_N_DRAWS):
        order = np.random.default_rng(draw).permutation(len(y))
        given = np.full(len(y), -1)
        model = None
        for number in range(n_labels):
            given[order[number]] = y[order[number]]
            if len(np.unique(given)) < 3:
                continue
            if model is None:
                model = LaPOLeaFClassifier().fit(X, given)
            else:
                model.update_labels(model.ids_[order[[number]]], y[order[[number]]])
            others = given < 0
            found[draw, number] = np.mean(model.transduction_[others] == y[others])
    means: list[float] = found.mean(axis=0).tolist()
    return means
