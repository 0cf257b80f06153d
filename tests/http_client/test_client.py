"""The HTTP client against well-behaved and misbehaving servers."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import aclosing

import brotli
import pytest
import uvloop

from stringd import __version__
from stringd.api.zones import Zone
from stringd.errors import HttpFailed
from stringd.http_client.shared_client import MAX_PER_ORIGIN, SharedHttpClient
from tests.http_client.fake_network import LIMIT, FakeNetwork, get
from tests.web.server import Reply, Site, answer, chunked

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


LABORIOUS = {"tiny chunks without an end", "a gzip bomb", "empty members without an end"}


def endless() -> Iterator[bytes]:
    return itertools.repeat(b"x" * 10_000)


BROKEN: dict[str, tuple[Reply, str]] = {
    "garbage": (b"\x00\x01garbage\r\n\r\n", r"the answer is not valid HTTP \(.+\)"),
    "SSH": (b"SSH-2.0-OpenSSH_9.6\r\n", "the connection was closed without an answer"),
    "nothing": (b"", "the connection was closed without an answer"),
    "half a head": (
        b"HTTP/1.1 200 OK\r\nContent-Ty",
        "the (connection was closed without an answer|answer is .+)",
    ),
    "cut off": (HEAD + b"Content-Length: 10\r\n\r\nhalf", "the answer is cut off"),
    "cut off in a chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhalf", "the answer is cut off"),
    "no last chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "the answer is cut off"),
    "no chunk": (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", r"the answer is not valid HTTP \(.+\)"),
    "two lengths": (
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        r"the answer is not valid HTTP \(.+\)",
    ),
    "a negative length": (HEAD + b"Content-Length: -1\r\n\r\n", r"the answer is not valid HTTP \(.+\)"),
    "one header without an end": (
        lambda _: itertools.chain([HEAD, b"X: "], endless()),
        "the head of the answer is too large",
    ),
    "headers without an end": (
        lambda _: itertools.chain([HEAD], itertools.repeat(b"X-More: 1\r\n" * 100)),
        "the head of the answer is too large",
    ),
    "chunks without an end": (lambda _: chunked(endless()), "the answer is larger than 10 MiB"),
    "a body without an end": (
        lambda _: itertools.chain([HEAD + b"\r\n"], endless()),
        "the answer is larger than 10 MiB",
    ),
    "tiny chunks without an end": (
        lambda _: chunked(itertools.repeat(b"x")),
        "the answer comes in more than 50000 pieces",
    ),
    "a length over the limit": (
        HEAD + b"Content-Length: 99999999999\r\n\r\nxx",
        "the answer is larger than 10 MiB",
    ),
    "a gzip bomb": (
        lambda _: answer(gzip.compress(bytes(200_000_000)), headers={"Content-Encoding": "gzip"}),
        "the answer is larger than 10 MiB",
    ),
    "a brotli bomb": (
        lambda _: answer(brotli.compress(bytes(200_000_000), quality=1), headers={"Content-Encoding": "br"}),
        "the answer is larger than 10 MiB",
    ),
    "empty members without an end": (
        lambda _: itertools.chain(
            [HEAD + b"Content-Encoding: gzip\r\n\r\n"], itertools.repeat(gzip.compress(b"") * 500)
        ),
        "the answer is larger than 10 MiB",
    ),
    "no gzip": (answer("plain", headers={"Content-Encoding": "gzip"}), "the answer can't be decompressed"),
    "half a gzip": (
        answer(gzip.compress(b"x" * 99)[:-4], headers={"Content-Encoding": "gzip"}),
        "the answer is cut off: its compressed text has no end",
    ),
}


@pytest.mark.requirement("web.failed", "web.bombs")
@pytest.mark.parametrize("name", sorted(BROKEN.keys() - LABORIOUS))
def test_malformed_responses_are_explained(fake_network: FakeNetwork, site: Site, name: str) -> None:
    reply, told = BROKEN[name]
    site.serve("/broken", reply)
    site.page("/whole", "whole")
    assert re.fullmatch(told, fake_network.failure(site.url + "/broken"))
    (response,) = fake_network.exchange(site.url + "/whole")
    assert response.body == b"whole"


@pytest.mark.requirement("web.failed")
def test_connection_refused(fake_network: FakeNetwork, site: Site) -> None:
    assert fake_network.failure("http://127.0.0.1:1/") == "connection refused"
    assert fake_network.failure("ftp://127.0.0.1/") == "it is neither http:// nor https://"
    assert fake_network.failure("http://[::1/") == "it is not a URL"


@pytest.mark.requirement("web.request")
def test_request_on_the_wire(fake_network: FakeNetwork, site: Site) -> None:
    site.page("/", "")
    fake_network.exchange(site.url + "/a%2fb?q=%7e|'&x", headers={"accept": "text/x"})
    sent = dict(site.last.headers.items())
    assert site.last.target == "/a%2fb?q=%7e|'&x"
    assert sent == {
        "host": site.url.removeprefix("http://"),
        "user-agent": f"stringd/{__version__}",
        "accept": "text/x",
        "accept-encoding": "gzip, deflate, br",
    }
    fake_network.exchange(site.url + "/", method="POST", body=b"a=1")
    assert (site.last.method, site.last.headers["Content-Length"], site.last.body) == ("POST", "3", b"a=1")


@pytest.mark.requirement("web.request")
def test_credentials_in_an_origin_become_basic_authorization(fake_network: FakeNetwork, site: Site) -> None:
    site.page("/", "")
    fake_network.exchange(site.url.replace("//", "//me%40x:p%20w@") + "/")
    assert site.last.headers["Authorization"] == "Basic bWVAeDpwIHc="


def test_response_fields(fake_network: FakeNetwork, site: Site) -> None:
    headers = [
        ("Set-Cookie", "a=1, 2"),
        ("Set-Cookie", "b=2"),
        ("X-Two", "1"),
        ("X-Two", "2"),
        ("X-Who", "Zoë"),
    ]
    site.serve(
        "/", answer(b"\xff", status="203 Fine", media_type="text/html; charset=Latin-1", headers=headers)
    )
    (response,) = fake_network.exchange(site.url + "/")
    assert (response.status, response.reason, response.body) == (203, "Fine", b"\xff")
    assert (response.charset, response.zone) == ("latin-1", Zone.LOOPBACK)
    assert response.cookies == ("a=1, 2", "b=2")
    assert (response.headers["x-two"], response.headers["x-who"]) == ("1, 2", "Zoë")


def test_a_body_may_end_with_the_connection(fake_network: FakeNetwork, site: Site) -> None:
    site.serve("/", HEAD + b"\r\nall of it")
    site.serve("/old", b"HTTP/1.0 200 OK\r\n\r\nold")
    assert [it.body for it in fake_network.exchange(site.url + "/", site.url + "/old")] == [
        b"all of it",
        b"old",
    ]


def test_large_bodies_in_both_directions(fake_network: FakeNetwork, site: Site) -> None:
    sent, expected = bytes(5_000_000), b"x" * 5_000_000
    site.page("/", expected)
    (response,) = fake_network.exchange(site.url + "/", method="POST", body=sent)
    assert (site.last.body, response.body) == (sent, expected)


@pytest.mark.requirement("web.failed")
def test_a_connection_that_is_reset(fake_network: FakeNetwork) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        resetting = threading.Thread(target=_reset, args=(listener,), daemon=True)
        resetting.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert fake_network.failure(url) == "connection reset by peer"
        resetting.join(10)


def _reset(listener: socket.socket) -> None:
    """Close a connection with unread input, so that the system resets it."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(1)


