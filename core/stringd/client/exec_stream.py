"""The event stream of `/exec`, parsed into a `Result`; see docs/reference/http.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from stringd.client.records import JsonObject, Reply, Result
from stringd.client.responses import refusal
from stringd.errors import ErrorCode
from stringd.text.sse import SseParser

INCOMPLETE = ErrorCode.STREAM_INCOMPLETE
_NOTICE = "The answer ended before it was complete; the command may have run."


def strip_content_prefix(raw: str) -> str:
    """Return the output without the `re:` line that the daemon prepends."""
    return raw.partition("\n")[2] if raw.startswith("re: ") else raw


class ExecAnswer:
    """Incremental parser of one answer; it yields a result or raises the refusal.

    An answer that never began is incomplete too: the request was sent, so the command may have run.
    """

    def __init__(self) -> None:
        self._status = 200
        self._refusal: list[bytes] = []
        self._parser = SseParser()
        self._headers: Mapping[str, str] = {}
        self._events: dict[str, str] = {}

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Set the status, which determines how the body is parsed, and the headers by lower-case name."""
        self._status = status
        self._headers = headers

    def feed(self, chunk: bytes) -> bool:
        """Parse the next bytes of the body; return whether `done` has arrived."""
        if self._status != 200:
            self._refusal.append(chunk)
            return False
        for event in self._parser.feed(chunk):
            self._events.setdefault(event.name, event.data)
        return "done" in self._events

    @property
    def is_daemons(self) -> bool:
        """Whether only a daemon can have sent this: it has a `head` event."""
        return self._status == 200 and self._head() is not None

    def result(self) -> Result:
        """Return the result, or raise the daemon's refusal."""
        if self._status != 200:
            raise refusal(Reply(status=self._status, headers=self._headers, body=b"".join(self._refusal)))
        head, content = self._head(), self._content()
        if head is None or content is None or "done" not in self._events:
            return _incomplete(head, content)
        return Result(
            ok=head["ok"],
            code=head.get("code"),
            content=content,
            meta=head.get("meta"),
            shown=str(head.get("cmd", "")),
        )

    def _head(self) -> JsonObject | None:
        head = self._json("head")
        return head if isinstance(head, dict) and _is_head(head) else None

    def _content(self) -> str | None:
        content = self._json("content")
        return strip_content_prefix(content) if isinstance(content, str) else None

    def _json(self, name: str) -> Any:
        try:
            return json.loads(self._events.get(name, ""))
        except (ValueError, RecursionError):
            return None


def _is_head(head: JsonObject) -> bool:
    code, meta = head.get("code"), head.get("meta")
    return isinstance(head.get("ok"), bool) and isinstance(code, str | None) and isinstance(meta, dict | None)


def _incomplete(head: JsonObject | None, content: str | None) -> Result:
    text = f"ERROR({INCOMPLETE}): {_NOTICE}" if content is None else content
    return Result(ok=False, code=INCOMPLETE, content=text, meta=head.get("meta") if head else None)
