"""The connection of `stringd mcp` to a daemon, which is started if need be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from stringd.plugin import Fault
from stringd.plugin.terminal_programs import Client, DaemonUnreachable

if TYPE_CHECKING:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import ClientConnection

    from stringd.plugin.terminal_programs import DaemonAddress

_OPEN_SECONDS = 30.0
_MISUSE = 2


class BridgeConnection:
    """Connects as a user, whose home is registered if one is given."""

    def __init__(self, address: DaemonAddress, user: str, home: Path | None, topics: Sequence[str]) -> None:
        self._address = address
        self._user = user
        self._home = home
        query = {"user": user} | ({"topics": ",".join(topics)} if topics else {})
        self._url = f"{address.web_socket_url}/mcp/stdio?{urlencode(query)}"

    def __call__(self) -> ClientConnection:
        """Find or start the daemon, register the user, and connect."""
        from websockets.exceptions import InvalidHandshake, InvalidStatus
        from websockets.sync.client import connect

        with Client(self._user, address=self._address, home=self._home) as client:
            client.prepare()
        try:
            opened = connect(
                self._url,
                ssl=self._address.tls(),
                additional_headers=self._address.headers,
                open_timeout=_OPEN_SECONDS,
                max_size=None,
                compression=None,
                proxy=None,
            )
            # It outlives every block that it could be the context of.
            return opened.__enter__()
        except InvalidStatus as refused:
            raise Fault(_reason(refused), exit_code=_MISUSE) from refused
        except (OSError, EOFError, InvalidHandshake) as error:
            raise DaemonUnreachable(f"No daemon answers {self._address.place}: {error}") from error


def _reason(refused: InvalidStatus) -> str:
    """Return what the daemon says of a connection that it refuses."""
    if refused.response.status_code == 404:
        return "The daemon runs without the plugin mcp, or is an earlier version: `stringd shutdown` ends it."
    try:
        said = json.loads(refused.response.body or b"")
        return str(said.get("message") or said["error"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"The daemon refuses the connection: {refused}"
