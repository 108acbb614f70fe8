"""Groups of files through the network, on several threads, and into a journal.

Groups are cut from the whole list of files, the same ones in every run: a run that goes on gives
the network the very batches that an uninterrupted one would, so that not even the last bits of the
features differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lapoleaf._progress import Progress, tell
from lapoleaf._typing import FloatArray
from lapoleaf.images.boxes import UnreadableBoxes
from lapoleaf.images.journal import Group, Journal
from lapoleaf.images.network import Network
from lapoleaf.images.reading import Complaint, Reader, View

_WHOLE = (0, 0, 0, 0)


@dataclass(frozen=True)
class Work:
    """Files to be read, and the network that they are shown to."""

    reader: Reader
    network: Network
    files: Sequence[str]
    batch_size: int

    def done(self, journal: Journal | None, threads: int, verbose: int) -> list[Group]:
        """Return the results of all files, in their order; those in the journal are taken over."""
        starts = range(0, len(self.files), self.batch_size)
        parts = [self.files[start : start + self.batch_size] for start in starts]
        known = {} if journal is None else journal.groups
        keys = [self._key(part) if journal is not None else b"" for part in parts]
        missing = [place for place, key in enumerate(keys) if key not in known]
        results = {place: known[key] for place, key in enumerate(keys) if key in known}
        if verbose and results:
            there = sum(len(parts[place]) for place in results)
            tell(f"Going on: {there} of {len(self.files)} files were done before.")
        progress = Progress("Pictures", sum(len(parts[place]) for place in missing), verbose)
        waiting: deque[tuple[int, Future[Group]]] = deque()

        def take_first() -> None:
            place, future = waiting.popleft()
            results[place] = future.result()
            if journal is not None:
                journal.add(keys[place], results[place])
            progress.advance(len(parts[place]))

        # Pillow warns of odd files, and some thread would say so on the screen.
        with warnings.catch_warnings(), ThreadPoolExecutor(threads) as pool:
            warnings.simplefilter("ignore")
            try:
                for place in missing:
                    waiting.append((place, pool.submit(self._group, parts[place])))
                    if len(waiting) > 2 * threads:
                        take_first()
                while waiting:
                    take_first()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return [results[place] for place in range(len(parts))]

    def _key(self, part: Sequence[str]) -> bytes:
        """Return a checksum of the files of a group and of their boxes: names, sizes, times."""
        stamps = []
        for file in part:
            stamps.append([file, *_stamp(self.reader.folder / file)])
            if self.reader.boxes is not None:
                try:
                    xml = self.reader.boxes.of(file)
                    stamps.append([] if xml is None else [os.fspath(xml), *_stamp(xml)])
                except UnreadableBoxes as error:
                    stamps.append([str(error)])
        return hashlib.sha256(json.dumps(stamps).encode()).digest()

    def _group(self, part: Sequence[str]) -> Group:
        """Read the files of a group and give what the network says of them."""
        rows, complaints, features, thumbnails = [], [], [], []
        views: list[View] = []
        for file in part:
            for found in self.reader.read(file):
                if isinstance(found, Complaint):
                    complaints.append((found.file, found.reason))
                    continue
                views.append(found)
                thumbnails.append(found.thumbnail)
                box = found.box
                if box is None:
                    rows.append((file, 0, _WHOLE, ""))
                else:
                    corners = (int(box.left), int(box.top), int(box.right), int(box.bottom))
                    rows.append((file, box.number, corners, box.name))
                if len(views) == self.batch_size:
                    features.append(self._features(views))
                    views = []
        if views:
            features.append(self._features(views))
        if not rows:
            empty = np.zeros((0, 0), np.float32)
            return Group([], complaints, empty, np.zeros((0, 0, 0, 3), np.uint8))
        return Group(rows, complaints, np.concatenate(features), np.stack(thumbnails))

    def _features(self, views: list[View]) -> FloatArray:
        features = self.network.features([view.numbers for view in views])
        if not np.isfinite(features).all():
            bad = int(np.flatnonzero(~np.isfinite(features).all(axis=1))[0])
            raise ValueError(
                f"model {self.network.name!r} gives numbers that are not finite for "
                f"{views[bad].file!r}: look at preset, mean and scale."
            )
        return features


def _stamp(path: Path) -> tuple[int, ...]:
    """Return what changes with a file, or with the permission to read it."""
    try:
        facts = path.stat()
    except OSError:
        return ()
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
