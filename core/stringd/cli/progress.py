"""Show the output and progress of a slow command on standard error while it runs."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from stringd.errors import DaemonUnreachable, StringdError
from stringd.processes.standard_streams import is_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stringd.client.records import Event
    from stringd.client.sync import Client

DELAY_SECONDS = 1.0
_RETRY_SECONDS = 0.5


@contextmanager
def showing_progress(client: Client, topic: str, request_id: str) -> Iterator[None]:
    """Show the progress of the command that is sent with the request id within the context.

    Without a terminal, do nothing. A command that takes less than a second causes no extra request.
    """
    if not is_terminal(sys.stderr):
        yield
        return
    progress = _Progress(client, topic, request_id)
    timer = threading.Timer(DELAY_SECONDS, progress.show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        progress.stop()


class _Progress:
    """Follows the events of one request."""

    def __init__(self, client: Client, topic: str, request_id: str) -> None:
        self._request_id = request_id
        self._user, self._address, self._topic = client.user, client.address, topic
        self._stopped = threading.Event()
        self._writing = threading.Lock()
        self._screen: _Screen | None = None

    def show(self) -> None:
        """Show events until the command has ended."""
        with suppress(StringdError, OSError, ValueError):
            while not self._stopped.is_set():
                with suppress(DaemonUnreachable):
                    self._follow()
                    return
                # The daemon may still be starting, for this command.
                self._stopped.wait(_RETRY_SECONDS)

    def stop(self) -> None:
        """Stop showing events."""
        with self._writing:
            self._stopped.set()
            if self._screen:
                self._screen.leave()

    def _follow(self) -> None:
        from stringd.client.sync import Client

        with Client(self._user, address=self._address, start=False) as client:
            kinds = ("output", "command-ended")
            for event in client.events(self._topic, kinds=kinds, request_id=self._request_id, after=0):
                if event.kind == "command-ended" or not self._write(event):
                    return

    def _write(self, event: Event) -> bool:
        """Write an event; return false if the reply has already arrived."""
        with self._writing:
            if self._stopped.is_set():
                return False
            self._screen = self._screen or _Screen()
            self._screen.write(event)
        return True


class _Screen:
    """Writes texts one after the other, with the latest progress in the line below them."""

    def __init__(self) -> None:
        self._is_plain = os.environ.get("TERM") == "dumb"
        self._at_line_start = True
        self._has_progress = False

    def write(self, event: Event) -> None:
        """Write an event of the kind `output`; ignore `lost`."""
        from stringd.cli.event_lines import describe_progress
        from stringd.text.escaping import visible, visible_line

        text, progress = event.fields.get("text"), describe_progress(event.fields)
        if isinstance(text, str) and text:
            self._clear()
            self._put(visible(text))
            self._at_line_start = text.endswith("\n")
        if progress and not self._is_plain:
            self._clear()
            self._end_line()
            self._put(visible_line(progress))
            self._has_progress = True

    def leave(self) -> None:
        """Move the cursor to the beginning of a line."""
        self._clear()
        self._end_line()

    def _clear(self) -> None:
        if self._has_progress:
            self._put("\r\x1b[K")
            self._has_progress = False

    def _end_line(self) -> None:
        if not self._at_line_start:
            self._put("\n")
            self._at_line_start = True

    def _put(self, text: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.buffer.write(text.encode(errors="replace"))
            sys.stderr.buffer.flush()
