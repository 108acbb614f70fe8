"""Files through the network, on several threads, and into a journal.

Results of a file are found by the check sum of its content, and of the file with its boxes: a
picture that was moved or renamed is not computed again. The network is shown one picture at a
time, so that the numbers of a picture do not depend on the others.
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
    """What the files of a run gave, in their order, and the check sums of what is in them.

    A check sum is empty where a file cannot be read. ``n_computed`` counts the files that were not
    known before.
    """

    results: list[FileResult]
    keys: list[bytes]
    n_computed: int


@dataclass(frozen=True)
class Work:
    """Files to be read, and the network that they are shown to."""

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
        """Return what all files give; what is known is taken over.

        Parameters
        ----------
        known : mapping
            Results by the check sum of what is in a file.
        keep : callable
            Called with the check sum and the result of every file that is computed, in order.
        threads : int
            How many files are read at once.
        verbose : int
            Report progress if 1 or more.
        """
        # Pillow warns of odd files, and some thread would print it.
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
        """Return a check sum of what is in a file, and of its boxes; empty if it is not readable.

        An empty file and one whose boxes cannot be found have check sums, too.
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
        """Return what is found in a file; closed early, it keeps no pixels from other threads."""
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
