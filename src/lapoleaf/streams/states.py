"""Validation of a stored state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf.streams.paths import STEPS

# Shapes ("w" for the columns of a row, None for any length), and whether NaN and infinity are
# allowed, for missing readings and unknown limits.
_Shape = tuple[int | str | None, ...]
_ALWAYS: dict[str, tuple[_Shape, bool]] = {
    "numbers": ((4,), True),
    "clock.numbers": ((7,), True),
    "clock.steps": ((None,), False),
    "clock.held": ((None, 3), True),
    "recent.values": ((None,), False),
    "recent.measured": ((None,), False),
    "recent.held": ((None,), True),
    "recent.numbers": ((4,), False),
    "gate.numbers": ((7,), True),
    "gate.held": ((None,), False),
    "gate.far": ((None,), False),
    "gate.changes": ((None,), False),
    "gate.jumps": ((None,), False),
    "forecasts.numbers": ((2,), False),
    "forecasts.guesses": ((None, 5), False),
    "errors.numbers": ((5,), False),
    "errors.scores": ((None,), False),
    "paths.scores": ((None, STEPS), True),
    "paths.path": ((None,), False),
    "paths.found": ((None,), True),
    "paths.scale": ((1,), False),
    "beginning.is_over": ((1,), False),
    "beginning.readings": ((None,), True),
}
_MEMORY: dict[str, tuple[_Shape, bool]] = {
    "model.memory.rows": ((None, "w"), False),
    "model.memory.targets": ((None,), False),
    "model.memory.weight": ((None,), False),
    "model.memory.numbers": ((2,), True),
}
_BLEND: dict[str, tuple[_Shape, bool]] = {
    "model.numbers": ((10,), False),
    "model.waiting_rows": ((None, "w"), False),
    "model.waiting_left": ((None,), False),
    "model.linear.weights": (("w+1",), False),
    "model.linear.inverse": (("w+1", "w+1"), False),
    "model.linear.counts": ((3,), False),
    "model.kernel.rows": ((None, "w"), False),
    "model.kernel.targets": ((None,), False),
    "model.kernel.coefficients": ((None,), False),
}
# Arrays of equal length.
_TOGETHER = (
    ("recent.values", "recent.measured", "recent.held"),
    ("model.memory.rows", "model.memory.targets", "model.memory.weight"),
    ("model.waiting_rows", "model.waiting_left"),
    ("model.kernel.rows", "model.kernel.targets", "model.kernel.coefficients"),
)


def check_state(state: Mapping[str, Any], window: int, horizon: int, is_blend: bool) -> None:
    """Raise for a state that does not fit a forecaster with these parameters.

    Parameters
    ----------
    state : mapping of str to ndarray
        The state to restore.
    window, horizon : int
        Parameters of the forecaster.
    is_blend : bool
        Whether it has a linear part.
    """
    table = dict(_ALWAYS)
    if list(np.ravel(state.get("forecasts.numbers", ()))[:1]) == [1.0]:
        table |= _MEMORY | (_BLEND if is_blend else {})
    if state.keys() != table.keys():
        odd = sorted(state.keys() ^ table.keys())[0]
        raise _refusal(f"{shown(odd)} is {'not expected' if odd in state else 'not there'}")
    for name, (shape, open_ended) in table.items():
        _check_array(name, state[name], shape, window, open_ended)
    for names in _TOGETHER:
        if len({len(state[name]) for name in names if name in state}) > 1:
            raise _refusal(f"{', '.join(names)} differ in length")
    if len(state["recent.values"]) > window + horizon or len(state["forecasts.guesses"]) > horizon:
        raise _refusal("it has more readings than a window and the horizon")
    counts = np.concatenate([state["numbers"][:3], state["clock.numbers"][2:]])
    if not (np.isfinite(counts).all() and (counts >= 0.0).all()):
        raise _refusal("its counts are not counts")


def _check_array(name: str, part: Any, shape: _Shape, window: int, open_ended: bool) -> None:
    sizes = {"w": window, "w+1": window + 1}
    wanted = tuple(sizes.get(n, n) if isinstance(n, str) else n for n in shape)
    if not isinstance(part, np.ndarray) or part.dtype != np.float64:
        raise _refusal(f"{shown(name)} is not an array of float64")
    if part.ndim != len(wanted) or any(
        n not in (None, m) for n, m in zip(wanted, part.shape, strict=True)
    ):
        raise _refusal(f"{shown(name)} has the shape {part.shape}")
    if not open_ended and not np.isfinite(part).all():
        raise _refusal(f"{shown(name)} holds NaN or infinity")


def _refusal(why: str) -> ValueError:
    return ValueError(
        f"state is not that of a SeriesForecaster with these parameters: {why}. Use what get_state "
        f"of one has returned."
    )
