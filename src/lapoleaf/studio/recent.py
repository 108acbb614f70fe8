"""Projects that were open before, for the start page."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from pathlib import Path
from typing import Any

from lapoleaf._writing import write_whole
from lapoleaf.inputs.projects import is_project, read_project

_MOST = 20


def _list() -> Path:
    """Return the file with the list, in the folder for the state of programs."""
    usual = Path.home() / (".local/state" if os.name != "nt" else "AppData/Local")
    return Path(os.environ.get("XDG_STATE_HOME") or usual, "lapoleaf", "recent.json")


def _entries() -> list[dict[str, Any]]:
    try:
        found = json.loads(_list().read_text("utf-8"))
    except (OSError, ValueError):
        return []
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, dict) and "path" in entry]


def remember(project: Path) -> None:
    """Put a project on top of the list; without a place for the list nothing happens."""
    entries = [entry for entry in _entries() if entry["path"] != str(project)]
    entries = [{"path": str(project), "time": time.time()}, *entries][:_MOST]
    with contextlib.suppress(OSError):
        _list().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(_list(), [json.dumps(entries, indent=1).encode()])


def recent() -> dict[str, Any]:
    """Return the projects that were open last and are there still."""
    found = []
    for entry in _entries():
        path = Path(str(entry["path"]))
        if not is_project(path):
            continue
        with contextlib.suppress(ValueError, OSError, sqlite3.Error):
            labels = read_project(path).labels.values()
            found.append(
                {
                    "path": str(path),
                    "name": path.name.removesuffix(".lapoleaf"),
                    "time": entry.get("time"),
                    "n_given": sum(label is not None for label in labels),
                }
            )
    return {"projects": found}
