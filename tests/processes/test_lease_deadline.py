"""At the deadline for programs, all of them end, even if the daemon is stopped or gone."""

from __future__ import annotations

import json
import os
import select
import shlex
import shutil
import signal
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from stringd.processes.lease_deadline import LeaseDeadline
from stringd.testing.process import DaemonProcess
from tests.approval.daemons import ALLOW_ALL, connect, write_policy
from tests.approval.requests import line
from tests.processes.leased_daemon import (
    NO_DEADLINE,
    NOT_RENEWED,
    Heart,
    LeasedDaemon,
    await_that,
    boottime,
)

LEASE_SECONDS = 1.0
# A successor takes over a tenth of the lease after the deadline. Other tests may keep the processors busy.
LATE_SECONDS, BUSY_SECONDS = 0.3, 2.0
SILENCE_SECONDS = 0.5
SHELLS, TOGETHER_SECONDS = 100, 0.1
ACTION = """
```act.beat
CLI {command}
```
"""


@pytest.fixture
def leased(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> LeasedDaemon:
    """A daemon without a deadline so far."""
    return LeasedDaemon(start_daemon, tmp_path)


@pytest.fixture
def heart(tmp_path: Path) -> Heart:
    """A heart."""
    return Heart(tmp_path / "beats")


def ask(daemon: DaemonProcess, path: str, body: object) -> socket.socket:
    """Send a request whose answer is not read."""
    text = json.dumps(body)
    asking = socket.create_connection(("127.0.0.1", daemon.port))
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nX-User-Id: default\r\n"
    asking.sendall(
        f"{head}Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()
    )
    return asking


def begin(daemon: DaemonProcess, topic: str, command: str) -> socket.socket:
    """Run a command whose reply is not awaited."""
    return ask(daemon, "/exec", {"topic": topic, "cmd": command})


def closing_all(request: pytest.FixtureRequest, sockets: Sequence[socket.socket]) -> None:
    """Close sockets at the end of a test."""
    for it in sockets:
        request.addfinalizer(it.close)


def shell_of(daemon: DaemonProcess, topic: str = "bash:main") -> int:
    """Return the process id of a topic's shell."""
    return int(daemon.exec("echo $$", topic).content.splitlines()[-1])


def on_idle_machines(seconds: float) -> float:
    """Return a time that holds if nothing else needs the processors, or else a longer one."""
    return seconds if os.getloadavg()[0] < 1 else BUSY_SECONDS


def assert_silent_after(deadline: float, hearts: Sequence[Heart]) -> None:
    """Wait until a while after the deadline, and check that nothing beats any more."""
    latest = deadline + on_idle_machines(LATE_SECONDS)
    time.sleep(max(0.0, latest - boottime()))
    counts = [len(it.beats()) for it in hearts]
    time.sleep(SILENCE_SECONDS)
    assert [len(it.beats()) for it in hearts] == counts
    assert max(max(it.beats()) for it in hearts) < latest
    # They did run until then, or shortly before, as a busy machine lets them.
    assert all(counts)


@pytest.mark.requirement("deadman.stopped", "deadman.family")
def test_all_programs_of_a_stopped_daemon_end_at_the_deadline(
    leased: LeasedDaemon, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    daemon = leased.daemon
    write_policy(daemon.data_dir, ALLOW_ALL)
    leased.lease(30)
    hearts = [
        Heart(tmp_path / name) for name in ("shell", "job", "orphan", "exec", "left", "cli", "mcp", "stage")
    ]
    shell, job, orphan, one_shot, left, cli, mcp, stage = hearts
    (daemon.home / "page.md").write_text(ACTION.format(command=cli.script), encoding="utf-8")
    assert daemon.exec(f"({job.command}) &", "bash:main").head["ok"]
    assert daemon.exec(f"(setsid {orphan.script} & )", "bash:main").head["ok"]
    assert daemon.exec(f"/exec setsid {left.script} > /dev/null & sleep 0.2", "file:main").head["ok"]
    assert daemon.exec("/open page.md", "file:cli").head["ok"]
    unread = [
        begin(daemon, "bash:main", shell.command),
        begin(daemon, "file:exec", f"/exec {one_shot.command}"),
        begin(daemon, "file:cli", "/act.beat --"),
        begin(daemon, "file:mcp", f"/install mcp --as beating -- {mcp.script}"),
        connect(daemon),
    ]
    closing_all(request, unread)
    unread[-1].sendall(line(["bash", "-c", stage.command], privileged=False))
    for heart in hearts:
        heart.await_beats()
    leased.renew(LEASE_SECONDS)
    await_that(lambda: leased.deadline() < boottime() + 2 * LEASE_SECONDS)
    assert_silent_after(leased.stop(), hearts)
    leased.signal(signal.SIGCONT)


@pytest.mark.requirement("deadman.gone")
def test_programs_end_with_a_killed_daemon_or_at_the_deadline(leased: LeasedDaemon, tmp_path: Path) -> None:
    leased.lease(LEASE_SECONDS)
    hearts = [Heart(tmp_path / "shell"), Heart(tmp_path / "left")]
    assert leased.daemon.exec(f"({hearts[0].command}) &", "bash:main").head["ok"]
    left = f"/exec setsid {hearts[1].script} > /dev/null & sleep 0.2"
    assert leased.daemon.exec(left, "file:main").head["ok"]
    for it in hearts:
        it.await_beats()
    deadline = leased.stop()
    leased.signal(signal.SIGKILL)
    leased.daemon.process.wait(10)
    assert_silent_after(deadline, hearts)


@pytest.mark.long
@pytest.mark.requirement("deadman.renewed", "deadman.free", "deadman.late")
def test_programs_go_on_as_long_as_the_deadline_moves(leased: LeasedDaemon, heart: Heart) -> None:
    daemon = leased.daemon
    assert daemon.exec(f"({heart.command}) & jobs", "bash:main").head["ok"]
    assert leased.deadline_descriptors() == []
    shell = shell_of(daemon)
    leased.lease(0.5)
    first = leased.deadline()
    await_that(lambda: boottime() > first + 0.3)
    heart.await_beats()
    leased.renew(NO_DEADLINE)
    await_that(lambda: leased.deadline() > first + 1000)
    time.sleep(0.6)
    heart.await_beats()
    assert shell_of(daemon) == shell
    # A deadline for the shell that runs already, which is then brought forward.
    leased.lease(1000)
    leased.lease(0.2)
    leased.renew(NOT_RENEWED)
    assert_silent_after(leased.stop(), [heart])
    leased.signal(signal.SIGCONT)


@pytest.mark.requirement("deadman.refused")
def test_nothing_is_started_after_the_deadline(leased: LeasedDaemon, tmp_path: Path) -> None:
    daemon = leased.daemon
    leased.lease(0.2)
    assert daemon.exec("true", "bash:old").head["ok"]
    leased.renew(NOT_RENEWED)
    await_that(lambda: leased.deadline() < boottime())
    witness = tmp_path / "witness"
    for command, topic in ((f"/exec touch {witness}", "file:a"), (f"touch {witness}", "bash:new")):
        reply = daemon.exec(command, topic)
        assert reply.head["code"] == "EXEC_FAILED", reply.content
        assert "another daemon may have taken over" in reply.content
    assert not witness.exists()
    leased.lease(30)
    assert daemon.exec(f"/exec touch {witness}", "file:a").head["ok"]
    assert "the shell before has ended with status 137" in daemon.exec("true", "bash:old").content


@pytest.mark.requirement("deadman.supervisor")
def test_a_program_that_stops_its_supervisor_ends_at_once(leased: LeasedDaemon, heart: Heart) -> None:
    leased.lease(30)
    shell = shell_of(leased.daemon)
    assert leased.daemon.exec(f"({heart.command}) &", "bash:main").head["ok"]
    heart.await_beats()
    now = boottime()
    os.kill(leased.supervisor_of(shell), signal.SIGSTOP)
    assert_silent_after(now, [heart])


@pytest.mark.long
@pytest.mark.requirement("deadman.commands")
def test_commands_with_a_deadline_are_as_without(leased: LeasedDaemon, tmp_path: Path) -> None:
    daemon = leased.daemon
    leased.lease(30)
    reply = daemon.exec("/exec echo out; echo err >&2; pwd; exit 3", "file:main")
    assert reply.head["code"] == "EXIT_3"
    assert reply.content.splitlines()[3:] == ["out", "err", str(daemon.home)]
    assert daemon.exec("/exec kill -9 $$", "file:main").head["code"] == "EXIT_137"
    assert daemon.exec(f"/exec : {'x' * 100_000}; wc -c", "file:main").content.endswith("\n0")
    assert daemon.exec(f"/exec {'x' * 200_000}", "file:main").head["code"] == "INVALID_PAYLOAD"
    group, own = Heart(tmp_path / "group"), Heart(tmp_path / "own")
    command = f"{group.script} & setsid {own.script} & sleep 0.3"
    assert daemon.exec(f"/exec ({command}) > /dev/null", "file:main").head["ok"]
    assert_silent_after(boottime(), [group])
    own.await_beats()
    late, other = Heart(tmp_path / "late"), Heart(tmp_path / "other")
    reply = daemon.exec(f"/exec --timeout 1 setsid {other.script} & {late.script}", "file:main")
    assert reply.head["code"] == "TIMEOUT"
    assert_silent_after(boottime(), [late, other])


@pytest.mark.long
@pytest.mark.requirement("deadman.many")
def test_many_shells_end_at_once(
    leased: LeasedDaemon, record_property: Callable[[str, object], None]
) -> None:
    leased.lease(60)

    def start(number: int) -> list[int]:
        reply = leased.daemon.exec("sleep 1000 & sleep 1000 & echo; echo $$ $(jobs -p)", f"bash:t{number}")
        return [int(it) for it in reply.content.splitlines()[-1].split()]

    with ThreadPoolExecutor(4) as pool:
        pids = [pid for found in pool.map(start, range(SHELLS)) for pid in found]
    assert len(pids) == 3 * SHELLS
    leased.lease(3)
    deadline = leased.stop()
    ends = sorted(it - deadline for it in ends_of(pids))
    assert ends[0] >= 0
    record_property(
        "told", f"{SHELLS} shells: half dead after {ends[len(ends) // 2]:.3f} s, all after {ends[-1]:.3f}"
    )
    assert ends[-1] < on_idle_machines(TOGETHER_SECONDS)
    leased.signal(signal.SIGCONT)


def ends_of(pids: Sequence[int]) -> list[float]:
    """Return the seconds of CLOCK_BOOTTIME at which processes end."""
    ends: list[float] = []
    with closing(select.epoll()) as poll:
        descriptors = [os.pidfd_open(it) for it in pids]
        for descriptor in descriptors:
            poll.register(descriptor, select.EPOLLIN)
        while len(ends) < len(pids):
            ready = poll.poll(10)
            assert ready, "they do not end"
            for descriptor, _ in ready:
                ends.append(boottime())
                poll.unregister(descriptor)
        for descriptor in descriptors:
            os.close(descriptor)
    return ends


@pytest.mark.parametrize("seconds", [float("nan"), 0.0, -1.0])
def test_a_deadline_is_a_time(seconds: float) -> None:
    deadline = LeaseDeadline()
    with pytest.raises(ValueError, match="CLOCK_BOOTTIME"):
        deadline.set(seconds)
    assert not deadline.is_set
    assert not deadline.has_passed()


def test_only_the_daemon_can_move_the_deadline() -> None:
    deadline = LeaseDeadline()
    deadline.set(1000.0)
    descriptor = deadline.shared()
    assert descriptor is not None
    with pytest.raises(PermissionError):
        os.pwrite(descriptor, bytes(8), 0)
    with pytest.raises(PermissionError):
        os.ftruncate(descriptor, 0)
    copy = LeaseDeadline()
    copy.adopt(os.dup(descriptor))
    deadline.set(2000.0)
    assert (copy.seconds, copy.advances) == (2000.0, 1)
    os.close(descriptor)


@pytest.mark.requirement("deadman.files")
def test_no_file_is_changed_after_the_deadline(leased: LeasedDaemon) -> None:
    daemon, page = leased.daemon, leased.daemon.home / "a.md"
    leased.lease(30)
    daemon.exec("/write a.md\nold")
    daemon.exec("/write b.md\nnew")
    leased.lease(0.2)
    leased.renew(NOT_RENEWED)
    await_that(lambda: leased.deadline() < boottime())
    for command in ("/write a.md\nlate", "/append a.md\nlate", "/write c.md\nlate", "/undo"):
        reply = daemon.exec(command)
        assert reply.head["code"] == "FENCED", reply.content
        assert "another daemon may have taken over" in reply.content
    assert page.read_text(encoding="utf-8") == "old\n"
    assert {it.name for it in daemon.home.iterdir()} == {"a.md", "b.md"}
    leased.lease(30)
    assert daemon.exec("/undo").content.endswith("Undo: removed b.md")


@pytest.mark.long
@pytest.mark.requirement("deadman.family")
@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux; on Debian: apt install tmux")
def test_servers_that_programs_leave_behind_end_too(leased: LeasedDaemon, heart: Heart) -> None:
    leased.lease(30)
    started = leased.daemon.exec(
        f"tmux -S {leased.daemon.home}/tmux new-session -d {shlex.quote(heart.script)}", "bash:t"
    )
    assert started.head["ok"], started.content
    heart.await_beats()
    leased.renew(LEASE_SECONDS)
    await_that(lambda: leased.deadline() < boottime() + 2 * LEASE_SECONDS)
    assert_silent_after(leased.stop(), [heart])
    leased.signal(signal.SIGCONT)


@pytest.mark.requirement("deadman.supervisor")
@pytest.mark.parametrize("killed", ["$PPID", "$(ps -o ppid= $PPID)"])
def test_programs_whose_supervisor_or_fork_server_was_killed_end_by_the_deadline(
    leased: LeasedDaemon, heart: Heart, killed: str
) -> None:
    leased.lease(LEASE_SECONDS)
    assert leased.daemon.exec(f"(setsid {heart.script} & )", "bash:t").head["ok"]
    heart.await_beats()
    leased.daemon.exec(f"kill -9 {killed}; sleep 0.2", "bash:t")
    assert_silent_after(leased.stop(), [heart])
    leased.signal(signal.SIGCONT)
