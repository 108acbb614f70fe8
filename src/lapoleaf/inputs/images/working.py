"""Features of files computed on several threads, with a journal.

Results are found by the checksum of the content of a file and of the file with its boxes: a picture
that was moved or renamed is not computed again. The network processes one picture at a time, so
that the features of a picture do not depend on the others.
"""

from __future__ import annotations

import hashlib
import warnings
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lapoleaf._encoding.images.network import Network
from lapoleaf._messages import shown
from lapoleaf._progress import Progress, tell
from lapoleaf._typing import FloatArray
from lapoleaf.inputs.images.boxes import UnreadableBoxes
from lapoleaf.inputs.images.journal import FileResult
from lapoleaf.inputs.images.reading import Complaint, Reader, View

_WHOLE = (0, 0, 0, 0)


@dataclass(frozen=True)
class Done:
    """Results of the files of a run, in order, and the checksums of their contents.

    The checksum of a file that cannot be read is empty. ``n_computed`` is the number of files
    without an earlier result.
    """

    results: list[FileResult]
    keys: list[bytes]
    n_computed: int


@dataclass(frozen=True)
class Work:
    """The files to process, and the network."""

    reader: Reader
    network: Network
    files: Sequence[str]

    def done(
        self,
        known: Mapping[bytes, FileResult],
        keep: Callable[[bytes, FileResult], None],
        threads: int,
        verbose: int,
    ) -> Done:
        """Return the results of all files, known ones reused.

        Parameters
        ----------
        known : mapping
            Results by checksums of contents.
        keep : callable
            Called with the checksum and the result of every file that is computed, in order.
        threads : int
            Number of files read at once.
        verbose : int
            Report progress if 1 or more.
        """
        # Pillow's warnings about malformed files would be printed by some thread.
        with warnings.catch_warnings(), ThreadPoolExecutor(threads) as pool:
            warnings.simplefilter("ignore")
            try:
                keys = list(pool.map(self._key, self.files)) if known else [b""] * len(self.files)
                missing = [place for place, key in enumerate(keys) if key not in known]
                results = {place: known[key] for place, key in enumerate(keys) if key in known}
                if verbose and results:
                    tell(f"Continuing: {len(results)} of {len(self.files)} files are done already.")
                progress = Progress("Pictures", len(missing), verbose)
                waiting: deque[tuple[int, Future[tuple[bytes, FileResult]]]] = deque()

                def take_first() -> None:
                    place, future = waiting.popleft()
                    keys[place], results[place] = future.result()
                    if keys[place]:
                        keep(keys[place], results[place])
                    progress.advance()

                for place in missing:
                    waiting.append((place, pool.submit(self._result, self.files[place])))
                    if len(waiting) > 2 * threads:
                        take_first()
                while waiting:
                    take_first()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return Done([results[place] for place in range(len(keys))], keys, len(missing))

    def _key(self, file: str) -> bytes:
        """Return a checksum of the content of a file and its boxes; empty if it is not readable.

        Empty files and files without boxes have checksums, too.
        """
        try:
            parts = [_check_sum(self.reader.folder / file)]
            if self.reader.boxes is not None:
                xml = self.reader.boxes.of(file)
                parts.append(b"" if xml is None else _check_sum(xml))
        except UnreadableBoxes as error:
            parts = [str(error).encode("utf-8", "surrogateescape")]
        except OSError:
            return b""
        return hashlib.sha256(b"".join(parts)).digest()

    def _result(self, file: str) -> tuple[bytes, FileResult]:
        """Read a file and return its check sum, and its features by the network."""
        key = self._key(file)
        found, complaints, features, thumbnails = [], [], [], []
        with closing(self._read(file)) as views:
            for view in views:
                if isinstance(view, Complaint):
                    complaints.append(view.reason)
                    continue
                features.append(self._features(view))
                thumbnails.append(view.thumbnail)
                box = view.box
                if box is None:
                    found.append((0, _WHOLE, ""))
                else:
                    corners = (int(box.left), int(box.top), int(box.right), int(box.bottom))
                    found.append((box.number, corners, box.name))
        if not found:
            nothing = np.zeros((0, 0), np.float32), np.zeros((0, 0, 0, 3), np.uint8)
            return key, FileResult([], complaints, *nothing)
        return key, FileResult(found, complaints, np.concatenate(features), np.stack(thumbnails))

    def _read(self, file: str) -> Generator[View | Complaint, None, None]:
        """Return the result of a file; returns pixels to the budget even if closed early."""
        with closing(self.reader.read(file)) as views:
            yield from views

    def _features(self, view: View) -> FloatArray:
        features = self.network.features([view.numbers])
        if not np.isfinite(features).all():
            raise ValueError(
                f"model {shown(self.network.name)} gives numbers that are not finite for "
                f"{shown(view.file)}: check preset, mean and scale."
            )
        return features


def _check_sum(path: Path) -> bytes:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