@pytest.mark.requirement("web.limit")
def test_the_size_limit_is_inclusive(fake_network: FakeNetwork, site: Site) -> None:
    site.serve("/", answer(gzip.compress(bytes(LIMIT)), headers={"Content-Encoding": "gzip"}))
    (response,) = fake_network.exchange(site.url + "/")
    assert len(response.body) == LIMIT
    assert fake_network.failure(site.url + "/", limit=LIMIT - 1) == "the answer is larger than 9 MiB"


@pytest.mark.requirement("web.connections")
def test_a_stale_connection_is_replaced(fake_network: FakeNetwork, site: Site) -> None:
    """The server announces keep-alive, and then closes the connection."""
    site.serve("/", lambda received: [answer("once")] if received.connection < 4 else answer("last"))
    assert [it.body for it in fake_network.exchange(*[site.url + "/"] * 4)] == [b"once"] * 3 + [b"last"]


@pytest.mark.requirement("web.connections")
def test_bytes_after_a_response_are_not_the_next_response(fake_network: FakeNetwork, site: Site) -> None:
    site.serve("/", lambda _: [answer("first").replace(b"Length: 5", b"Length: 3") + answer("forged")])
    site.serve("/next", answer("true"))
    first, *others = fake_network.exchange(*(site.url + it for it in ("/", "/next", "/next")))
    assert first.body == b"fir"
    assert b"true" in {it.body for it in others}


