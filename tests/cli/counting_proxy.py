"""A loopback proxy in front of a daemon that records the request lines it forwards."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from typing import Self

_REQUEST_LINE = re.compile(rb"([A-Z]+ /\S*) HTTP/1\.1\r\n")


class CountingProxy:
    """Forwards connections to the port of a daemon; `requests` are `METHOD /path`, in order."""

    def __init__(self, daemon_port: int, port: int = 0) -> None:
        self.requests: list[str] = []
        self._daemon_port = daemon_port
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._sockets = [self._listener]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *raised: object) -> None:
        for it in self._sockets:
            with suppress(OSError):
                it.shutdown(socket.SHUT_RDWR)
            it.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                daemon = socket.create_connection(("127.0.0.1", self._daemon_port), timeout=20)
                self._sockets += (client, daemon)
                threading.Thread(target=self._forward, args=(client, daemon, True), daemon=True).start()
                threading.Thread(target=self._forward, args=(daemon, client, False), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, records: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if records:
                    self.requests += (it.decode() for it in _REQUEST_LINE.findall(data))
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
