"""The project file: every action is on the disk before it is confirmed."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import AnyArray
from lapoleaf.inputs.projects import (
    APPLICATION,
    VERSION,
    check_version,
    is_project,
    reading_errors,
)
from lapoleaf.inputs.row_keys import RowKey
from lapoleaf.studio.locking import ProjectLock
from lapoleaf.studio.state import CLEARED, ClassInfo
from lapoleaf.studio.stored_changes import StoredChange

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE classes (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, colour TEXT NOT NULL, key TEXT NOT NULL
);
CREATE TABLE actions (
    id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
    payload TEXT NOT NULL, undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX actions_by_state ON actions (undone, id);
CREATE TABLE labels (
    key TEXT NOT NULL, occurrence INTEGER NOT NULL, class INTEGER, time REAL NOT NULL,
    PRIMARY KEY (key, occurrence)
) WITHOUT ROWID;
CREATE TABLE digests (id INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE progress (
    revision INTEGER PRIMARY KEY, n_given INTEGER NOT NULL, share_confident REAL,
    loo_accuracy REAL, check_n INTEGER NOT NULL, check_right INTEGER NOT NULL
);
"""
# States of an action: done, undone, undone for good because something else was done since.
DONE, UNDONE, GONE = 0, 1, 2
# The labels of the input are no action of a person.
OF_INPUT = "input"


class Entry(NamedTuple):
    """An action of the log."""

    id: int
    kind: str
    text: str
    change: StoredChange