@pytest.mark.requirement("web.slow")
def test_slow_servers_do_not_block_others(site: Site) -> None:
    """Not even others of the same origin."""
    site.page("/slow", "slow")
    site.page("/quick", "quick")

    async def seconds_meanwhile() -> float:
        async with aclosing(SharedHttpClient(0)) as client, asyncio.TaskGroup() as tasks:
            with site.holding("/slow"):
                for _ in range(50):
                    tasks.create_task(client.exchange(get(f"{site.url}/slow"), limit=LIMIT))
                await arrived(site, 50)
                started = time.monotonic()
                await client.exchange(get(f"{site.url}/quick"), limit=LIMIT)
                return time.monotonic() - started

    assert uvloop.run(seconds_meanwhile()) < 5
    assert site.paths.count("/slow") == 50


@pytest.mark.requirement("web.slow")
def test_connections_per_origin_are_limited(site: Site) -> None:
    site.page("/slow", "slow")

    async def all_at_once() -> int:
        async with aclosing(SharedHttpClient(0)) as client, asyncio.TaskGroup() as tasks:
            with site.holding("/slow"):
                for _ in range(MAX_PER_ORIGIN + 9):
                    tasks.create_task(client.exchange(get(f"{site.url}/slow"), limit=LIMIT))
                await arrived(site, MAX_PER_ORIGIN)
                return len(site.received)

    assert uvloop.run(all_at_once()) == MAX_PER_ORIGIN
    assert len(site.received) == MAX_PER_ORIGIN + 9


@pytest.mark.long
@pytest.mark.requirement("web.slow", "web.failed", "web.bombs")
@pytest.mark.parametrize("name", sorted(LABORIOUS))
def test_costly_responses_are_explained_and_do_not_block_the_event_loop(
    fake_network: FakeNetwork, site: Site, name: str
) -> None:
    reply, told = BROKEN[name]
    site.serve("/broken", reply)

    async def longest_pause() -> float:
        async with aclosing(fake_network.client()) as client:
            asking = asyncio.create_task(client.exchange(get(f"{site.url}/broken"), limit=LIMIT))
            longest, last = 0.0, time.thread_time()
            while not asking.done():
                await asyncio.sleep(0)
                longest, last = max(longest, time.thread_time() - last), time.thread_time()
            with pytest.raises(HttpFailed, match=told):
                asking.result()
            return longest

    assert uvloop.run(longest_pause()) < 0.3


async def arrived(site: Site, count: int) -> None:
    async with asyncio.timeout(20):
        while len(site.received) < count:
            await asyncio.sleep(0.01)
