"""Find a Chromium and start it under supervision, with its sandbox where the system allows that."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.processes import MessageSocket, command_line, process_ids, start_supervisor
from stringd_web.browser import supervised_chromium
from stringd_web.browser.chromium_flags import FLAGS, NO_SANDBOX
from stringd_web.browser.devtools import BrowserGone, DevTools
from stringd_web.browser.popups import Popups
from stringd_web.browser.supervised_chromium import ChromiumOptions

log = logging.getLogger(__name__)

START_SECONDS = 10.0
_END_SECONDS = 2.0
_MOST_ATTEMPTS, _PAUSE_SECONDS = 20, 0.05
# The first is the same engine without windows.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")


class Chromium:
    """A running browser; its supervisor ends it when this process closes the control socket or ends."""

    def __init__(
        self, control: MessageSocket, process: subprocess.Popen[bytes], folder: str, devtools: DevTools
    ) -> None:
        self._control = control
        self._process = process
        self._folder = folder
        self._request_lock = asyncio.Lock()
        self._closing: asyncio.Task[None] | None = None
        self.devtools = devtools

    def watch(self) -> None:
        """Close when the supervisor ends."""
        ended = os.pidfd_open(self._process.pid)
        asyncio.get_running_loop().add_reader(ended, self._handle_end, ended)

    async def open_listener(self) -> socket.socket:
        """Return a listening socket in the browser's network, for a proxy that is its way out."""
        async with self._request_lock:
            try:
                return await asyncio.to_thread(self._request_listener)
            except OSError as error:
                raise BrowserGone from error

    async def close(self) -> None:
        """End the browser and remove what belongs to it."""
        self._control.close()
        await self.devtools.close()
        await asyncio.to_thread(self._await_end)

    def _handle_end(self, ended: int) -> None:
        asyncio.get_running_loop().remove_reader(ended)
        os.close(ended)
        self._closing = asyncio.create_task(self.close())

    def _await_end(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        # In case the supervisor was killed or can't keep up.
        _kill_users_of(self._folder)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        _remove(self._folder)

    def _request_listener(self) -> socket.socket:
        self._control.send({})
        answer = self._control.receive()
        if answer is None or not answer.descriptors:
            raise ConnectionError
        return socket.socket(fileno=answer.descriptors[0])


def find_program() -> str:
    """Return the path of a browser; refuse and say how to get one if there is none."""
    if platform.system() != "Linux":
        raise Refusal(ErrorCode.LOAD_ERROR, "--browser needs Linux.")
    named = os.environ.get("STRINGD_BROWSER")
    names = (named,) if named else _NAMES
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise _no_program(named)
    return found


def _no_program(named: str | None) -> Refusal:
    if named:
        return Refusal(ErrorCode.LOAD_ERROR, f"STRINGD_BROWSER names no program: {named}")
    message = "--browser needs Chromium, and none is installed."
    return Refusal(
        ErrorCode.LOAD_ERROR,
        message,
        "On Debian: apt install chromium",
        "One in a place of its own is named by the environment variable STRINGD_BROWSER.",
    )


async def start_chromium() -> Chromium:
    """Start a browser; without its sandbox only where the system forbids that."""
    program = find_program()
    chromium, output = await _attempt(program, ())
    if chromium:
        return chromium
    chromium, output = await _attempt(program, (NO_SANDBOX,))
    if chromium is None:
        raise Refusal(ErrorCode.LOAD_ERROR, f"{program} does not start.", *output.splitlines()[-3:])
    log.warning("%s runs without its sandbox: this system lets it have none", program)
    return chromium


async def _attempt(program: str, flags: tuple[str, ...]) -> tuple[Chromium | None, str]:
    folder = tempfile.mkdtemp(prefix="stringd-browser-")
    command = (program, *FLAGS, *flags, f"--user-data-dir={folder}/profile", "about:blank")
    control, theirs = MessageSocket.pair()
    ours, browsers = socket.socketpair()
    with theirs.socket, browsers:
        options = ChromiumOptions(command=command, devtools=browsers.fileno(), folder=folder)
        process = start_supervisor(supervised_chromium, theirs, options._asdict(), (options.devtools,))
    control.socket.settimeout(START_SECONDS)
    chromium = Chromium(control, process, folder, await DevTools.over(ours))
    try:
        async with asyncio.timeout(START_SECONDS):
            await asyncio.to_thread(control.receive)
            await Popups(chromium.devtools).keep_out()
    except (BrowserGone, TimeoutError, OSError):
        output = await asyncio.to_thread(_last_output, control)
        await chromium.close()
        return None, output
    except BaseException:
        await chromium.close()
        raise
    chromium.watch()
    return chromium, ""


def _kill_users_of(folder: str) -> None:
    """Kill every process whose command line contains the browser's folder."""
    for pid in process_ids():
        with contextlib.suppress(OSError):
            if folder.encode() in command_line(pid):
                os.kill(pid, signal.SIGKILL)


def _remove(folder: str) -> None:
    """Remove a folder that an ending process may still write to."""
    for _ in range(_MOST_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            return
        time.sleep(_PAUSE_SECONDS)


def _last_output(control: MessageSocket) -> str:
    try:
        message = control.receive()
    except (OSError, ValueError):
        return ""
    return str(message.fields.get("output", "")) if message else ""
