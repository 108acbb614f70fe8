"""Titles of the parts of the accuracy benchmark, and how each was measured."""

from __future__ import annotations

TITLES = {
    "clean": "Accuracy",
    "tables": "Accuracy on tables",
    "noise": "Accuracy where one given label in five is wrong",
    "shares": "Accuracy on equal and unequal classes",
    "tables-shares": "Accuracy on tables with equal and unequal classes",
    "unbalanced": "Balanced accuracy on unbalanced classes",
    "images": "Accuracy on features of images",
    "texts": "Balanced accuracy on texts",
    "regression": "R² of hidden targets",
    "tables-regression": "R² of hidden targets on tables",
    "parts": "Accuracy with a part of the default left out",
    "calibration": "Calibration error",
    "tables-calibration": "Calibration error on tables",
}
_RIGHT = "Accuracy on the unlabelled rows."
_LABELS = (
    "Columns: 2, 5 or 20 labels of every class (at most half of a class), and as many at random."
)
_ENCODED = (
    "Rows are encoded by TableEncoder; baselines get its columns standardised, lapoleaf unscaled."
)
_SIZES = (
    "Classes are cut to the size of the smallest (20 rows at least), or thinned step by step, the "
    "last one to a tenth."
)
_CALIBRATION = (
    "Difference between the probability of the predicted class and the accuracy, mean over ten "
    f"bins of the probability (0 is perfect). {_LABELS}"
)
_TARGETS = "R² on the targets that are not given, for shares given at random."
NOTES = {
    "clean": f"{_RIGHT} {_LABELS}",
    "tables": f"{_RIGHT} {_LABELS} {_ENCODED}",
    "noise": f"{_RIGHT} {_LABELS}",
    "shares": f"{_RIGHT} {_SIZES} {_LABELS}",
    "tables-shares": f"{_RIGHT} {_SIZES} {_LABELS} {_ENCODED}",
    "unbalanced": (
        "Classes are thinned step by step, the last one to a tenth; 2, 5 or 20 labels for every "
        "class are given at random, at least one of each, at most half of the rows. Mean over the "
        "classes of the accuracy on their unlabelled rows."
    ),
    "images": "Accuracy on the unlabelled rows, for shares given at random.",
    "texts": (
        "All methods get the same vectors of TableEncoder. Mean over the classes of the accuracy "
        "on their unlabelled rows."
    ),
    "regression": _TARGETS,
    "tables-regression": (
        f"{_TARGETS} The target is the column with the most different numbers, the class is among "
        f"the other columns. {_ENCODED}"
    ),
    "parts": f"{_RIGHT} {_LABELS}",
    "calibration": _CALIBRATION,
    "tables-calibration": f"{_CALIBRATION} {_ENCODED}",
}
