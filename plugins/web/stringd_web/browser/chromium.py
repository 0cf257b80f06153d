"""Starting a Chromium: which one, with what flags, and under whose supervision."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from stringd.plugin import Refusal
from stringd.plugin.processes import DESCRIPTORS
from stringd_web.browser.chromium_flags import FLAGS, NO_SANDBOX
from stringd_web.browser.devtools import BrowserGone, DevTools
from stringd_web.browser.popups import Popups
from stringd_web.browser.supervisor import Order

log = logging.getLogger(__name__)

START_SECONDS = 10.0
_END_SECONDS = 2.0
_MOST_ATTEMPTS, _PAUSE_SECONDS = 20, 0.05
_LONGEST_WORDS = 65536
# The first is the same engine without a window to draw.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
_SUPERVISOR = "import sys; sys.path[:] = {path!r}; from stringd_web.browser.supervisor import main; main()"


class Chromium:
    """A running browser; its supervisor ends it when told to, and when this process ends."""

    def __init__(
        self, control: socket.socket, process: subprocess.Popen[bytes], folder: str, devtools: DevTools
    ) -> None:
        self._control = control
        self._process = process
        self._folder = folder
        self._one_at_a_time = asyncio.Lock()
        self._ending: asyncio.Task[None] | None = None
        self.devtools = devtools

    def watch(self) -> None:
        """Close by itself when the supervisor ends."""
        life = os.pidfd_open(self._process.pid)
        asyncio.get_running_loop().add_reader(life, self._take_leave, life)

    async def way_out(self) -> socket.socket:
        """Return a listening socket that the browser can reach; in a network of its own, nobody else can."""
        async with self._one_at_a_time:
            try:
                return await asyncio.to_thread(self._ask_for_listener)
            except OSError as error:
                raise BrowserGone from error

    async def close(self) -> None:
        """End it and all that belongs to it."""
        self._control.close()
        await self.devtools.close()
        await asyncio.to_thread(self._await_end)

    def _take_leave(self, life: int) -> None:
        asyncio.get_running_loop().remove_reader(life)
        os.close(life)
        self._ending = asyncio.create_task(self.close())

    def _await_end(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        # What follows is for a supervisor that was killed, or can't keep up.
        _kill_users_of(self._folder)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        _remove(self._folder)

    def _ask_for_listener(self) -> socket.socket:
        self._control.sendall(b"+")
        _, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        if not descriptors:
            raise ConnectionError
        return socket.socket(fileno=descriptors[0])


def find_program() -> str:
    """Return the path of the browser, or refuse and say how to get one."""
    if platform.system() != "Linux":
        raise Refusal("LOAD_ERROR", "--browser needs Linux.")
    named = os.environ.get("STRINGD_BROWSER")
    names = (named,) if named else _NAMES
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise _no_program(named)
    return found


def _no_program(named: str | None) -> Refusal:
    if named:
        return Refusal("LOAD_ERROR", f"STRINGD_BROWSER names no program: {named}")
    message = "--browser needs Chromium, and none is installed."
    return Refusal(
        "LOAD_ERROR",
        message,
        "On Debian: apt install chromium",
        "One in a place of its own is named by the environment variable STRINGD_BROWSER.",
    )


async def start_chromium() -> Chromium:
    """Start a browser in its sandbox, and without only where that can't be had."""
    program = find_program()
    chromium, said = await _attempt(program, ())
    if chromium:
        return chromium
    chromium, said = await _attempt(program, (NO_SANDBOX,))
    if chromium is None:
        raise Refusal("LOAD_ERROR", f"{program} does not start.", *said.splitlines()[-3:])
    log.warning("%s runs without its sandbox: this system lets it have none", program)
    return chromium


async def _attempt(program: str, more: tuple[str, ...]) -> tuple[Chromium | None, str]:
    folder = tempfile.mkdtemp(prefix="stringd-browser-")
    command = (program, *FLAGS, *more, f"--user-data-dir={folder}/profile", "about:blank")
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours, browsers = socket.socketpair()
    with theirs, browsers:
        order = Order(command=command, devtools=browsers.fileno(), folder=folder)
        process = _supervise(order, theirs)
    control.settimeout(START_SECONDS)
    chromium = Chromium(control, process, folder, await DevTools.over(ours))
    try:
        async with asyncio.timeout(START_SECONDS):
            await asyncio.to_thread(control.recv, _LONGEST_WORDS)
            await Popups(chromium.devtools).keep_out()
    except (BrowserGone, TimeoutError, OSError):
        said = await asyncio.to_thread(_last_words, control)
        await chromium.close()
        return None, said
    except BaseException:
        await chromium.close()
        raise
    chromium.watch()
    return chromium, ""


def _supervise(order: Order, control: socket.socket) -> subprocess.Popen[bytes]:
    path = [entry for entry in sys.path if entry]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _SUPERVISOR.format(path=path), json.dumps(asdict(order))],
        stdin=control.fileno(),
        stdout=subprocess.DEVNULL,
        pass_fds=(order.devtools,),
        start_new_session=True,
        preexec_fn=DESCRIPTORS.restore,
    )


def _kill_users_of(folder: str) -> None:
    """Kill every program that was started with a folder in its command line, which is the browser's own."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if folder.encode() in (entry / "cmdline").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)


def _remove(folder: str) -> None:
    """Remove a folder into which somebody may write with their last breath."""
    for _ in range(_MOST_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            return
        time.sleep(_PAUSE_SECONDS)


def _last_words(control: socket.socket) -> str:
    try:
        return str(json.loads(control.recv(_LONGEST_WORDS))["said"])
    except (OSError, ValueError, KeyError):
        return ""
