"""Publish the output and progress of a command while it runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from types import MappingProxyType
from typing import Protocol, TypeAlias

from stringd.api.event_interfaces import Events
from stringd.api.events import Output
from stringd.events.unpublished_output import PrintedText
from stringd.workers.guarded_calls import call

SECONDS_BETWEEN = 0.1
"""The time between two events of one feed."""

log = logging.getLogger(__name__)

SecretNames: TypeAlias = Callable[[], Mapping[str, str]]


class OutputFeed:
    """Collects the output and progress of a command, and publishes them at most ten times a second.

    Nothing is collected without watchers. `secrets` returns the values to mask, each with the name that
    replaces it. All methods must be called in the thread of the event loop.
    """

    # Most feeds collect nothing, so their collections are created on demand.
    _hidden: Mapping[str, str] = MappingProxyType({})
    _printed: Mapping[str | None, PrintedText] = MappingProxyType({})
    _reported: AbstractSet[str | None] = frozenset()
    _timer: asyncio.TimerHandle | None = None

    def __init__(
        self,
        events: Events | None,
        *,
        user_id: str | None = None,
        topic: str | None = None,
        request_id: str | None = None,
        secrets: SecretNames | None = None,
    ) -> None:
        self.request_id = request_id
        self._events = events
        self._user_id = user_id
        self._topic = topic
        self._secrets = secrets
        # By kind and source, the oldest first.
        self._pending: dict[tuple[str, str | None], PrintedText | Output] | None = None

    @property
    def is_watched(self) -> bool:
        """Whether there are watchers of the output."""
        return self._events is not None and self._events.is_watched

    def write(self, data: bytes | str, source: str | None = None) -> None:
        """Pass on printed text; `source` names its origin if it is not the command itself."""
        if self._events is None or not self._events.is_watched:
            return
        printed = self._printed.get(source)
        if printed is None:
            printed = PrintedText()
            self._printed = {**self._printed, source: printed}
        printed.add(data if isinstance(data, bytes) else data.encode(errors="replace"))
        self._plan("text", source, printed)

    def report(self, source: str, done: int, total: int | None = None, unit: str = "bytes") -> None:
        """Report progress; of frequent reports, only the latest is published."""
        if not self.is_watched:
            return
        if done == total and source not in self._reported:
            # It was too short to be of interest.
            (self._pending or {}).pop(("progress", source), None)
        else:
            event = Output(
                user_id=self._user_id,
                topic=self._topic,
                request_id=self.request_id,
                done=done,
                total=total,
                unit=unit,
                source=source,
            )
            self._plan("progress", source, event)

    def secret_names(self) -> Mapping[str, str]:
        """Return the values that are masked, each with the name that takes its place."""
        return {**(self._secrets() if self._secrets else {}), **self._hidden}

    def hide(self, names: Mapping[str, str]) -> None:
        """Mask additional values, each by the name that it maps to."""
        if names:
            self._hidden = {**self._hidden, **names}

    def flush(self, *, final: bool = False) -> None:
        """Publish pending output; if `final`, later output is unrelated to it.

        Progress that was never published is dropped, since the work was too short.
        """
        if self._timer:
            self._timer.cancel()
            self._timer = None
        pending, self._pending = self._pending or {}, None
        for (_, source), waiting in pending.items():
            if isinstance(waiting, PrintedText) or source in self._reported:
                self._publish(source, waiting, final=final)
        if final:
            finished, self._printed = self._printed, {}
            for source, printed in finished.items():
                self._publish(source, printed, final=True)

    def close(self) -> None:
        """Publish pending output, and ignore later output."""
        if self._printed or self._pending:
            self.flush(final=True)
        self._events = None

    def _plan(self, kind: str, source: str | None, waiting: PrintedText | Output) -> None:
        if self._pending is None:
            self._pending = {}
        self._pending[kind, source] = waiting
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS_BETWEEN, self._publish_next)

    def _publish_next(self) -> None:
        self._timer = None
        if self._pending:
            key = next(iter(self._pending))
            self._publish(key[1], self._pending.pop(key))
        if self._pending:
            self._timer = asyncio.get_running_loop().call_later(SECONDS_BETWEEN, self._publish_next)

    def _publish(self, source: str | None, waiting: PrintedText | Output, *, final: bool = False) -> None:
        if self._events is None:
            return
        if isinstance(waiting, Output):
            self._reported = self._reported | {source}
            self._events.publish(waiting)
        elif text := self._take_text(waiting, final=final):
            self._events.publish(
                Output(
                    user_id=self._user_id,
                    topic=self._topic,
                    request_id=self.request_id,
                    text=text,
                    source=source,
                )
            )

    def _take_text(self, printed: PrintedText, *, final: bool) -> str:
        try:
            return printed.take(call(self.secret_names), final=final)
        except Exception:
            log.exception("output can't be published")
            return ""


class Printing(Protocol):
    """A command that may print."""

    @property
    def output(self) -> OutputFeed:
        """What it prints; most commands print nothing, and need no feed."""


CURRENT_OUTPUT: ContextVar[Printing | None] = ContextVar("output", default=None)
"""Set in the task of each command, and thus in all tasks and threads that it starts."""
_UNWATCHED = OutputFeed(None)


def current_output() -> OutputFeed:
    """Return the feed of the current command; outside of commands, one without watchers."""
    printing = CURRENT_OUTPUT.get()
    return printing.output if printing else _UNWATCHED
