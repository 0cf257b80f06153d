"""Clients that answer questions over HTTP, with and without the operator's token."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from stringd.testing.process import DaemonProcess, Events, HttpReply
from stringd.text.sse import SseEvent, SseParser

TOKEN = "X-Operator-Token"
DEADLINE = 20.0


def until(condition: Callable[[], Any], what: str = "nothing came of it", seconds: float = DEADLINE) -> Any:
    """Wait until a condition holds, and return what it returned."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, what
        threading.Event().wait(0.01)
    return found


class People:
    """Asks and answers questions of one daemon."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon = daemon

    def send(self, cmd: str, topic: str = "file:main", user: str = "default", **more: Any) -> Future[Events]:
        """Send a command in the background."""
        pool = ThreadPoolExecutor(1)
        answer = pool.submit(self.daemon.exec, cmd, topic, user, **more)
        pool.shutdown(wait=False)
        return answer

    def ask(self, topic: str = "file:main", user: str = "default", **fields: Any) -> Asked:
        """Run a command that asks, and return once its question is open."""
        before = {it["id"] for it in self.listed()}
        answer = self.send(f"/ask {json.dumps(fields)}", topic, user)
        new = until(
            lambda: [it for it in self.listed() if it["id"] not in before] or answer.done(), "no question"
        )
        assert isinstance(new, list), answer.result(1).content
        return Asked(new[0], answer)

    def listed(self, **query: str) -> list[dict[str, Any]]:
        tail = "?" + "&".join(f"{name}={value}" for name, value in query.items()) if query else ""
        questions: list[dict[str, Any]] = self.daemon.request("GET", f"/questions{tail}").json()["questions"]
        return questions

    def answer(
        self, question: dict[str, Any], answer: Any, user: str | None = "default", **more: Any
    ) -> HttpReply:
        headers = {"X-User-Id": user} if user else {}
        return self.daemon.request(
            "POST", f"/questions/{question['id']}", {"answer": answer, **more}, headers
        )


class Asked:
    """A question, and the command that waits for its answer."""

    def __init__(self, question: dict[str, Any], answer: Future[Events]) -> None:
        self.question = question
        self.id = question["id"]
        self._answer = answer

    def done(self) -> bool:
        return self._answer.done()

    def content(self) -> str:
        return self._answer.result(DEADLINE).content.partition("\n")[2]

    def told(self) -> dict[str, Any]:
        """Return the answer that the command received."""
        found: dict[str, Any] = json.loads(self.content())
        return found


class Operator(People):
    """Keeps a stream of questions open with the operator's token, as a front end does."""

    def __init__(self, daemon: DaemonProcess, token: str | None = None) -> None:
        super().__init__(daemon)
        self.token = daemon.operator_token if token is None else token
        self.seen: list[SseEvent] = []
        self.raw = b""

    def __enter__(self) -> Self:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=DEADLINE)
        headers = {TOKEN: self.token} if self.token else {}
        self._connection.request("GET", "/questions/stream", headers=headers)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        until(lambda: self.seen, "the stream never began")
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection.sock:
            self._connection.sock.shutdown(2)
        self._reader.join(5)
        self._connection.close()

    def events(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(it.data) for it in self.seen if it.name == name]

    def expect(self, name: str, **fields: Any) -> dict[str, Any]:
        """Wait for an event with these fields."""
        found: dict[str, Any] = until(
            lambda: next((it for it in self.events(name) if fields.items() <= it.items()), None),
            f"no {name} with {fields} in {self.seen}",
        )
        return found

    def decide(self, question: dict[str, Any], answer: Any, **more: Any) -> HttpReply:
        """Answer with the token."""
        assert self.token
        return self.daemon.request(
            "POST", f"/questions/{question['id']}", {"answer": answer, **more}, {TOKEN: self.token}
        )

    def show(self, question: dict[str, Any]) -> HttpReply:
        assert self.token
        return self.daemon.request("POST", f"/questions/{question['id']}/shown", None, {TOKEN: self.token})

    def _read(self) -> None:
        parser = SseParser()
        try:
            answer = self._connection.getresponse()
            while chunk := answer.read1(65536):
                self.raw += chunk
                self.seen += parser.feed(chunk)
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            return
