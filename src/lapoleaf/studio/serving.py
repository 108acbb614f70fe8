"""Start the server, and open the page."""

from __future__ import annotations

import atexit
import importlib
import os
import socket
import sys
import threading
import time
import webbrowser
from typing import Any

from lapoleaf._parallel import check_n_jobs
from lapoleaf.studio.listening import (
    check_host,
    check_port,
    listening_socket,
    load_certificate,
)
from lapoleaf.studio.security import Access

# Threads take turns this often (seconds), so that answers do not wait while the model is fitted.
_TURN = 0.0005
_SECONDS_TO_START = 30.0


class StudioServer:
    """A studio that is running; :func:`serve` returns it.

    In a ``with`` statement it is closed at the end.

    Attributes
    ----------
    url : str
        The address to open first; it holds the token.
    """

    def __init__(self, studio: Any, server: Any, listener: socket.socket, access: Access) -> None:
        self.url = access.address
        self._studio, self._server, self._listener = studio, server, listener
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Serve until the process is interrupted."""
        usual = sys.getswitchinterval()
        sys.setswitchinterval(_TURN)
        try:
            self._server.run(sockets=[self._listener])
        finally:
            sys.setswitchinterval(usual)
            self._studio.close()
            self._listener.close()

    def start(self) -> None:
        """Serve in a thread."""
        self._thread = threading.Thread(target=self.run, name="lapoleaf-studio", daemon=True)
        self._thread.start()
        # A notebook that is shut down leaves one complete file, too.
        atexit.register(self.close)
        end = time.monotonic() + _SECONDS_TO_START
        while not self._server.started and self._thread.is_alive() and time.monotonic() < end:
            time.sleep(0.01)

    def close(self) -> None:
        """End the server, and close the project."""
        atexit.unregister(self.close)
        self._studio.close()
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()

    def __enter__(self) -> StudioServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def make_server(
    source: Any = None,
    *,
    project: str | os.PathLike[str] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    certificate: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    n_jobs: int | None = None,
    **options: Any,
) -> StudioServer:
    """Return a server that is not running yet; its project is open, its port is taken.

    Parameters
    ----------
    source, project, n_jobs, **options
        See :func:`~lapoleaf.studio.opening.opened`; without a source there is a start page.
    host, port
        Where to listen; port 0 for any.
    certificate, key : path-like or None
        Files of TLS.
    insecure : bool
        Whether to listen for other machines without TLS.
    """
    uvicorn, app, ending, holder = _needed()
    check_host(host, certificate, key, insecure)
    check_port(port)
    check_n_jobs(n_jobs)
    studio = holder.Studio(n_jobs)
    if source is not None:
        studio.open(source, project=project, **options)
    listener = None
    try:
        listener = listening_socket(host, port)
        scheme = "http" if certificate is None else "https"
        access = Access(listener.getsockname()[1], host, scheme)
        config = uvicorn.Config(
            app.make_app(studio, access),
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
        load_certificate(config)
    except BaseException:
        studio.close()
        if listener is not None:
            listener.close()
        raise
    return StudioServer(studio, ending.EndingServer(config, studio), listener, access)


def _needed() -> tuple[Any, Any, Any, Any]:
    """Return the modules that need the extra ``studio``, or raise with how to install it."""
    try:
        return (
            importlib.import_module("uvicorn"),
            importlib.import_module("lapoleaf.studio.app"),
            importlib.import_module("lapoleaf.studio.ending"),
            importlib.import_module("lapoleaf.studio.studio"),
        )
    except ModuleNotFoundError as error:
        if error.name not in ("uvicorn", "starlette"):
            raise
        raise ModuleNotFoundError(
            f"The studio needs {error.name}, which is not installed: pip install "
            f"'lapoleaf[studio]'."
        ) from error


def open_browser(address: str) -> None:
    """Open an address in the browser of the person, a moment later."""
    timer = threading.Timer(0.5, webbrowser.open, [address])
    timer.daemon = True
    timer.start()


def serve(
    source: Any = None,
    *,
    project: str | os.PathLike[str] | None = None,
    label: str | None = None,
    id: str | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    certificate: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    insecure: bool = False,
    browser: bool = True,
    block: bool = True,
    n_jobs: int | None = None,
    **options: Any,
) -> StudioServer:
    """Label rows in a page in the browser, and keep every label in a project file.

    Every action is in the project before the page confirms it. The next call with the same rows,
    in whatever order, goes on from there.

    Parameters
    ----------
    source : path-like, frame, array, Dataset, model or project, default=None
        The rows: anything that :func:`~lapoleaf.inputs.read` takes, a data set, a fitted
        classifier, a file of one that was saved with ``rows=True``, or a project. None for a page
        to choose from.
    project : path-like, default=None
        Where labels are kept. By default beside the source, with the ending ``.lapoleaf``, and
        ``studio.lapoleaf`` in the current folder for rows that are in no file.
    label, id : str, default=None
        Columns of labels and of names of rows: see :func:`~lapoleaf.inputs.read`. Labels are found
        again by names, else by what is in the cells.
    host : str, default="127.0.0.1"
        Where to listen. Other machines can connect only if this is another host.
    port : int, default=0
        The port; 0 for any that is free.
    certificate, key : path-like, default=None
        Files of TLS, for another host.
    insecure : bool, default=False
        Whether to listen for other machines without TLS: then rows, labels and the token can be
        read on the way, and with the token files of yours can be opened and copied.
    browser : bool, default=True
        Whether to open the page.
    block : bool, default=True
        Whether to return only when the server has ended; False to go on, as in a notebook.
    n_jobs : int, default=None
        Number of threads of the model; None and -1 use all cores.
    **options
        Further parameters of :func:`~lapoleaf.inputs.read`.

    Returns
    -------
    StudioServer
        With the address ``url``, and ``close()``.

    See Also
    --------
    lapoleaf.inputs.Dataset.with_labels : Labels of a project for further work.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from lapoleaf.studio import serve
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with serve(X, project=Path(folder, "mine"), browser=False, block=False) as server:
    ...         print(server.url.partition("?")[0])
    http://127.0.0.1:.../
    """
    options = {**options, "label": label, "id": id}
    options = {name: value for name, value in options.items() if value is not None}
    server = make_server(
        source,
        project=project,
        host=host,
        port=port,
        certificate=certificate,
        key=key,
        insecure=insecure,
        n_jobs=n_jobs,
        **options,
    )
    if browser:
        open_browser(server.url)
    if block:
        server.run()
    else:
        server.start()
    return server
