"""One studio a project."""

from __future__ import annotations

import os
from pathlib import Path

from lapoleaf._messages import shown
from lapoleaf._writing import lock


class ProjectLock:
    """A file beside the project that is locked as long as a studio has the project open.

    Readers do not need it, and it is unlocked when the process ends, however it ends.

    Parameters
    ----------
    project : Path
        The project.
    """

    def __init__(self, project: Path) -> None:
        self.path = project.with_name(f".{project.name}.lock")
        while True:
            self._descriptor = _opened(project, self.path)
            if not lock(self._descriptor):
                os.close(self._descriptor)
                raise ValueError(
                    f"{shown(project)} is open in another studio: use that one, or end it first."
                )
            # Between opening and locking, another process may have removed it.
            if os.fstat(self._descriptor).st_nlink:
                return
            os.close(self._descriptor)

    def release(self) -> None:
        """Unlock the project."""
        if self._descriptor >= 0:
            os.unlink(self.path)
            os.close(self._descriptor)
            self._descriptor = -1


def _opened(project: Path, path: Path) -> int:
    try:
        return os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise OSError(
            f"{shown(project)} cannot be written: {error.strerror}. Name a file elsewhere with "
            f"--project."
        ) from error
