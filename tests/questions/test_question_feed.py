"""The stream of questions that `stringd approve` reads, from a server that sends its events late."""

from __future__ import annotations

import json
import select
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import SimpleQueue
from typing import Any

import pytest

from stringd.cli.approve.question_feed import QuestionFeed
from stringd.client.daemon_address import DaemonAddress


class Stream(ThreadingHTTPServer):
    """Sends the events that a test puts into its queue; None ends the stream."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Events)
        self.events: SimpleQueue[tuple[str, dict[str, Any]] | None] = SimpleQueue()

    def send(self, feed: QuestionFeed, *events: tuple[str, dict[str, Any]]) -> None:
        """Send events, and return once the feed has applied them."""
        for event in events:
            self.events.put(event)
        taken = 0
        while taken < len(events):
            assert select.select([feed], [], [], 20)[0], "the feed says nothing"
            taken += len(feed.take())


class Events(BaseHTTPRequestHandler):
    server: Stream

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        while event := self.server.events.get():
            self.wfile.write(f"event: {event[0]}\ndata: {json.dumps(event[1])}\n\n".encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stream() -> Iterator[Stream]:
    with Stream() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.events.put(None)
        server.shutdown()
        thread.join()


@pytest.mark.requirement("approve.told")
def test_answered_question_does_not_come_back_with_late_news_of_it(stream: Stream) -> None:
    with QuestionFeed(DaemonAddress(port=stream.server_address[1]), "token") as feed:
        stream.send(feed, ("question", {"id": "q1"}))
        feed.settle("q1")
        stream.send(feed, ("question", {"id": "q1", "expires_at": 1}), ("question", {"id": "q2"}))
        assert list(feed.questions) == ["q2"]
        stream.send(feed, ("closed", {"id": "q1", "by": "operator"}), ("closed", {"id": "q2"}))
        assert (list(feed.questions), list(feed.closed)) == ([], ["q1", "q2"])
        stream.events.put(None)
