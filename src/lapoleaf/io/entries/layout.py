"""Maps of rows, and the estimator that makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._numbers import is_real
from lapoleaf.estimators import LeadingForestMap
from lapoleaf.estimators.row_places import RowPlaces
from lapoleaf.estimators.rows import Rows
from lapoleaf.io.checks import Field, array, ascending, instance, nullable, refuse, whole
from lapoleaf.io.entries.estimators import DESCRIBED, OPTIONAL, EstimatorEntry
from lapoleaf.io.entry import Entry


def _places(field: Field) -> None:
    array("f4", "rows", 2)(field)
    if not np.isfinite(field.value).all():
        field.refuse("finite")


def _exaggeration(field: Field) -> None:
    if not is_real(field.value) or not 0 < field.value < np.inf:
        field.refuse("a positive number")


@dataclass(frozen=True)
class MapEntry(EstimatorEntry):
    """Entry of a map, with a place for every row."""

    def learnt(self, model: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rows, which have places."""
        rows: Rows = parts["rows"]
        kept = rows.kept_places
        if kept is None or not np.array_equal(kept.ids, rows.ids):
            refuse(f"{self.name}.rows", "rows that all have a place")
        return {"_rows": rows}


def _rows_of_map(model: LeadingForestMap) -> Mapping[str, Any]:
    return {"rows": model._rows}


ENTRIES = (
    Entry(
        RowPlaces,
        {
            "ids": ascending("rows"),
            "places": _places,
            "exaggeration": nullable(_exaggeration),
            "n_iterations": nullable(whole(1)),
        },
    ),
    MapEntry(
        LeadingForestMap,
        {**DESCRIBED, "rows": instance(Rows)},
        read=_rows_of_map,
        optional=OPTIONAL,
        on_its_own=True,
    ),
)
