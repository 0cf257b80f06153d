"""What clients of a node send, with whatever credentials a test gives them."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stringd.testing.process import HttpReply
from tests.cluster.nodes import Cluster, Node

STRANGER = "strd_" + "A" * 43
"""A token that nobody has."""


def bearer(token: str) -> dict[str, str]:
    """Return the header with a token."""
    return {"Authorization": f"Bearer {token}"}


def refusal(reply: HttpReply) -> tuple[int, str, bytes]:
    """Return the parts of a refusal in which nothing may differ."""
    headers = sorted((name, value) for name, value in reply.headers.items() if name != "date")
    return reply.status, str(headers), reply.body


@dataclass(slots=True)
class Doorstep:
    """A cluster of one node, and the tokens of its users, each created once."""

    cluster: Cluster
    node: Node
    users: list[str] = field(default_factory=list)
    """The users that tests have added."""
    _tokens: dict[tuple[str, str], str] = field(default_factory=dict)

    def token(self, user: str, scope: str = "exec") -> str:
        """Return a token of a user, the same each time."""
        key = user, scope
        if key not in self._tokens:
            self._tokens[key] = self.cluster.token(user, scope)
        return self._tokens[key]

    def new_user(self, user: str, *scopes: str) -> str:
        """Register a user, and return its token."""
        self.cluster.register(user)
        self.users.append(user)
        return self.cluster.token(user, *scopes)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpReply:
        """Send a request, with a token or without."""
        given = bearer(token) if token else {}
        return self.node.request(method, path, body, {**given, **(headers or {})})

    def execute(self, token: str | None, command: str = "/info", **headers: str) -> HttpReply:
        """Send a command to `file:main`."""
        return self.ask("POST", "/exec", {"cmd": command}, token=token, headers=headers)

    def raw(self, request: str) -> bytes:
        """Send the text of a request, and return the beginning of the answer."""
        with socket.create_connection(("127.0.0.1", self.node.port), timeout=10) as client:
            client.sendall(request.encode())
            return client.recv(65536)
