"""The card of a row: its cells, label, reasons and neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._tree.new_rows import nearest_nodes
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.studio.session import Session, View
from lapoleaf.studio.showing import name_of_row, shown_row

_MOST_DECIDERS = 6
# Shares below this would be shown as 0 %.
_MIN_SHARE = 0.005
_MOST_NEIGHBOURS = 6
MOST_SHOWN = 100


def card(session: Session, row: int) -> dict[str, Any]:
    """Return the card of a row; without reasons that take long, and then ``waiting`` is true.

    Parameters
    ----------
    session : Session
        The open project.
    row : int
        Number of the row.
    """
    view = session.view()
    given = int(view.state.given[row])
    found: dict[str, Any] = {
        **_short(session, view, row),
        "given": given if given >= 0 else None,
        "label": _label(view, row),
        "others": None,
        "decided_by": [],
        "path": [],
        "leader": None,
        "neighbours": [],
        "waiting": False,
    }
    result, model = session.result, session.rows_model
    place = session.model_rows.place_of(row)
    if model is None or place is None:
        return found
    if result is not None:
        found |= _reasons(session, view, result.model, place)
    found["leader"] = _leader(session, model, place)
    found["neighbours"] = [
        {**_short(session, view, other), "distance": distance}
        for other, distance in _neighbours(session, model, place)
    ]
    return found


def shown_rows(session: Session, rows: list[int]) -> dict[str, Any]:
    """Return what to show of some rows, without reasons."""
    view = session.view()
    return {"rows": [_short(session, view, row) for row in rows]}


def _short(session: Session, view: View, row: int) -> dict[str, Any]:
    number = int(view.classes[row])
    return {
        "row": row,
        "name": name_of_row(session.data, row),
        "show": shown_row(session.data, row),
        "class": number if number >= 0 else None,
        "confidence": float(view.confidence[row]),
        "given": bool(view.state.given[row] >= 0),
    }


def _label(view: View, row: int) -> dict[str, Any] | None:
    number, confidence = int(view.classes[row]), float(view.confidence[row])
    if number < 0:
        return None
    words = "given by you" if view.state.given[row] >= 0 else how_sure(confidence)
    return {"id": number, "confidence": confidence, "words": words}


def how_sure(confidence: float) -> str:
    """Return a confidence in words.

    Examples
    --------
    >>> from lapoleaf.studio.cards import how_sure
    >>> how_sure(0.97), how_sure(0.4)
    ('very sure', 'hardly more than a guess')
    """
    for least, words in ((0.95, "very sure"), (0.8, "sure"), (0.6, "rather sure")):
        if confidence >= least:
            return words
    return "not sure" if confidence >= 0.45 else "hardly more than a guess"


def _reasons(session: Session, view: View, model: Any, place: int) -> dict[str, Any]:
    """Return the given rows that decided a label, and the path to the most important one.

    Of a given label these are the rows that decide without it, and ``others`` is what they predict.
    """
    found = session.explainer.why(model, place)
    if found is None:
        return {"waiting": True}
    why = found.others if found.given else found
    if why is None:
        return {}
    paths = {reason.row: reason.path for reason in why.reasons}
    shares = dict(zip(why.deciders.tolist(), why.shares.tolist(), strict=True))
    main = [row for row in paths if row in shares]
    others = [row for row in why.deciders.tolist() if row not in paths]
    chosen = sorted([*main, *others][:_MOST_DECIDERS], key=lambda row: -shares[row])
    chosen = [row for row in chosen if shares[row] >= _MIN_SHARE] or chosen[:1]
    rows = session.model_rows.at
    deciders = [
        {
            **_short(session, view, int(rows([number])[0])),
            "contribution": float(shares[number]),
            "path": rows(list(paths.get(number, ()))).tolist(),
        }
        for number in chosen
    ]
    path: list[int] = next((decider["path"] for decider in deciders if decider["path"]), [])
    predicted = {"id": int(why.best), "confidence": float(why.confidence)} if found.given else None
    return {"decided_by": deciders, "path": path, "others": predicted}


def _leader(session: Session, model: Any, place: int) -> int | None:
    tree = model.tree_
    leader = int(tree.parent[tree.node_of[place]])
    if leader < 0:
        return None
    return int(session.model_rows.at([int(tree.first_rows[leader])])[0])


def _neighbours(session: Session, model: Any, place: int) -> list[tuple[int, float]]:
    """Return the nearest rows with their distances; equal rows are at 0."""
    tree = model.tree_
    node = int(tree.node_of[place])
    if tree.points is None or node < 0:
        return []
    equal = np.flatnonzero(tree.node_of == node)
    nodes, distances = _nearest(tree, node)
    places: IntArray = np.concatenate([equal[equal != place], tree.first_rows[nodes]])
    lengths: FloatArray = np.concatenate([np.zeros(len(places) - len(nodes)), distances])
    rows = session.model_rows.at(places.tolist()).tolist()
    return list(zip(rows, lengths.tolist(), strict=True))[:_MOST_NEIGHBOURS]


def _nearest(tree: Any, node: int) -> tuple[IntArray, FloatArray]:
    nodes, distances = nearest_nodes(tree, tree.points.at(np.array([node])), _MOST_NEIGHBOURS + 1)
    others = nodes[0] != node
    return nodes[0][others], distances[0][others]
