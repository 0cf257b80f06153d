"""Commands on large documents: other topics are not blocked, and concurrent changes are not lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.commands.test_editing import content, put, text_of

SECTIONS = "".join(
    f"## Part {number}\n\n*some* [text](u{number}.md) and `more`\n\n" for number in range(12_000)
)
LARGE = f"{SECTIONS}## z\n\nlast\n"


@contextmanager
def appending(path: Path) -> Iterator[list[str]]:
    """Let something else add lines to a file, one every few milliseconds, and tell which."""
    added: list[str] = []
    is_over = threading.Event()

    def append() -> None:
        while not is_over.wait(0.005):
            added.append(f"line {len(added)}")
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{added[-1]}\n")

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(append)
        try:
            yield added
        finally:
            is_over.set()
            running.result()


@pytest.mark.long
def test_concurrent_change_during_an_edit_is_a_conflict(daemon: DaemonProcess) -> None:
    path = put(daemon, "big.md", LARGE)
    with appending(path) as added:
        reply = daemon.exec("/edit big.md#z --force\nnew")
    assert reply.head["code"] == "CONFLICT"
    assert text_of(daemon, "big.md") == LARGE + "".join(f"{line}\n" for line in added)
    assert content(daemon, "/edit big.md#z --force\nnew") == "Edited big.md#z (1 line)"
    assert content(daemon, "/undo").startswith("Undo: reverted big.md")


MENU = "".join(f"- [@e{number} Entry](d{number % 7}/u{number}.md)\n" for number in range(10_000))
PAGES = {
    "page.md": "[!include:big]()\n",
    "page.source/big.md": LARGE,
    "menu.md": MENU,
    "with.md": "[!nav:main](menu.md)\n",
}
# The largest share of a command's time for which anybody else may wait.
MOST = 0.5


def longest_wait(daemon: DaemonProcess, command: str) -> float:
    """Return the longest wait of others during a command, as a share of the command's time.

    The daemon has sent a stream before: what the first one imports is not what is measured.
    """
    daemon.exec("/exec sleep 0.5")
    waits = []
    with ThreadPoolExecutor(1) as thread:
        running, start = thread.submit(daemon.exec, command), time.monotonic()
        while not running.done():
            asked = time.monotonic()
            assert daemon.request("GET", "/health").status == 200
            waits.append(time.monotonic() - asked)
        assert running.result().head["ok"]
    return max(waits) / (time.monotonic() - start)


@pytest.mark.long
@pytest.mark.parametrize(
    "command", ["/open page.md", "/verify page.source/big.md#z", "/edit page.source/big.md#z"]
)
def test_large_file_does_not_block_other_topics(own_daemon: DaemonProcess, command: str) -> None:
    """Needs a daemon of its own, since a used one may have cached the files."""
    for name, text in PAGES.items():
        put(own_daemon, name, text)
    assert longest_wait(own_daemon, command) < MOST


@pytest.mark.long
def test_large_menu_does_not_block_other_topics(daemon: DaemonProcess) -> None:
    for name, text in PAGES.items():
        put(daemon, name, text)
    assert longest_wait(daemon, "/open with.md") < MOST
    assert longest_wait(daemon, "/nav main") < MOST
