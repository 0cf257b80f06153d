"""Completion of command names, from the daemon's `/help`."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from stringd.client.sync import Client
from stringd.errors import StringdError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTED = re.compile(r"^(//?)([A-Za-z][\w.-]*)", re.MULTILINE)
# A busy topic must not block the Tab key any longer.
TIMEOUT_SECONDS = 2.0


class CommandNames:
    """Completes the first word of a line; the daemon is asked once, at the first Tab."""

    def __init__(self, client: Client, topic: str) -> None:
        self._client = client
        self._topic = topic

    def matching(self, text: str) -> Iterator[str]:
        """Yield the commands that begin with `text`, with the slashes that `/help` lists, or two if typed."""
        candidates = (f"{'//' if text.startswith('//') else slashes}{name} " for slashes, name in self._names)
        return (candidate for candidate in candidates if candidate.startswith(text))

    @cached_property
    def _names(self) -> tuple[tuple[str, str], ...]:
        user, address = self._client.user, self._client.address
        try:
            with Client(user, address=address, start=False, timeout=TIMEOUT_SECONDS) as client:
                # In topics that take plain text, commands need two slashes; elsewhere one or two work.
                return tuple(_LISTED.findall(client.exec(self._topic, "//help").content))
        except StringdError:
            return ()
