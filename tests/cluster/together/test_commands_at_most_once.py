"""A client repeats a command by itself when nodes end under it, and the command runs once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.client import AsyncClient, Client, DaemonAddress, Result
from stringd.errors import OutcomeUnknown
from tests.cluster.cuts import Cut
from tests.cluster.together.trio import Trio
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

LOOPBACK = "127.0.0.1"
COMMAND = "/exec echo begun >> marks; sleep 2; echo done >> marks; echo answered"
Run = Callable[[DaemonAddress, str], Result]


def run_blocking(address: DaemonAddress, command: str) -> Result:
    with Client("ann", address=address) as client:
        return client.exec("file:main", command)


def run_async(address: DaemonAddress, command: str) -> Result:
    async def run() -> Result:
        async with AsyncClient("ann", address=address) as client:
            return await client.exec("file:main", command)

    return asyncio.run(run())


@pytest.fixture(params=[run_blocking, run_async], ids=["blocking", "async"])
def run(request: pytest.FixtureRequest) -> Run:
    chosen: Run = request.param
    return chosen


class Sent:
    """A command that is sent in a thread."""

    def __init__(self, run: Run, address: DaemonAddress) -> None:
        self.result: Result | None = None
        self.error: BaseException | None = None
        self._run, self._address = run, address
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def wait(self) -> None:
        self._thread.join(60)
        assert not self._thread.is_alive()

    def _send(self) -> None:
        try:
            self.result = self._run(self._address, COMMAND)
        except Exception as error:
            self.error = error


def marks(trio: Trio) -> Path:
    return trio.cluster.home("ann") / "marks"


@pytest.mark.requirement("cluster.client.repeat")
def test_answer_comes_by_another_node_when_the_first_ends(trio: Trio, balancer: Cut, run: Run) -> None:
    balancer.lead_to((LOOPBACK, trio.nodes["two"].port))
    sent = Sent(run, trio.address(balancer.port, "ann"))
    eventually(marks(trio).exists)
    balancer.lead_to((LOOPBACK, trio.nodes["three"].port))
    trio.nodes["two"].kill()
    sent.wait()
    assert sent.error is None
    assert sent.result
    assert sent.result.content.endswith("answered")
    assert marks(trio).read_text(encoding="utf-8") == "begun\ndone\n"


@pytest.mark.requirement("cluster.client.repeat")
def test_command_of_an_owner_that_ends_is_not_run_again(trio: Trio, run: Run) -> None:
    sent = Sent(run, trio.address(trio.nodes["two"].port, "ann"))
    eventually(marks(trio).exists)
    trio.nodes["one"].kill()
    sent.wait()
    assert isinstance(sent.error, OutcomeUnknown), sent.result
    assert marks(trio).read_text(encoding="utf-8") == "begun\n"
    assert trio.run("ann", "/exec echo next").ok


@pytest.mark.requirement("requests.closed")
def test_command_of_a_topic_that_is_deleted_says_so(trio: Trio) -> None:
    answered = trio.begin("ann", COMMAND.replace("sleep 2", "sleep 60"), request_id="r1")
    eventually(marks(trio).exists)
    with trio.client(trio.nodes["two"], "ann") as client:
        assert client.close_session("file:main")
    assert answered.result(20).code == "SESSION_CLOSED"
    assert trio.run("ann", "/exec echo next", request_id="r1").content.endswith("next")
