"""The web loader in a running daemon: isolation of topics, bounded memory, no blocking."""

from __future__ import annotations

import gzip
import itertools
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import brotli
import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act, running_daemon
from tests.web.server import Reply, Site, answer, chunked, redirect

PLUGIN = Path(__file__).parent / "plain.py"
PROBE = "text/x-probe"
MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that shows pages as they came."""
    plugins = write_distribution(
        tmp_path_factory.mktemp("plain"),
        "stringd-plain",
        "1.0",
        {"stringd.plugins": {"plain": "stringd_plain"}},
        {"stringd_plain": PLUGIN.read_text(encoding="utf-8")},
    )
    with running_daemon(tmp_path_factory.mktemp("shared"), PYTHONPATH=str(plugins)) as running:
        yield running


def gzip_bomb() -> Reply:
    return answer(gzip.compress(bytes(150 * MEBIBYTE), 6), headers={"Content-Encoding": "gzip"})


def brotli_bomb() -> Reply:
    return answer(brotli.compress(bytes(150 * MEBIBYTE), quality=1), headers={"Content-Encoding": "br"})


def endless_body() -> Reply:
    return lambda _: chunked(itertools.repeat(b"x" * 65536))


def endless_head() -> Reply:
    return lambda _: itertools.chain([b"HTTP/1.1 200 OK\r\n"], itertools.repeat(b"X: 1\r\n" * 999))


BOMBS = {it.__name__: it for it in (gzip_bomb, brotli_bomb, endless_body, endless_head)}


def shown(stage: Stage, cmd: str) -> str:
    """The page alone, without system line and heading."""
    return stage.send(cmd).partition("\n\n")[2]


@pytest.mark.requirement("web.redirects", "web.url")
def test_typed_url_is_echoed_and_final_url_opened(stage: Stage, site: Site) -> None:
    site.serve("/start", redirect("/end page"))
    site.page("/end%20page", "The end.", PROBE)
    assert stage.send(f"/open {site.url}/start") == (
        f"Opened {site.url}/start\n---\n{site.url}/end%20page LOOPBACK\n\nThe end."
    )
    meta = stage.meta()
    assert meta
    assert meta["uri"] == f"{site.url}/end%20page"
    assert shown(stage, "/open end page") == "The end."


@pytest.mark.requirement("web.close", "web.cookies.topic", "web.cache.refresh")
def test_cookies_and_cache_last_until_close(stage: Stage, site: Site) -> None:
    headers = {"Set-Cookie": "id=7", "Cache-Control": "max-age=60"}
    site.serve("/", lambda _: answer(f"{len(site.received)}", media_type=PROBE, headers=headers))
    other = Stage(daemon=stage.daemon, topic=f"{stage.topic}-other")
    opened = f"/open {site.url}/"
    commands = (opened, opened, "/refresh", opened)
    assert [shown(stage, it) for it in commands] == ["1", "1", "2", "2"]
    assert shown(other, opened) == "3"
    stage.send("/close")
    assert shown(stage, opened) == "4"
    assert [it.headers["Cookie"] for it in site.received] == [None, "id=7", None, None]


@pytest.mark.requirement("web.not_found", "web.failed")
def test_refusals_do_not_navigate(stage: Stage, site: Site) -> None:
    site.page("/", "Here.", PROBE)
    site.serve("/broken", b"garbage\r\n\r\n")
    stage.send(f"/open {site.url}/")
    assert stage.send("/open none") == f"ERROR(NOT_FOUND): Not found: {site.url}/none"
    assert stage.send("/open broken").startswith("ERROR(LOAD_ERROR): The answer is not valid HTTP")
    assert stage.send("/open ftp://127.0.0.1/").startswith("ERROR(INVALID_TARGET): ")
    assert shown(stage, "/refresh") == "Here."


@pytest.mark.requirement("web.own_port")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "0", "[::ffff:127.0.0.1]"])
def test_daemon_urls_are_refused(stage: Stage, site: Site, host: str) -> None:
    own = f"http://{host}:{stage.daemon.port}/status"
    assert stage.send(f"/open {own}").startswith("ERROR(NOT_TRUSTED): ")
    site.serve("/to", redirect(own))
    assert stage.code(f"/open {site.url}/to") == "NOT_TRUSTED"
    stage.write(f"# Page\n\n{act('x', f'GET {own}')}\n{act('y', f'GET {site.url}/to')}\n")
    stage.send("/open ~/page.md")
    assert [stage.code(it) for it in ("/act.x", "/act.y")] == ["NOT_TRUSTED"] * 2


@pytest.mark.requirement("web.slow")
def test_fifty_slow_topics_do_not_delay_others(stage: Stage, site: Site) -> None:
    site.page("/slow", "Slow.", PROBE)
    site.page("/quick", "Quick.", PROBE)
    slow = [Stage(daemon=stage.daemon, topic=f"{stage.topic}-{number}") for number in range(50)]
    with ThreadPoolExecutor(50) as threads:
        with site.holding("/slow"):
            answers = [threads.submit(it.send, f"/open {site.url}/slow") for it in slow]
            await_requests(site, 50)
            started = time.monotonic()
            assert shown(stage, f"/open {site.url}/quick") == "Quick."
            assert stage.code("/info") is None
            assert time.monotonic() - started < 3
        assert {it.result(30).partition("\n\n")[2] for it in answers} == {"Slow."}


@pytest.mark.requirement("web.bombs")
@pytest.mark.parametrize("name", BOMBS)
def test_large_page_does_not_fill_memory(stage: Stage, site: Site, name: str) -> None:
    site.serve("/bomb", BOMBS[name]())
    site.page("/fine", "Fine.", PROBE)
    shown(stage, f"/open {site.url}/fine")
    before = peak(stage.daemon)
    for _ in range(3):
        assert stage.code(f"/open {site.url}/bomb") == "LOAD_ERROR"
    assert peak(stage.daemon) - before < 60 * MEBIBYTE
    assert shown(stage, f"/open {site.url}/fine") == "Fine."


@pytest.mark.long
@pytest.mark.requirement("web.cache.bounded")
def test_memory_does_not_grow_with_pages(stage: Stage, site: Site) -> None:
    body = "A page of one line. " * 3000
    for number in range(300):
        site.page(f"/{number}", f"{number}\n\n{body}", PROBE, ETag=f'"{number}"', Cache_Control="max-age=60")
    for number in range(150):
        stage.send(f"/open {site.url}/{number}")
    before = resident(stage.daemon)
    for number in range(150, 300):
        stage.send(f"/open {site.url}/{number}")
    assert resident(stage.daemon) - before < 12 * MEBIBYTE
    assert len(site.received) == 300


def await_requests(site: Site, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(site.received) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(site.received) == count


def peak(daemon: DaemonProcess) -> int:
    """The most memory that the daemon has ever held, in bytes."""
    return memory(daemon, "VmHWM")


def resident(daemon: DaemonProcess) -> int:
    """The memory that the daemon holds, in bytes."""
    return memory(daemon, "VmRSS")


def memory(daemon: DaemonProcess, name: str) -> int:
    status = Path(f"/proc/{daemon.process.pid}/status")
    if not status.exists():
        pytest.skip("this system has no /proc")
    lines = status.read_text(encoding="utf-8").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
