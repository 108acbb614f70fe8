"""A server that ends without waiting for the pages that listen to it."""

from __future__ import annotations

import socket
from typing import Any

import uvicorn


class EndingServer(uvicorn.Server):
    """A server that ends the streams of open pages first when it is asked to end.

    Parameters
    ----------
    config : uvicorn.Config
        How to serve.
    studio : Studio
        What is open.
    """

    def __init__(self, config: uvicorn.Config, studio: Any) -> None:
        super().__init__(config)
        self._studio = studio

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server."""
        # Streams have no end of their own: each would be waited for, then cancelled with an error.
        self._studio.end_streams()
        await super().shutdown(sockets)