class Project:
    """A project file that this process alone writes.

    Parameters
    ----------
    path : Path
        The file; it is made if it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self._guard = threading.RLock()
        _check_file(self.path)
        self._lock = ProjectLock(self.path)
        try:
            self.is_new = _made(self.path)
            with reading_errors(self.path):
                self._connection = self._connected()
        except BaseException:
            self._lock.release()
            raise

    def _connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, timeout=10.0
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            check_version(connection, self.path)
            if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                self.is_new = True
                connection.executescript(
                    f"BEGIN; {_TABLES} PRAGMA application_id = {APPLICATION}; "
                    f"PRAGMA user_version = {VERSION}; COMMIT;"
                )
                # So that the file is recognised by its first bytes.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the file, and let others open it."""
        with self._guard:
            self._connection.close()
            self._lock.release()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Write everything or nothing; what is written is on the disk at the end."""
        with self._guard:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _rows(self, question: str, *values: Any) -> list[Any]:
        with self._guard:
            return self._connection.execute(question, values).fetchall()

    # Reading ----------------------------------------------------------------------------------

    def meta(self) -> dict[str, Any]:
        """Return the stored facts about the rows."""
        rows = self._rows("SELECT name, value FROM meta")
        return {name: json.loads(value) for name, value in rows}

    def classes(self) -> dict[int, ClassInfo]:
        """Return all classes by their ids."""
        rows = self._rows("SELECT id, name, colour, key FROM classes ORDER BY id")
        return {row[0]: ClassInfo(*row) for row in rows}

    def labels(self) -> dict[RowKey, int]:
        """Return all labels; -2 for those that were taken back."""
        rows = self._rows("SELECT key, occurrence, class FROM labels")
        return {
            RowKey(key, occurrence): CLEARED if label is None else label
            for key, occurrence, label in rows
        }

    def done(self, kind: str) -> list[StoredChange]:
        """Return the changes of one kind that were not undone."""
        rows = self._rows(
            "SELECT payload FROM actions WHERE undone = 0 AND kind = ? ORDER BY id", kind
        )
        return [StoredChange.of_text(text) for (text,) in rows]

    def progress(self) -> list[tuple[Any, ...]]:
        """Return the figures stored after every action, undone ones and undoing included."""
        return self._rows("SELECT * FROM progress ORDER BY revision")

    def digests(self) -> AnyArray | None:
        """Return what rows were recognised by when the project was open last."""
        rows = self._rows("SELECT content FROM digests")
        return np.frombuffer(rows[0][0], dtype="<u8") if rows else None

    @property
    def revision(self) -> int:
        """Number of changes of the file so far."""
        return int(self.meta().get("revision", 0))

    def to_undo(self) -> tuple[int, str] | None:
        """Return the number and the description of the action that would be undone."""
        rows = self._rows(
            "SELECT id, text FROM actions WHERE undone = 0 AND kind != ? ORDER BY id DESC LIMIT 1",
            OF_INPUT,
        )
        return rows[0] if rows else None

    def to_redo(self) -> tuple[int, str] | None:
        """Return the number and the description of the action that would be redone."""
        rows = self._rows("SELECT id, text FROM actions WHERE undone = 1 ORDER BY id LIMIT 1")
        return rows[0] if rows else None

    def entry(self, number: int) -> Entry:
        """Return an action of the log."""
        row = self._rows("SELECT id, kind, text, payload FROM actions WHERE id = ?", number)[0]
        return Entry(row[0], row[1], row[2], StoredChange.of_text(row[3]))

    # Writing ----------------------------------------------------------------------------------

    def set_meta(self, values: Mapping[str, Any]) -> None:
        """Store facts about the rows."""
        with self._transaction() as connection:
            _set_meta(connection, values)

    def commit(self, kind: str, text: str, change: StoredChange, next_id: int) -> int:
        """Write a new action, and return its number; actions that were undone are gone.

        Parameters
        ----------
        kind, text : str
            Which kind of action, and what it did in words.
        change : StoredChange
            What it changes.
        next_id : int
            Number of the next class.
        """
        with self._transaction() as connection:
            connection.execute("UPDATE actions SET undone = ? WHERE undone = ?", (GONE, UNDONE))
            cursor = connection.execute(
                "INSERT INTO actions (time, kind, text, payload) VALUES (?, ?, ?, ?)",
                (time.time(), kind, text, change.to_text()),
            )
            self._apply(connection, change)
            _set_meta(connection, {"next_id": next_id})
        return int(cursor.lastrowid or 0)

    def mark(self, number: int, state: int, change: StoredChange) -> None:
        """Mark an action as undone or redone.

        Parameters
        ----------
        number : int
            The action.
        state : int
            What becomes of it: done or undone.
        change : StoredChange
            What that changes.
        """
        with self._transaction() as connection:
            connection.execute("UPDATE actions SET undone = ? WHERE id = ?", (state, number))
            self._apply(connection, change)

    def _apply(self, connection: sqlite3.Connection, change: StoredChange) -> None:
        now = time.time()
        connection.executemany(
            "DELETE FROM labels WHERE key = ? AND occurrence = ?",
            (key for key, _, after in change.labels if after == -1),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?)",
            _label_rows(change.labels, now),
        )
        for number, _, info in change.classes:
            if info is None:
                connection.execute("DELETE FROM classes WHERE id = ?", (number,))
            else:
                connection.execute(
                    "INSERT OR REPLACE INTO classes VALUES (?, ?, ?, ?)",
                    (info.id, info.name, info.colour, info.key),
                )
        values: dict[str, Any] = {"revision": self.revision + 1}
        if change.confidence is not None:
            values["confidence"] = change.confidence[1]
        _set_meta(connection, values)

    def keep_digests(self, digests: AnyArray) -> None:
        """Keep what rows are recognised by, if that has changed."""
        known = self.digests()
        if known is not None and np.array_equal(known, digests):
            return
        with self._transaction() as connection:
            content = digests.astype("<u8").tobytes()
            connection.execute("INSERT OR REPLACE INTO digests VALUES (0, ?)", (content,))

    def rename_keys(self, pairs: Sequence[tuple[RowKey, RowKey]]) -> None:
        """Let labels and actions of rows follow them to new keys; no other row may have these."""
        rows = self._rows("SELECT payload FROM actions")
        named = {
            key for (text,) in rows for key, _, _ in StoredChange.of_text(text).labels
        }  # also those of actions that were undone
        with self._transaction() as connection:
            for old, new in pairs:
                if old not in named:
                    continue
                connection.execute(
                    "UPDATE OR REPLACE labels SET key = ?, occurrence = ? "
                    "WHERE key = ? AND occurrence = ?",
                    (*new, *old),
                )
                texts = [json.dumps([*key], separators=(",", ":"))[:-1] + "," for key in (old, new)]
                connection.execute("UPDATE actions SET payload = replace(payload, ?, ?)", texts)

    def settle(self) -> None:
        """Write the log beside the file into the file, so that a copy of it is complete."""
        with self._guard:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def add_progress(self, values: tuple[Any, ...]) -> None:
        """Store the figures after an action."""
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?, ?, ?)", values)


def _label_rows(
    labels: Iterable[tuple[RowKey, int, int]], now: float
) -> Iterator[tuple[str, int, int | None, float]]:
    for key, _, after in labels:
        if after != -1:
            yield (*key, None if after == CLEARED else after, now)


def _set_meta(connection: sqlite3.Connection, values: Mapping[str, Any]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        [(name, json.dumps(value, default=_plain)) for name, value in values.items()],
    )


def _plain(value: Any) -> Any:
    """Return what JSON has no name for, such as sets of columns, as what it has."""
    return value.item() if isinstance(value, np.generic) else list(value)


def _check_file(path: Path) -> None:
    """Raise unless a file is a project, empty, or not there yet."""
    if path.is_dir():
        raise IsADirectoryError(f"{shown(path)} is a folder: name a file for the project.")
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"{shown(path)} cannot be written: there is no folder {shown(path.parent)}."
        )
    if path.exists() and path.stat().st_size and not is_project(path):
        raise ValueError(
            f"{shown(path)} exists already and is not a project of the studio: name another file "
            f"with --project."
        )


def _made(path: Path) -> bool:
    """Create an empty file that only its owner can read, and return whether it was missing."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        os.chmod(path, 0o600)
        return False
    return True
