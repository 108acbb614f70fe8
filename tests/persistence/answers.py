"""All that a model answers, to be compared with what another model answers, bit for bit.

Run as a script, it loads the models of a folder and writes down their answers.
"""

import copy
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np

from lapoleaf import TableEncoder, load

# Attributes that a user reads, where a model has them.
PUBLIC = [
    "transduction_", "transduction_std_", "label_distributions_", "confidence_", "classes_",
    "given_", "labels_", "n_clusters_", "cluster_centers_indices_", "ids_", "bandwidth_", "chosen_",
    "n_features_in_", "feature_names_in_", "changed_", "embedding_", "trustworthiness_",
]  # fmt: skip


def answers(model, new):
    """Return all answers of a fitted model."""
    if isinstance(model, TableEncoder):
        return _encoded(model, new)
    found = {name: getattr(model, name) for name in PUBLIC if hasattr(model, name)}
    found["parameters"] = {
        name: repr(value) if isinstance(value, TableEncoder) else value
        for name, value in model.get_params().items()
    }
    for name in ("density", "delta", "parent", "population", "node_of", "scale", "report"):
        found[name] = getattr(model.tree_, name)
    found["roots"], found["layer"] = model.forest_.roots, model.forest_.layer
    found["objective"] = model.forest_.objective
    for forest in getattr(model, "forests_", [])[1:]:
        found.setdefault("other parents", []).append(forest.tree.parent)
        found.setdefault("other deltas", []).append(forest.tree.delta)
    if hasattr(model, "suggest"):
        found["suggested"] = model.suggest(4)
        found["updated"] = _after_update(copy.deepcopy(model), new)
    if hasattr(model, "suggest") and not hasattr(model, "transduction_"):
        # A model without labels answers nothing else.
        return found
    if hasattr(model, "labels_frame"):
        found.update(_frame(model))
    if hasattr(model, "transform"):
        # A map.
        return {**found, "transform": model.transform(new)}
    found["predict"] = model.predict(new)
    if hasattr(model, "predict_proba"):
        found["predict_proba"] = model.predict_proba(new)
    if hasattr(model, "transduction_std_"):
        found["predict_std"] = model.predict(new, return_std=True)
        found["interval"] = model.predict_interval(new, coverage=0.8)
    if hasattr(model, "explain"):
        found["explain"] = [_without_cells(model.explain(row)) for row in (0, 1, 3, 7)]
        one = new[:1] if hasattr(new, "iloc") or not isinstance(new, np.ndarray) else new[0]
        found["explain new"] = _without_cells(model.explain(one))
        if getattr(model, "solver", "exact") == "exact":
            doubts = model.suspicious_labels(all=True)
            found["suspicious"] = [doubts.ids, doubts.given, doubts.instead, doubts.doubt]
        found["grown"] = _after_growth(copy.deepcopy(model), new)
    return found


def _without_cells(explanation):
    """Return an explanation in words; cells are stored only if that is asked for."""
    return str(explanation.with_rows(name_of=lambda row: None, cells_of=lambda row: {}))


def _encoded(encoder, new):
    """Return all that an encoder of tables answers, with the numbers of single rows."""
    return {
        "parameters": encoder.get_params(),
        "summary": encoder.summary(),
        "names": encoder.get_feature_names_out(),
        "columns": [encoder.n_features_in_, getattr(encoder, "feature_names_in_", None)],
        "rows": np.asarray(encoder.transform(new)),
        "row": np.asarray(encoder.transform(new[:1])),
    }


def _frame(model):
    """Return the columns of the frame of labels, and its index as it is stored."""
    frame, index = model.labels_frame(), model._state.now.rows.frame_index
    columns = {f"frame, {name}": np.asarray(frame[name]) for name in frame.columns}
    parts = () if index is None else index.parts
    stored = [(column.dtype, column.values) for part in parts for column in part.columns]
    names = list(frame.index.names) if hasattr(frame, "index") else None
    return {**columns, "index": stored, "names": names}


def _after_update(model, new):
    """Remove some labels, add one to another row, and collect answers again."""
    ids = model.ids_[[0, 1, 12]]
    if hasattr(model, "classes_"):
        missing = model._state.now.given.missing
        last = model.classes_[-1] if len(model.classes_) else 1
        kind = None if model.classes_.dtype.kind == "S" else object
        model.update_labels(ids, np.array([missing, last, last], dtype=kind))
    else:
        shape = (3, *model.given_.shape[1:])
        model.update_labels(ids, np.arange(np.prod(shape)).reshape(shape) + 0.5)
    return {"transduction": model.transduction_, "predict": model.predict(new)}


def _after_growth(model, new):
    """Add and remove rows, and collect answers; with its bandwidth set, a model is not rebuilt."""
    if model.metric == "precomputed" or model.tree_.n_nodes < 2:
        return None
    model.bandwidth = model.bandwidth_
    if hasattr(model, "n_trees"):
        model.n_trees = None
    model.partial_fit(new[:2]).forget(model.ids_[[0, 3]])
    changed, now = model.changed_, model.transduction_
    return {"ids": model.ids_, "changed": changed, "now": now, "predict": model.predict(new)}


def same(first, second):
    """Whether two answers are the same to the last bit, types and all.

    An array may lie in memory or in a mapped file.
    """
    first, second = (np.asarray(a) if isinstance(a, np.memmap) else a for a in (first, second))
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[k], second[k]) for k in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, np.ndarray):
        if first.dtype != second.dtype or first.shape != second.shape:
            return False
        if first.dtype.kind == "O":
            return all(map(same, first.tolist(), second.tolist()))
        return first.tobytes() == second.tobytes()
    if isinstance(first, np.random.RandomState):
        return same(first.get_state(legacy=False), second.get_state(legacy=False))
    if isinstance(first, float):
        return np.float64(first).tobytes() == np.float64(second).tobytes()
    if type(first).__name__ == "NAType":
        return first is second
    return bool(first == second)


def differences(first, second):
    """Return the names of the answers that differ."""
    return [k for k in sorted({*first, *second}) if not same(first.get(k, 0), second.get(k, 0))]


def main(folder, mmap):
    """Answer for every model in a folder, with the new rows that lie beside it."""
    found = {}
    for path in sorted(Path(folder).glob("*.lapoleaf")):
        new = pickle.loads(path.with_suffix(".rows").read_bytes())
        found[path.stem] = answers(load(path, mmap=mmap), new)
    Path(folder, "answers.pickle").write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1], mmap=sys.argv[2] == "mmap")
