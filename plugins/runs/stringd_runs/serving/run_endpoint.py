"""`/ws`: the WebSocket of runs; see docs/reference/run-messages.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from stringd.plugin import ErrorCode, RequestRefused, Runtime

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection
    from starlette.types import Receive, Scope, Send

    from stringd_runs.providers.provider_catalogue import ProviderCatalogue
    from stringd_runs.running.runs import Runs
    from stringd_runs.serving.run_connection import RunConnection

PATH = "/ws"
_TOKEN = "X-Operator-Token"  # noqa: S105 - the name of a header
_DEFAULT_USER = "default"
_FLUSH_SECONDS = 1.0


class NotAWebSocket(RequestRefused):
    """A request without an upgrade."""

    code = ErrorCode.INVALID_REQUEST


class WrongOperator(RequestRefused):
    """A token that is not that of the operator."""

    status = 403
    code = ErrorCode.OPERATOR_REQUIRED
    code_in_body = True


class RunEndpoint:
    """The ASGI application at `/ws`, and the clients that are connected to it."""

    def __init__(
        self, runtime: Runtime, runs: Callable[[], Runs], providers: Callable[[], ProviderCatalogue]
    ) -> None:
        self._runtime = runtime
        self._runs = runs
        self._providers = providers
        self._connections: set[RunConnection] = set()

    @property
    def connected(self) -> int:
        """How many clients are connected."""
        return len(self._connections)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client."""
        if scope["type"] != "websocket":
            raise NotAWebSocket(f"{PATH} is a WebSocket: the request must ask for an upgrade.")
        # The plugin is also loaded where there is no server.
        from starlette.requests import HTTPConnection

        connection = self._connection(HTTPConnection(scope), receive, send)
        self._connections.add(connection)
        try:
            await connection.serve()
        finally:
            self._connections.discard(connection)

    def release(self, user_id: str) -> None:
        """Close the connections of a user, who goes to another node: a new connection leads there."""
        from stringd_runs.serving.text_socket import CloseCode

        for connection in self._connections:
            if connection.user_id == user_id:
                connection.close(CloseCode.SERVICE_RESTART, "the user's topics go to another node")

    async def close(self) -> None:
        """Send the queued messages that clients still read, and close all connections: the daemon stops."""
        await asyncio.gather(*(it.finish(_FLUSH_SECONDS) for it in self._connections))

    def _connection(self, upgrade: HTTPConnection, receive: Receive, send: Send) -> RunConnection:
        from stringd_runs.serving.run_connection import RunConnection
        from stringd_runs.serving.run_requests import Client
        from stringd_runs.serving.text_socket import TextSocket
        from stringd_runs.strategies.available_strategies import AvailableStrategies

        user_id = _user_id(upgrade)
        is_operator = self._is_operator(upgrade)
        return RunConnection(
            TextSocket(receive, send),
            lambda outbox, disconnected: Client(
                runtime=self._runtime,
                runs=self._runs(),
                providers=self._providers(),
                strategies=AvailableStrategies(self._runtime),
                subscriber=outbox,
                user_id=user_id,
                disconnected=disconnected,
            ),
            is_operator=is_operator,
        )

    def _is_operator(self, upgrade: HTTPConnection) -> bool:
        token = upgrade.headers.get(_TOKEN)
        if token is not None and not self._runtime.questions.is_operator(token.strip()):
            raise WrongOperator("This is not the token of this daemon's operator.")
        return token is not None


def _user_id(upgrade: HTTPConnection) -> str:
    """Return the user that a client names in a header, or else in the query."""
    header = upgrade.headers.get("x-user-id", "").strip()
    if not header:
        return upgrade.query_params.get("user_id") or _DEFAULT_USER
    try:
        return header.encode("latin-1").decode()
    except UnicodeDecodeError:
        return header
