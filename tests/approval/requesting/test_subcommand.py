"""`stringd request`."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from stringd.cli.main import main
from tests.approval.listening.fake_broker import FakeBroker, Listening

PROGRAM = (sys.executable, "-m", "stringd", "request")


def run(listening: Listening, *words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [*PROGRAM, "--socket", str(listening.path), *words]
    return subprocess.run(command, capture_output=True, timeout=60, check=False, env={**os.environ, **env})


@dataclass(frozen=True)
class Done:
    """The exit code of the subcommand, and what it has printed."""

    returncode: int
    stdout: bytes
    stderr: bytes


@pytest.fixture
def request_of(listening: Listening, capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Done]:
    """Runs the subcommand in this process."""

    def run(*words: str) -> Done:
        code = main(["request", "--socket", str(listening.path), *words])
        return Done(code, *capfdbinary.readouterr())

    return run


@pytest.mark.requirement("approval.agents.subcommand")
def test_it_prints_what_the_pipeline_prints(listening: Listening, broker: FakeBroker) -> None:
    broker.output, broker.errors = b"\xff out\n", b"err\n"
    done = run(
        listening, "--reason", "to see", "--session", "alpha", "--", "ls", "-l", "|", "wc", "--", "a|b"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"\xff out\n", b"err\nerr\n")
    request = broker.requests.get(timeout=5)
    assert request.pipeline == (("ls", "-l"), ("wc", "--", "a|b"))
    assert (request.reason, request.session, request.privileged) == ("to see", "alpha", True)
    assert request.host


def test_it_asks_for_an_unprivileged_run(request_of: Callable[..., Done], broker: FakeBroker) -> None:
    assert request_of("--no-privilege", "--forward-agent", "true").returncode == 0
    request = broker.requests.get(timeout=5)
    assert (request.privileged, request.forward_agent) == (False, True)


@pytest.mark.requirement("approval.agents.subcommand")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["exit", "3"], 3),
        (["kill", "15"], 143),
        (["deny"], 125),
        (["late"], 125),
        (["refuse"], 125),
        (["ls", "|"], 125),
        ([], 125),
    ],
)
def test_its_exit_code_is_that_of_the_last_stage(
    request_of: Callable[..., Done], words: list[str], code: int
) -> None:
    assert request_of("--", *words).returncode == code


def test_it_says_why_nothing_ran(request_of: Callable[..., Done]) -> None:
    assert request_of("deny").stderr == b"stringd request: denied: not today\n"
    assert request_of("refuse").stderr == b"stringd request: error: no such program\n"


@pytest.mark.requirement("approval.agents.subcommand")
def test_it_says_what_was_edited_and_why(request_of: Callable[..., Done]) -> None:
    done = request_of("edit")
    assert done.returncode == 0
    edited, comment = done.stderr.splitlines()[-2:]
    assert edited == b"stringd request: edited by the person who approved: ls -l"
    assert comment == b"stringd request: comment: shorter"


def test_it_withdraws_the_request_when_its_time_is_over(listening: Listening, broker: FakeBroker) -> None:
    done = run(listening, "--timeout", "0.5", "ask")
    assert done.returncode == 125
    assert b"0.5 s" in done.stderr
    broker.withdrawn.get(timeout=5)


@pytest.mark.parametrize("words", [["--timeout", "x", "ls"], ["--bogus", "ls"]])
def test_misuse_is_told(request_of: Callable[..., Done], words: list[str]) -> None:
    done = request_of(*words)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)


def test_without_a_daemon_it_fails_like_a_request(tmp_path: Path) -> None:
    command = [*PROGRAM, "--socket", str(tmp_path / "none.sock"), "ls"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == 125
    assert done.stderr.startswith(b"stringd: no daemon at ")


def test_a_terminal_gets_no_control_characters(listening: Listening, broker: FakeBroker) -> None:
    broker.output = b"\x1b[2Jred\nline\n"
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        subprocess.run(
            [*PROGRAM, "--socket", str(listening.path), "ls"], stdout=theirs, timeout=60, check=True
        )
        os.close(theirs)
        shown = screen.read(1000)
    assert shown == b"<U+001B>[2Jred\r\nline\r\n"
