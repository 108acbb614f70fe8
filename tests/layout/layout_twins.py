"""Slow, readable twins of the kernels of the layout: sums over all pairs."""

import numpy as np


def direct_forces(places, some=slice(None)):
    """Return the push on some points, and the sum of 1 / (1 + r^2) over their pairs with others."""
    away = places[some, None].astype(float) - places[None]
    q = 1.0 / (1.0 + (away**2).sum(axis=2))
    return (q[:, :, None] ** 2 * away).sum(axis=1), q.sum() - len(q)


def near_forces(places, reach):
    """Return the near part of the push on every point, and the sum of its kernel over all pairs."""
    away = places[:, None].astype(float) - places[None]
    square = (away**2).sum(axis=2)
    s = np.maximum(reach**2 - square, 0.0) / (1.0 + reach**2)
    slope = -4.0 * s**3 / (1.0 + reach**2) / (1.0 + square) - s**4 / (1.0 + square) ** 2
    return -(slope[:, :, None] * away).sum(axis=1), (s**4 / (1.0 + square)).sum()


def linked_pairs(parents, strengths):
    """Return the normalised weight of every pair, by pair."""
    greatest = {}
    for row, values in zip(parents, strengths, strict=True):
        for i, (p, w) in enumerate(zip(row.tolist(), values.tolist(), strict=True)):
            if p >= 0:
                for pair in ((i, p), (p, i)):
                    greatest[pair] = max(greatest.get(pair, 0.0), w)
    total = np.zeros(parents.shape[1])
    for (i, _), w in greatest.items():
        total[i] += w
    return {(i, j): w * (0.5 / total[i] + 0.5 / total[j]) for (i, j), w in greatest.items()}


def steps_by_direct_sums(places, pairs, exaggerations):
    """Return where points come to: t-SNE by the book, all pairs, in float64."""
    now = places.astype(float)
    n = len(now)
    speed, gain = np.zeros_like(now), np.ones_like(now)
    for exaggeration in exaggerations:
        push, total = direct_forces(now)
        force = push * n / max(total, 1e-3 * n)
        for (i, j), w in pairs.items():
            away = now[j] - now[i]
            force[i] += exaggeration * w * away / (1.0 + away @ away)
        gain = np.maximum(np.where(force * speed > 0, gain + 0.2, gain * 0.8), 0.01)
        speed = np.clip(0.8 * speed + gain * force / max(exaggeration, 1.0), -5.0, 5.0)
        now = now + speed
    return now


def nearest_others(distances, k):
    """Return the distances of the k nearest others of every node, nearest first."""
    others = [np.delete(row, node) for node, row in enumerate(distances)]
    return np.sort(others, axis=1)[:, :k]
