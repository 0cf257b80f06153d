"""The events of one command: its beginning, its output, and its end."""

from __future__ import annotations

from msgspec import Struct

from stringd.api.event_interfaces import Events
from stringd.api.events import CommandBegun, CommandEnded
from stringd.api.sessions import Session
from stringd.events.output_feed import OutputFeed, SecretNames


class CommandEvents(Struct, kw_only=True):
    """Publishes the events of a command; each method is called at most once."""

    events: Events
    user_id: str
    topic: str
    request_id: str | None
    session: Session | None = None
    has_begun: bool = False
    has_ended: bool = False
    _secrets: SecretNames | None = None
    _output: OutputFeed | None = None

    @property
    def output(self) -> OutputFeed:
        """What the command prints; what comes after its end is not published."""
        if self._output is None:
            self._output = OutputFeed(
                None if self.has_ended else self.events,
                user_id=self.user_id,
                topic=self.topic,
                request_id=self.request_id,
                secrets=self._secrets,
            )
        return self._output

    def begin(self, label: str, secrets: SecretNames | None = None) -> None:
        """Publish the beginning; `secrets` are to be masked in the output."""
        self.has_begun, self._secrets = True, secrets
        self.events.publish_lazily(
            CommandBegun,
            self._weight(label),
            user_id=self.user_id,
            topic=self.topic,
            request_id=self.request_id,
            label=label,
        )

    def end(self, label: str, *, code: str | None, seconds: float, size: int) -> None:
        """Publish the last output, and the end."""
        self.has_ended = True
        if self._output:
            self._output.close()
        self.events.publish_lazily(
            CommandEnded,
            self._weight(label),
            user_id=self.user_id,
            topic=self.topic,
            request_id=self.request_id,
            label=label,
            code=code,
            seconds=seconds,
            size=size,
        )

    def _weight(self, label: str) -> int:
        return len(label) + len(self.request_id or "")
