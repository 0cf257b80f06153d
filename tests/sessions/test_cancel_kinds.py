"""Every kind of work can be cancelled within two seconds without leftovers, and the topic continues."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.actions.acting import act
from tests.apps.brought import write_brought
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import eventually, running, waiting, within
from tests.web.chromium_pages import needs_chromium
from tests.web.process_families import family

# The specified limit is two seconds; programs that end may lack a processor.
PATIENCE = 3.0
CANCELLED = "ERROR(CANCELLED): The command was cancelled."
PLUGIN = """
import asyncio
from stringd.plugin import *

async def holding(invocation):
    path = (invocation.session.user.home / "locked.md").resolve()
    async with invocation.runtime.editing(path):
        await asyncio.sleep(60)

@hookimpl
def stringd_commands():
    return [Command(name="holding", summary="Hold a lock.", usage="", run=holding)]
"""
ACTIONS = '''
import asyncio

async def deaf() -> str:
    """Ignore cancellation."""
    for _ in range(900):
        try:
            await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            pass
    return "done after all"

async def polite() -> str:
    """Wait."""
    await asyncio.sleep(60)
    return "done"

ACTIONS = (deaf, polite)
'''


class Trickle:
    """A server that never answers, answers a line of the head now and then, or a piece of the body."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self.connections = 0
        self.open = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self) -> None:
        self._over.set()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with self._lock:
            self.connections += 1
            self.open += 1
        with connection, suppress(OSError):
            self._answer(connection)
        with self._lock:
            self.open -= 1

    def _answer(self, connection: socket.socket) -> None:
        """Send what the path requests until the client disconnects."""
        asked = connection.recv(65536)
        path = asked.split(b" ")[1]
        connection.settimeout(0.05)
        if path.startswith(b"/deaf"):
            self._over.wait(60)
            return
        if path != b"/silent":
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
        if path.startswith(b"/body"):
            kind = b"text/markdown" if path.endswith(b".md") else b"text/html"
            connection.sendall(b"Content-Type: " + kind + b"\r\nContent-Length: 1000000\r\n\r\n")
        while not self._over.is_set():
            with suppress(TimeoutError):
                if not connection.recv(65536):
                    return
            if path != b"/silent":
                connection.sendall(b"X-More: 1\r\n" if path == b"/head" else b"<p>more\n")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon for all tests of this module."""
    folder = tmp_path_factory.mktemp("kinds")
    plugin = folder / "holding.py"
    plugin.write_text(PLUGIN, encoding="utf-8")
    apps = write_brought(folder / "apps", ACTIONS)
    (apps / "sums" / "templates" / "add.md.j2").unlink()
    page = apps / "sums" / "string.md"
    page.write_text(page.read_text(encoding="utf-8").replace("requires: [KEY]\n", ""), encoding="utf-8")
    arguments = ("--plugins", f"{plugin},sums")
    daemon = DaemonProcess(folder, arguments, {"PYTHONPATH": str(apps)}, port=0, data_dir=None)
    daemon.start()
    daemon.register("default", daemon.home)
    daemon.home.mkdir(exist_ok=True)
    yield daemon
    daemon.stop()


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    return f"web:t{abs(hash(request.node.nodeid))}"


@pytest.fixture
def slow() -> Iterator[Trickle]:
    server = Trickle()
    yield server
    server.close()


@contextmanager
def sent(daemon: DaemonProcess, topic: str, cmd: str) -> Iterator[Future[Events]]:
    """Send a slow command, and continue once it runs."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(daemon.exec, cmd, topic)
        running(daemon, topic)
        yield answer


def cancel(daemon: DaemonProcess, topic: str, answer: Future[Events], expected: str = CANCELLED) -> None:
    """Cancel the running command while another is queued; expect one reply in time, then run the other."""
    with ThreadPoolExecutor(1) as pool:
        queued = pool.submit(daemon.exec, '/set {queued} = "ran"', topic)
        waiting(daemon, 1, topic)
        with within(PATIENCE, daemon):
            reply = daemon.exec("/cancel", topic)
        assert reply.content.startswith("re: /cancel\nCancelled: "), reply.content
        events = answer.result(20)
        assert events.names == ["head", "content", "done"]
        assert events.head["code"] == "CANCELLED"
        assert events.content.partition("\n")[2] == expected
        assert queued.result(10).head["ok"]
    assert '{queued} = "ran"' in daemon.exec("/set", topic).content


