"""Shares of successive corrections, from their recent success."""

from __future__ import annotations

from collections.abc import Sequence

from lapoleaf._typing import FloatArray
from lapoleaf.streams.errors import Share


class Shares:
    """Shares, from 0 to 1, of the first forecast and of each successive correction.

    Parameters
    ----------
    n : int
        Number of shares; the first is initially 1, the others 0.

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
        self._shares = [Share(1.0 if k == 0 else 0.0) for k in range(n)]

    @property
    def values(self) -> list[float]:
        """The shares."""
        return [share.value for share in self._shares]

    def blended(self, parts: Sequence[float]) -> float:
        """Return the sum of the parts weighted by their shares."""
        return sum(share * part for share, part in zip(self.values, parts, strict=True))

    def blended_rows(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return the same for many rows at once."""
        first, *others = (share * part for share, part in zip(self.values, parts, strict=True))
        return sum(others, start=first)

    def learn(self, parts: Sequence[float], found: float, limit: float) -> None:
        """Update from the parts and the target; residuals are clipped at ``limit``."""
        rest = found
        for share, part in zip(self._shares, parts, strict=True):
            used = share.value * part
            share.learn(part, rest, limit)
            rest -= used

    def numbers(self) -> list[float]:
        """Return the state, two numbers per share."""
        return [part for share in self._shares for part in (share.product, share.square)]

    def restore(self, numbers: Sequence[float]) -> None:
        """Restore the numbers."""
        for k, share in enumerate(self._shares):
            share.product, share.square = numbers[2 * k : 2 * k + 2]
