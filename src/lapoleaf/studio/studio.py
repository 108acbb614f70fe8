"""What a server holds: the project that is open, if one is."""

from __future__ import annotations

import threading
from typing import Any

from lapoleaf.studio.opening import opened, path_of_project
from lapoleaf.studio.recent import remember
from lapoleaf.studio.session import Session

# How long the end waits for a step of the model.
_SECONDS_TO_END = 5.0


class Studio:
    """The project that is open, if one is.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Number of threads of the model.
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs
        self.session: Session | None = None
        self._guard = threading.Lock()

    def open(self, source: Any, **options: Any) -> Session:
        """Open a project instead of the one that is open; this one stays as it is.

        Parameters
        ----------
        source : object
            Rows, as :func:`~lapoleaf.studio.serve` takes them.
        **options
            Which project, and which columns are what.
        """
        with self._guard:
            current = self.session
            if current is not None and current.project.path == path_of_project(source, **options):
                if not options:
                    return current
                # Only one session can have the file.
                self.session = None
                current.close()
            session = opened(source, n_jobs=self.n_jobs, **options)
            before, self.session = self.session, session
            session.start()
        remember(session.project.path)
        if before is not None:
            before.close()
        return session

    def end_streams(self) -> None:
        """End the streams of events to all pages."""
        session = self.session
        if session is not None:
            session.events.close()

    def close(self) -> None:
        """Close the project that is open."""
        with self._guard:
            before, self.session = self.session, None
        if before is not None:
            before.close()
            before.wait_for_threads(_SECONDS_TO_END)
