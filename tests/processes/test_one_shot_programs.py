"""Programs that `/exec` starts: their limits, their signals, their output and their end."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.processes.descriptors import DescriptorLimit, open_descriptors
from stringd.processes.process_group import Finished, run_shell
from stringd.testing.process import DaemonProcess

Start = Callable[..., DaemonProcess]
SOFT = 256
GLIBC_SIGNALS = 0b11 << 31


def run(command: str, *, seconds: float = 10.0, received: list[bytes] | None = None) -> Finished:
    """Run a shell command."""
    running = run_shell(
        command,
        directory=Path("/"),
        environment=dict(os.environ),
        seconds=seconds,
        on_output=None if received is None else received.append,
    )
    return asyncio.run(running)


@pytest.fixture
def limit() -> Iterator[DescriptorLimit]:
    """The limit of descriptors, raised from a low one, as in a daemon."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, before[1]))
    try:
        raised = DescriptorLimit()
        raised.raise_to_most()
        yield raised
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("held", [0, SOFT])
def test_a_program_has_the_initial_limit_and_the_daemon_keeps_its_own(
    limit: DescriptorLimit, held: int
) -> None:
    raised = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(held)]
    try:
        command = ("/bin/bash", "-c", "ulimit -Sn")
        with limit.start(command, directory=Path("/"), environment=os.environ) as program:
            assert program.communicate()[0] == b"%d\n" % SOFT
    finally:
        for file in files:
            os.close(file)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == raised


def test_a_program_starts_with_the_default_signals(start_daemon: Start) -> None:
    """Even if the daemon was started in the background by a script that blocks some."""
    python = sys.executable
    started = (
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}); "
        f"os.execv({python!r}, [{python!r}, '-m', 'stringd', *sys.argv[1:]])"
    )
    script = f'trap "" INT QUIT HUP; exec {python} -c "$0" "$@"'
    daemon = start_daemon(program=("/bin/bash", "-c", script, started))
    daemon.register("default", daemon.home)
    answer = daemon.exec("/exec grep -E '^Sig(Blk|Ign)' /proc/self/status")
    masks = [int(line.split()[1], 16) for line in answer.content.splitlines()[-2:]]
    # glibc ignores two signals of its own in programs that it starts.
    assert [mask & ~GLIBC_SIGNALS for mask in masks] == [0, 0]


@pytest.mark.parametrize("knows_descriptors", [True, False])
def test_a_program_ends_with_its_status_and_all_of_its_output(
    monkeypatch: pytest.MonkeyPatch, knows_descriptors: bool
) -> None:
    """On systems that have no descriptors of processes, too."""
    if not knows_descriptors:
        monkeypatch.delattr(os, "pidfd_open")
    received: list[bytes] = []
    finished = run("head -c 300000 /dev/zero | tr '\\0' x; exit 3", received=received)
    assert (finished.status, finished.output) == (3, "x" * 300_000)
    assert b"".join(received) == b"x" * 300_000
    assert run("kill -TERM $$").status == 128 + signal.SIGTERM
    assert run("sleep 30", seconds=0.05).status is None


def test_a_program_leaves_no_descriptors_and_no_zombies() -> None:
    before = open_descriptors()
    for command in ("true", "sleep 30 & true", "kill -9 $$", "exec 1>&- 2>&-; sleep 0.1"):
        program = run(f"echo $$; {command}").output.splitlines()[0]
        assert not Path("/proc", program).exists()
    run("sleep 30", seconds=0.05)
    assert open_descriptors() == before
