"""Corrections in a row, each used as far as it would have helped recently."""

from __future__ import annotations

from collections.abc import Sequence

from lapoleaf._typing import FloatArray
from lapoleaf.streams.errors import Belief


class Shares:
    """A share from 0 to 1 for the first forecast and for each correction of those before it.

    Parameters
    ----------
    n : int
        How many; the first begins with 1, the others with 0.

    Examples
    --------
    >>> from lapoleaf.streams.shares import Shares
    >>> shares = Shares(2)
    >>> shares.learn((2.0, 1.0), 2.5, limit=10.0)
    >>> shares.values
    [1.0, 0.5]
    >>> shares.blended((4.0, 2.0))
    5.0
    """

    def __init__(self, n: int) -> None:
        self.beliefs = [Belief(1.0 if k == 0 else 0.0) for k in range(n)]

    @property
    def values(self) -> list[float]:
        """The shares."""
        return [belief.share for belief in self.beliefs]

    def blended(self, parts: Sequence[float]) -> float:
        """Return the sum of the parts, each times its share."""
        return sum(share * part for share, part in zip(self.values, parts, strict=True))

    def blended_rows(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return the same for many rows at once."""
        first, *others = (share * part for share, part in zip(self.values, parts, strict=True))
        return sum(others, start=first)

    def learn(self, parts: Sequence[float], found: float, limit: float) -> None:
        """Learn what the parts were and what came; what is left counts as ``limit`` at most."""
        rest = found
        for belief, part in zip(self.beliefs, parts, strict=True):
            used = belief.share * part
            belief.learn(part, rest, limit)
            rest -= used

    def numbers(self) -> list[float]:
        """Return all of it, two numbers a share."""
        return [part for belief in self.beliefs for part in (belief.product, belief.square)]

    def restore(self, numbers: Sequence[float]) -> None:
        """Restore the numbers."""
        for k, belief in enumerate(self.beliefs):
            belief.product, belief.square = numbers[2 * k : 2 * k + 2]
