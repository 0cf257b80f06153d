"""The reuse of connections by clients."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from stringd.client import (
    Client,
    DaemonUnreachable,
    RequestRefused,
)
from stringd.client.connection_pool import MAX_IDLE
from tests.client.fake import CLOSE, FakeDaemon, json_answer, sse, streamed

if TYPE_CHECKING:
    from tests.client.drivers import Talk

RUN = ("exec", "file:main", "/x")


@pytest.mark.requirement("client.keep_alive")
def test_many_commands_use_one_connection(fake: FakeDaemon) -> None:
    fake.answers += [[sse()], streamed(sse()), [sse()], [json_answer({"error": "x"}, 400)], [sse()]]
    with Client(port=fake.port) as client:
        for _ in range(3):
            client.exec("file:main", "/x")
        with pytest.raises(RequestRefused):
            client.exec("file:main", "/x")
        client.exec("file:main", "/x")
    assert fake.accepted == 1


@pytest.mark.requirement("client.keep_alive", "client.no_retry")
def test_closed_connection_is_replaced_before_sending(fake: FakeDaemon, talk: Talk) -> None:
    fake.answers += [[sse()], [sse()]]
    first, second = talk(fake.port, RUN, fake.drop_connections, RUN)
    assert first.ok
    assert second.ok
    assert fake.count("POST /exec") == 2


def test_connection_close_is_respected(fake: FakeDaemon, talk: Talk) -> None:
    closing = sse().replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
    fake.answers += [[closing, CLOSE], [sse()]]
    assert [result.ok for result in talk(fake.port, RUN, RUN)] == [True, True]


def test_threads_share_a_client(fake: FakeDaemon) -> None:
    count = MAX_IDLE * 3
    fake.answers += [[sse()]] * count
    results: list[bool] = []
    with Client(port=fake.port, home="/h") as client:
        run = lambda: results.append(client.exec("file:main", "/x").ok)  # noqa: E731
        threads = [threading.Thread(target=run) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [True] * count
    assert fake.count("POST /users") == 1


def test_after_an_outage_the_next_daemon_is_found(fake: FakeDaemon) -> None:
    fake.answers.append([sse()])
    with Client(port=fake.port, start=False) as client:
        assert client.exec("file:main", "/x").ok
        fake.stop()
        with pytest.raises(DaemonUnreachable):
            client.exec("file:main", "/x")
        with FakeDaemon(port=fake.port, answers=[[sse()]]) as revived:
            assert client.exec("file:main", "/x").ok
            assert revived.count("POST /exec") == 1