def nothing_computes(daemon: DaemonProcess) -> None:
    """Wait until no child computes: one that starts in place of a killed one does so for a moment."""
    eventually(lambda: not busy_children(daemon), within=PATIENCE)


def busy_children(daemon: DaemonProcess) -> list[str]:
    """The processes of the daemon that compute."""
    before = {pid: cpu_seconds(pid) for pid in family(daemon.process.pid)}
    time.sleep(0.3)
    return [
        it for pid, it in family(daemon.process.pid).items() if cpu_seconds(pid) - before.get(pid, 0) > 0.1
    ]


def cpu_seconds(pid: int) -> float:
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)
    return 0.0


@pytest.mark.requirement("activity.cancel.command", "activity.cancel.gone", "activity.cancel.queue")
@pytest.mark.parametrize(
    "command",
    [
        "sleep SECONDS",
        "sleep SECONDS & wait",
        "trap '' INT TERM HUP; while :; do sleep SECONDS; done",
        "setsid -w sleep SECONDS; echo REST",
        "bash -c 'setsid -w bash -c \"sleep SECONDS; true\"; true' | cat",
    ],
)
def test_a_shell_command(command: str, shared: DaemonProcess, topic: str) -> None:
    seconds = unique_seconds()
    with sent(shared, topic, f"/exec {command.replace('SECONDS', seconds)}") as answer:
        eventually(lambda: running_with(seconds))
        cancel(shared, topic, answer)
        # What has been killed may take a moment to be gone.
        eventually(lambda: not running_with(seconds), within=PATIENCE)


@pytest.mark.requirement("activity.cancel.gone")
def test_a_shell_command_as_it_starts(shared: DaemonProcess) -> None:
    """No process continues, at whatever point the command was."""
    seconds = unique_seconds()
    for number in range(20):
        name = f"file:starting-{number}"
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(shared.exec, f"/exec sleep {seconds} & sleep {seconds}", name)
            time.sleep(number * 0.002)
            eventually(partial(http_cancel, shared, name))
            assert answer.result(20).head["code"] == "CANCELLED"
    eventually(lambda: not running_with(seconds), within=PATIENCE)


def http_cancel(daemon: DaemonProcess, topic: str) -> bool:
    reply = daemon.request("POST", "/cancel", {"topic": topic}, {"X-User-Id": "default"})
    cancelled: bool = reply.json()["cancelled"]
    return cancelled


@pytest.mark.requirement("activity.cancel.gone")
def test_an_action_with_a_command_line(shared: DaemonProcess, topic: str) -> None:
    seconds = unique_seconds()
    (shared.home / "cli.md").write_text(f"# Page\n\n{act('nap', f'CLI sleep {seconds}')}\n", encoding="utf-8")
    assert shared.exec("/open ~/cli.md", topic).head["ok"]
    with sent(shared, topic, "/act nap") as answer:
        eventually(lambda: running_with(seconds))
        cancel(shared, topic, answer)
        eventually(lambda: not running_with(seconds), within=PATIENCE)
    assert "nap" in shared.exec("/source", topic).content


@pytest.mark.requirement("activity.cancel.gone")
@pytest.mark.parametrize("path", ["/silent", "/head", "/body"])
def test_an_action_over_http(path: str, shared: DaemonProcess, topic: str, slow: Trickle) -> None:
    (shared.home / "http.md").write_text(
        f"# Page\n\n{act('ask', f'GET {slow.url}{path}')}\n", encoding="utf-8"
    )
    assert shared.exec("/open ~/http.md", topic).head["ok"]
    with sent(shared, topic, "/act ask") as answer:
        eventually(lambda: slow.connections)
        cancel(shared, topic, answer)
        eventually(lambda: not slow.open, within=PATIENCE)


