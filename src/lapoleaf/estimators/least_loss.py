"""Weights of parts and constants of classes that minimise the log-loss, a convex problem."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from lapoleaf._typing import FloatArray

# Prior standard deviation of the weights, relative to their start; the first weight stays above
# this share of its start.
_SPREAD, _MIN_FIRST_WEIGHT = 0.5, 0.05
# Prior precision of the constants of classes with many labels, and the number of labels per class
# below which it is much larger, since a constant fitted to a few labels, some of them wrong, shifts
# the predictions of all rows.
_CONSTANT_PRECISION, _FEW_LABELS = 8.0, 10.0
# Newton's method converges quadratically: after a small step only rounding errors are left.
_N_NEWTON_STEPS, _SMALL_STEP = 3, 1e-6


def least_loss(
    parts: FloatArray,
    labels: FloatArray,
    count: FloatArray,
    start: FloatArray,
    with_constants: bool,
) -> tuple[FloatArray, FloatArray, float]:
    """Return the weights, the constants, and their penalised log-loss.

    The class probabilities are the softmax of the weighted sum of the scores and the constants.
    Departures from the initial weights, and constants, are penalised in units of log-loss.

    Parameters
    ----------
    parts : ndarray of shape (n_parts, n_given, K)
        Scores of the classes by every part.
    labels, count : ndarray of shape (n_given, K), (n_given,)
        The given labels and their weights.
    start : ndarray of shape (n_parts,)
        Initial weights, which are best on average.
    with_constants : bool
        Whether classes have constants.
    """
    n_parts, n_classes = len(parts), labels.shape[1]
    flat = (parts * start[:, None, None]).reshape(n_parts, -1)
    n_constants = n_classes if with_constants else 0
    few = (_FEW_LABELS * n_classes / len(labels)) ** 2
    precision = np.full(n_parts + n_constants, _CONSTANT_PRECISION * (1.0 + few))
    precision[:n_parts] = _SPREAD**-2
    usual = np.zeros(n_parts + n_constants)
    usual[:n_parts] = 1.0
    # Normalised so that the loss is about 1 for label weights of any scale.
    unit = max(1.0, float(count.sum()))

    def logarithms_at(at: FloatArray) -> FloatArray:
        scores = (at[:n_parts] @ flat).reshape(labels.shape)
        if with_constants:
            scores = scores + at[n_parts:]
        logarithms: FloatArray = log_softmax(scores, axis=1)
        return logarithms

    def penalised(at: FloatArray) -> tuple[float, FloatArray]:
        logarithms = logarithms_at(at)
        away = at - usual
        loss = 0.5 * float(precision @ away**2) - float(count @ (labels * logarithms).sum(axis=1))
        expected = np.exp(logarithms) * labels.sum(axis=1, keepdims=True)
        errors = count[:, None] * (expected - labels)
        slope = np.append(flat @ errors.ravel(), errors.sum(axis=0)[:n_constants])
        return loss / unit, (slope + precision * away) / unit

    bounds: list[tuple[float | None, None]] = [(0.0, None)] * n_parts
    bounds += [(None, None)] * n_constants
    bounds[0] = (_MIN_FIRST_WEIGHT, None)
    found = minimize(
        penalised,
        usual,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-13, "gtol": 1e-9, "maxiter": 1000},
    )
    # The end of the search near the flat minimum depends on rounding; Newton's steps converge to
    # the same point for repeated rows and for weighted rows.
    least = found.x
    lowest = np.array([-np.inf if low is None else low for low, _ in bounds])
    weight = count * labels.sum(axis=1)
    for _ in range(_N_NEWTON_STEPS):
        slope = unit * penalised(least)[1]
        free = (least > lowest) | (slope < 0.0)
        if not free.any():
            break
        curvature = _curvature(flat, np.exp(logarithms_at(least)), weight, with_constants)
        curvature += np.diag(precision)
        step = np.zeros_like(least)
        step[free] = np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
        stepped = np.maximum(least - step, lowest)
        if np.abs(penalised(stepped)[1][free]).max() * unit > np.abs(slope[free]).max():
            break
        least = stepped
        if np.abs(step).max() < _SMALL_STEP:
            break
    constants = least[n_parts:] if with_constants else np.zeros(n_classes)
    return start * least[:n_parts], constants, unit * penalised(least)[0]


def _curvature(
    flat: FloatArray, probabilities: FloatArray, weight: FloatArray, with_constants: bool
) -> FloatArray:
    """Return the second derivatives of the log-loss by the weights and the constants."""
    parts = flat.reshape(-1, *probabilities.shape)
    weighted = weight[:, None] * probabilities
    centred = parts - (parts * probabilities).sum(axis=2, keepdims=True)
    pulled = centred * weighted
    of_parts: FloatArray = pulled.reshape(len(parts), -1) @ centred.reshape(len(parts), -1).T
    if not with_constants:
        return of_parts
    of_both = pulled.sum(axis=1)
    of_constants = np.diag(weighted.sum(axis=0)) - weighted.T @ probabilities
    return np.block([[of_parts, of_both], [of_both.T, of_constants]])
