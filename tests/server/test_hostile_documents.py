"""Documents made slow to parse do not delay other topics."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents.kinds import KINDS
from tests.web.server import Site, serving

SIZE = 1_000_000
HOSTILE = {
    "brackets": "[" * SIZE + "]",
    "links": KINDS["links"](SIZE),
    "menus": KINDS["menus in a line"](SIZE),
    "names": KINDS["names"](SIZE),
    "references": KINDS["references"](SIZE),
    "images": KINDS["images"](SIZE),
    "emphasis": KINDS["stars in words"](SIZE),
}
PAGE = "# Page\n\n" + "Some words with a [link](https://x.example/a).\n\n" * 80
# Where all was read in the daemon's threads, none of these was answered for minutes.
PATIENCE = 60.0
MEGABYTES = 1500


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server on this machine."""
    with serving() as running:
        yield running


@pytest.fixture
def busy(start_daemon: Callable[..., DaemonProcess], site: Site) -> DaemonProcess:
    """A daemon in which seven topics are reading for as long as it runs."""
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    for number, (name, text) in enumerate(HOSTILE.items()):
        (daemon.home / f"{name}.md").write_text(text, encoding="utf-8")
        url = site.page(f"/{name}", text, "text/markdown; charset=utf-8")
        cmd = f"/open {url if number % 2 else f'{name}.md'}"
        threading.Thread(target=_sent, args=(daemon, cmd, f"file:{name}"), daemon=True).start()
    _await_reading(daemon)
    return daemon


def _sent(daemon: DaemonProcess, cmd: str, topic: str) -> None:
    try:
        daemon.exec(cmd, topic)
    except (OSError, HTTPException):
        # The test is over.
        return


def _await_reading(daemon: DaemonProcess) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _children(daemon.process.pid):
        assert time.monotonic() < deadline, "nothing is read in a worker process"
        time.sleep(0.05)


@pytest.mark.requirement("documents.apart", "documents.storage")
@pytest.mark.timeout(400)
def test_topic_is_served_beside_seven_slow_parses(busy: DaemonProcess) -> None:
    longest, most = 0.0, 0
    (busy.home / "page.md").write_text(PAGE, encoding="utf-8")
    for number in range(6):
        began = time.monotonic()
        assert busy.exec(f"/write note{number}.md\nwords", "file:honest").head["ok"]
        assert busy.register(f"user{number}", busy.home).status < 300
        assert busy.exec("/open page.md", "file:honest").head["ok"]
        assert busy.exec(f"/edit page.md#page\nwords {number}", "file:honest").head["ok"]
        longest = max(longest, time.monotonic() - began)
        most = max(most, _resident(busy.process.pid))
    assert longest < PATIENCE
    assert most < MEGABYTES * 1024**2


@pytest.mark.long
@pytest.mark.requirement("documents.apart")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("remote", [False, True])
def test_slow_document_is_shown_as_plain_text(daemon: DaemonProcess, site: Site, remote: bool) -> None:
    daemon.register("default", daemon.home)
    text = "a" + "\n" * 9_000_000 + "b"
    (daemon.home / "stars.md").write_text(text, encoding="utf-8")
    target = site.page("/stars", text, "text/markdown; charset=utf-8") if remote else "stars.md"
    reply = daemon.exec(f"/open {target}", "file:main")
    assert reply.head["ok"]
    assert "[!] Shown as plain text, its links and actions are not read: it " in reply.content
    assert daemon.exec("/info", "file:main").head["ok"]


def _resident(pid: int) -> int:
    return sum(_pages(it) for it in (pid, *_children(pid))) * 4096


def _pages(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    direct = [int(it) for it in text.split()]
    return [*direct, *(other for it in direct for other in _children(it))]
