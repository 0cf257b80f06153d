"""`stringd approve --json`: print questions and read answers as lines of JSON."""

from __future__ import annotations

import json
import os
import select
from typing import TYPE_CHECKING, Any

from stringd.errors import Fault, RequestRefused
from stringd.processes.standard_streams import write_json

if TYPE_CHECKING:
    from stringd.cli.approve.question_feed import QuestionFeed
    from stringd.client.sync import Client

_CHUNK = 65536
_LONGEST_LINE = 1024 * 1024
_OWN = frozenset({"id", "answer", "comment"})


class Script:
    """Prints each change, and sends the answers it reads; one without an id goes to the oldest question."""

    def __init__(self, client: Client, token: str, feed: QuestionFeed, descriptor: int) -> None:
        self._client = client
        self._token = token
        self._feed = feed
        self._descriptor = descriptor
        self._unread = b""
        self._has_ended = False

    def run(self, *, once: bool) -> int:
        """Run until interrupted; with `once`, return 0 after one answer."""
        while True:
            if self._feed.questions and (line := self._take_line()) is not None:
                if self._send(line) and once:
                    return 0
            elif once and self._has_ended and self._feed.questions:
                raise Fault("standard input has ended without an answer")
            else:
                self._wait()

    def _wait(self) -> None:
        watched: list[Any] = [self._feed, *([] if self._has_ended else [self._descriptor])]
        ready, _, _ = select.select(watched, [], [])
        if self._feed in ready:
            for change in self._feed.take():
                self._print(change.name, change.data)
        if self._descriptor in ready:
            data = os.read(self._descriptor, _CHUNK)
            self._unread += data
            self._has_ended = not data
            if len(self._unread) > _LONGEST_LINE:
                raise Fault(f"a line of standard input is longer than {_LONGEST_LINE} bytes")

    def _print(self, name: str, data: dict[str, Any]) -> None:
        if name == "question":
            self._client.mark_question_shown(data["id"], self._token)
        write_json({"event": name, **data})

    def _take_line(self) -> bytes | None:
        line, newline, rest = self._unread.partition(b"\n")
        if not newline and not (self._has_ended and line):
            return None
        self._unread = rest
        return line

    def _send(self, line: bytes) -> bool:
        fields = _parsed(line)
        question_id = str(fields.get("id") or next(iter(self._feed.questions)))
        try:
            self._client.answer_question(
                question_id,
                fields["answer"],
                token=self._token,
                comment=fields.get("comment"),
                through="stringd approve --json",
                extras={name: value for name, value in fields.items() if name not in _OWN},
            )
        except RequestRefused as refused:
            write_json(
                {"event": "refused", "id": question_id, "error": refused.code, "message": refused.message}
            )
            return False
        self._feed.settle(question_id)
        write_json({"event": "answered", "id": question_id})
        return True


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except ValueError:
        fields = None
    if not isinstance(fields, dict) or "answer" not in fields:
        raise Fault('each line of standard input must be an object such as {"answer": true}')
    return fields
