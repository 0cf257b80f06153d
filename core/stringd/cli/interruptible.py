"""Cancellation by Ctrl-C of a command that waits for its reply."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from stringd.errors import StringdError

if TYPE_CHECKING:
    from stringd.client.records import Result
    from stringd.client.sync import Client

_ANSWER_SECONDS = 1.0


class Interruptible:
    """Sends a command from a separate thread, so that the program can cancel it meanwhile."""

    def __init__(self, client: Client, topic: str, command: str) -> None:
        self.is_cancelled = False
        self._client = client
        self._topic = topic
        self._command = command
        self.request_id = os.urandom(8).hex()
        self._answered = threading.Event()
        self._result: Result
        self._error: BaseException | None = None

    def run(self) -> Result:
        """Return the result; the first Ctrl-C cancels the command, the second one is raised."""
        threading.Thread(target=self._send, daemon=True).start()
        try:
            return self._answer()
        except KeyboardInterrupt:
            self._cancel()
            return self._answer()

    def _send(self) -> None:
        try:
            self._result = self._client.exec(self._topic, self._command, self.request_id)
        except BaseException as error:
            self._error = error
        finally:
            self._answered.set()

    def _answer(self) -> Result:
        self._answered.wait()
        if self._error:
            raise self._error
        return self._result

    def _cancel(self) -> None:
        """Cancel the command; raise KeyboardInterrupt if no reply can be expected after that."""
        cancelled = None
        with suppress(StringdError):
            cancelled = self._client.cancel(self._topic, self.request_id)
        if cancelled is None and not self._answered.wait(_ANSWER_SECONDS):
            raise KeyboardInterrupt
        self.is_cancelled = True
