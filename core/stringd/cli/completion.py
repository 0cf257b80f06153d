"""Names of commands to complete, as the daemon's own `/help` lists them."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from stringd.client.sync import Client
from stringd.errors import StringdError

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"^//?([A-Za-z][\w.-]*)", re.MULTILINE)
# A topic that is busy would hold up the Tab key.
PATIENCE_SECONDS = 2.0


class CommandNames:
    """Answers what the first word of a line may become; the daemon is asked once, at the first Tab."""

    def __init__(self, client: Client, topic: str) -> None:
        self._client = client
        self._topic = topic

    def matching(self, text: str) -> Iterator[str]:
        """Return the commands that begin with `text`; in a shell's topic they begin with `//`."""
        in_shell = self._topic.startswith("bash:")
        slashes = "//" if in_shell or text.startswith("//") else "/"
        candidates = (f"{slashes}{name} " for name in self._names)
        return (candidate for candidate in candidates if candidate.startswith(text))

    @cached_property
    def _names(self) -> tuple[str, ...]:
        user, port = self._client.user, self._client.port
        try:
            with Client(user, port=port, start=False, timeout=PATIENCE_SECONDS) as client:
                # Two slashes are the runtime's command in every kind of topic.
                return tuple(_NAME.findall(client.exec(self._topic, "//help").content))
        except StringdError:
            return ()