@pytest.mark.requirement("activity.cancel.gone")
def test_an_upload_that_nobody_reads(shared: DaemonProcess, topic: str, slow: Trickle) -> None:
    (shared.home / "large.bin").write_bytes(b"x" * 9_000_000)
    body = '    {"data": "{file|base64file}"}'
    action = act("put", f"POST {slow.url}/deaf", "  body:", body, "  file: path (required)")
    (shared.home / "put.md").write_text(f"# Page\n\n{action}\n", encoding="utf-8")
    opened = shared.exec("/open ~/put.md", topic)
    assert opened.head["ok"], opened.content
    with sent(shared, topic, "/act put --file ~/large.bin") as answer:
        eventually(lambda: slow.connections)
        cancel(shared, topic, answer)
    eventually(lambda: not connections_to(shared, slow), within=PATIENCE)


def connections_to(daemon: DaemonProcess, server: Trickle) -> list[str]:
    """The established connections to a server, as the kernel lists them."""
    port = f":{int(server.url.rpartition(':')[2]):04X}"
    lines = [it.split() for it in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return [it[1] for it in lines if it[2].endswith(port) and it[3] == "01"]


@pytest.mark.requirement("activity.cancel.gone", "activity.cancel.state")
@pytest.mark.parametrize("path", ["/silent", "/head", "/body", "/body.md"])
def test_a_page_that_trickles(path: str, shared: DaemonProcess, topic: str, slow: Trickle) -> None:
    (shared.home / "start.md").write_text("# Start\n", encoding="utf-8")
    assert shared.exec("/open ~/start.md", topic).head["ok"]
    with sent(shared, topic, f"/open {slow.url}{path}") as answer:
        eventually(lambda: slow.connections)
        cancel(shared, topic, answer)
        eventually(lambda: not slow.open, within=PATIENCE)
    assert shared.exec("/info", topic).head["meta"]["uri"].endswith("/start.md")


@needs_chromium
@pytest.mark.requirement("activity.cancel.gone")
@pytest.mark.timeout(120)
@pytest.mark.parametrize("path", ["/silent", "/body"])
def test_a_page_in_the_browser(path: str, shared: DaemonProcess, topic: str, slow: Trickle) -> None:
    with sent(shared, topic, f"/open {slow.url}{path} --browser") as answer:
        eventually(lambda: slow.connections, within=60)
        cancel(shared, topic, answer)
        eventually(lambda: not slow.open, within=PATIENCE)
    tabs = [it for it in family(shared.process.pid).values() if slow.url in it]
    assert tabs == []


@pytest.mark.long
@pytest.mark.requirement("activity.cancel.gone")
@pytest.mark.timeout(120)
@needs_chromium
def test_the_browser_as_it_starts(start_daemon: Callable[..., DaemonProcess], slow: Trickle) -> None:
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    with sent(daemon, "web:b", f"/open {slow.url}/silent --browser") as answer:
        eventually(lambda: family(daemon.process.pid))
        cancel(daemon, "web:b", answer)
    with sent(daemon, "web:b", f"/open {slow.url}/silent --browser") as answer:
        eventually(lambda: slow.connections, within=60)
        cancel(daemon, "web:b", answer)


@pytest.mark.requirement("activity.cancel.gone")
def test_a_template_that_computes(shared: DaemonProcess, topic: str, slow: Trickle) -> None:
    loop = "{% for i in range(90000) %}{% set y = (x * 99) | upper | reverse | list %}{% endfor %}"
    template = f"{{% set x = 'ab' * 2000 %}}{loop}"
    page = f"{act('make', 'CLI echo {}')}\n\n{act('make.response.j2', template)}"
    (shared.home / "template.md").write_text(f"# Page\n\n{page}\n", encoding="utf-8")
    assert shared.exec("/open ~/template.md", topic).head["ok"]
    with sent(shared, topic, "/act make") as answer:
        eventually(lambda: busy_children(shared))
        cancel(shared, topic, answer)
    nothing_computes(shared)


@pytest.mark.requirement("activity.cancel.gone")
def test_a_large_document(shared: DaemonProcess, topic: str) -> None:
    text = "".join(
        f"# Head {n}\n\n- *a* [b](c{n}.md) `d` | e | f\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n"
        for n in range(60_000)
    )
    (shared.home / "large.md").write_text(text, encoding="utf-8")
    with sent(shared, topic, "/open ~/large.md") as answer:
        eventually(lambda: busy_children(shared))
        cancel(shared, topic, answer)
    nothing_computes(shared)


@pytest.mark.requirement("activity.cancel.gone")
def test_a_search(shared: DaemonProcess, topic: str) -> None:
    """A thread can't be stopped, but nobody waits for it; what it searches is bounded."""
    (shared.home / "words.md").write_text("# Words\n\n" + "aab " * 400_000, encoding="utf-8")
    assert shared.exec("/open ~/words.md", topic).head["ok"]
    for delay in (0, 0.002, 0.01, 0.05):
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(shared.exec, "/find aab", topic)
            time.sleep(delay)
            http_cancel(shared, topic)
            assert answer.result(20).head["code"] in {None, "CANCELLED"}
    assert shared.exec("/find nothing", topic).head["ok"]


@pytest.mark.requirement("activity.cancel.gone", "find.files.regex")
def test_an_expression_that_backtracks_for_ever(shared: DaemonProcess, topic: str) -> None:
    (shared.home / "long.txt").write_text("x" * 5000, encoding="utf-8")
    with sent(shared, topic, r"/find --regex (x+x+)+y|\<z ~/long.txt") as answer:
        eventually(lambda: busy_children(shared))
        assert shared.exec("/help", "file:other").head["ok"]
        cancel(shared, topic, answer)
    nothing_computes(shared)


@pytest.mark.requirement("activity.cancel.gone")
def test_a_download_of_an_app(shared: DaemonProcess, topic: str, slow: Trickle) -> None:
    with sent(shared, topic, f"/install {slow.url}/body.md") as answer:
        eventually(lambda: slow.connections)
        cancel(shared, topic, answer)
        eventually(lambda: not slow.open, within=PATIENCE)
    packages = shared.home / "packages"
    assert not packages.exists() or list(packages.iterdir()) == []


@pytest.mark.requirement("activity.cancel.gone")
def test_an_action_in_python(shared: DaemonProcess) -> None:
    assert shared.exec("/open app:sums", "app:sums").head["ok"]
    with sent(shared, "app:sums", "/act polite") as answer:
        cancel(shared, "app:sums", answer)


@pytest.mark.long
@pytest.mark.requirement("activity.cancel.abandoned")
def test_an_action_in_python_that_ignores_it(shared: DaemonProcess) -> None:
    with sent(shared, "app:sums", "/act deaf") as answer:
        assert http_cancel(shared, "app:sums")
        assert answer.result(20).content.partition("\n")[2] == (
            f"{CANCELLED}\nIt did not end within 5 s and may still be running."
        )
    assert shared.exec("/info", "app:sums").head["ok"]


@pytest.mark.requirement("activity.cancel.edits")
def test_an_edit_that_waits_for_a_lock(shared: DaemonProcess, topic: str) -> None:
    file = shared.home / "locked.md"
    file.write_text("# Old\n", encoding="utf-8")
    with sent(shared, "file:holder", "/holding") as holder:
        with sent(shared, topic, "/write ~/locked.md --force\n# New") as answer:
            cancel(shared, topic, answer)
        assert file.read_text(encoding="utf-8") == "# Old\n"
        assert not holder.done()
        cancel(shared, "file:holder", holder)
    assert shared.exec("/write ~/locked.md --force\n# New", topic).head["ok"]
    assert shared.exec("/undo", topic).head["ok"]
    assert file.read_text(encoding="utf-8") == "# Old\n"
