"""The events of all nodes at each of them, over the end of the node that is asked, and of others."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stringd.client import Client, Event
from tests.cluster.cuts import Cut
from tests.cluster.together.trio import Trio

pytestmark = pytest.mark.long

_PATIENCE = 40.0
KINDS = ("command-ended",)


class Followed:
    """The events of all users, followed in a thread, over all interruptions."""

    def __init__(self, client: Client) -> None:
        self.events: list[Event] = []
        self._client = client
        threading.Thread(target=self._follow, daemon=True).start()

    def await_all(self, sent: list[str]) -> None:
        """Wait until all of these requests were followed."""
        missing = set(sent)
        deadline = time.monotonic() + _PATIENCE
        while missing := missing - set(self.request_ids):
            assert time.monotonic() < deadline, f"missing: {missing} in {self.request_ids}"
            time.sleep(0.02)

    @property
    def request_ids(self) -> list[str | None]:
        return [it.request_id for it in self.events]

    def _follow(self) -> None:
        for event in self._client.events(everyone=True, kinds=KINDS, after=0, reconnect=True):
            self.events.append(event)


@contextmanager
def followed(trio: Trio, port: int) -> Iterator[Followed]:
    with Client(address=trio.address(port)) as client:
        yield Followed(client)


def run_everywhere(trio: Trio, label: str, users: tuple[str, ...] = ("ann", "bob", "cy")) -> list[str]:
    """Run a command of each user; return their request ids."""
    request_ids = [f"{label}-{user}" for user in users]
    for user, request_id in zip(users, request_ids, strict=True):
        assert trio.run(user, "/info", request_id=request_id).ok
    return request_ids


@pytest.mark.requirement("cluster.events.everywhere")
def test_program_shows_the_events_of_all_nodes(lasting: Trio) -> None:
    shown = lasting.start_stringd(
        lasting.nodes["two"].port, "events", "--json", "--after", "0", "--kinds", "command-ended"
    )
    try:
        assert shown.stdout
        wanted = dict(zip(run_everywhere(lasting, "shown"), ("one", "two", "three"), strict=True))
        found: dict[str, str] = {}
        while found != wanted:
            event = json.loads(shown.stdout.readline())
            if event["request_id"] in wanted:
                found[event["request_id"]] = event["node"]
    finally:
        shown.kill()
        shown.communicate()


@pytest.mark.timeout(180)
@pytest.mark.requirement("cluster.events.resume")
def test_stream_goes_on_over_the_end_of_its_node_and_of_an_owner(trio: Trio, balancer: Cut) -> None:
    one, two, three = trio.nodes.values()
    balancer.lead_to(("127.0.0.1", one.port))
    with followed(trio, balancer.port) as stream:
        sent = run_everywhere(trio, "before")
        stream.await_all(sent)
        balancer.lead_to(("127.0.0.1", two.port))
        one.kill()
        # While nobody follows at the next node yet, and the home of ann is on its way.
        sent += run_everywhere(trio, "meanwhile")
        # What a node has published in its last 50 ms is not recorded yet.
        stream.await_all(sent)
        three.kill()
        sent += run_everywhere(trio, "after")
        stream.await_all(sent)
        ours = [it for it in stream.request_ids if it in set(sent)]
        assert sorted(ours, key=str) == sorted(sent)
        assert not [it for it in stream.events if it.kind == "lost"]
