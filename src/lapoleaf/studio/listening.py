"""Where a server listens, and who may hear what is sent: checked before anything is printed."""

from __future__ import annotations

import os
import socket
from typing import Any

from lapoleaf._messages import shown
from lapoleaf.studio.security import is_loopback

_LAST_PORT = 65_535


def check_host(host: str, certificate: Any, key: Any, insecure: bool) -> None:
    """Raise for a host that is open to other machines without TLS or a word that this is meant.

    Parameters
    ----------
    host : str
        Where to listen.
    certificate, key : path-like or None
        Files of TLS.
    insecure : bool
        Whether TLS is not needed.
    """
    if certificate is None and key is not None:
        raise ValueError(f"key={shown(key)} needs a certificate, too.")
    if is_loopback(host) or certificate is not None or insecure:
        return
    raise ValueError(
        f"host={shown(host)} is open to other machines: pass certificate and key, so that nothing "
        f"can be read or changed on the way, or insecure=True if you trust that network."
    )


def check_port(port: int) -> None:
    """Raise for what is no port; 0 stands for any that is free."""
    if not 0 <= port <= _LAST_PORT:
        raise ValueError(f"port={port} must be a number from 0 to {_LAST_PORT}.")


def load_certificate(config: Any) -> None:
    """Read the files of TLS now, so that a wrong one is told before the address is.

    Parameters
    ----------
    config : uvicorn.Config
        With the names of the files.
    """
    try:
        config.load()
    except OSError as error:
        files = " and ".join(
            shown(os.fspath(file)) for file in (config.ssl_certfile, config.ssl_keyfile) if file
        )
        raise ValueError(
            f"certificate and key cannot be used, {files}: {error.strerror or error}."
        ) from error


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once instead of after 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
        # So that the address can be used as soon as it is printed.
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise OSError(
            f"port {port} of {host} cannot be used: {error.strerror}. Name another with --port, or "
            f"an address of this machine with --host."
        ) from error
    return listener
