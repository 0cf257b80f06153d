"""Privileged pipelines: through a real sudo where tests may make users, and through one that stands in."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stringd_approval.exec_result import ExecFailed
from stringd_approval.executing.executor import Executor
from tests.approval.executing.running import request, with_executor
from tests.approval.executing.sudoers import PASSWORD, Sudoer, shim, sudoer
from tests.processes.leased_daemon import Heart, boottime
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import eventually

LEASE_SECONDS, LATE_SECONDS, SILENCE_SECONDS = 5.0, 2.5, 0.5
STUBBORN = "trap '' TERM INT HUP QUIT; sleep {0}; sleep {0}"


@pytest.fixture(scope="module")
def trusted() -> Iterator[Sudoer]:
    with sudoer("NOPASSWD: ALL") as user:
        yield user


@pytest.fixture(scope="module")
def typing() -> Iterator[Sudoer]:
    with sudoer("ALL") as user:
        yield user


@pytest.fixture(scope="module")
def restricted() -> Iterator[Sudoer]:
    with sudoer("NOPASSWD: /usr/bin/env, /usr/bin/sleep, /bin/sleep") as user:
        yield user


@pytest.fixture(params=["sudo", "shim"])
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sudoer]:
    """A user whom sudo asks for a password."""
    if request.param == "sudo":
        yield request.getfixturevalue("typing")
    else:
        with shim(tmp_path) as user:
            yield user


@pytest.mark.requirement("approval.execution.sudo")
def test_stages_run_as_root_behind_a_mark(trusted: Sudoer) -> None:
    above = "id -u; tr '\\0' ' ' </proc/$PPID/cmdline"
    result = trusted.run(("sh", "-c", above), ("cat",))
    assert result["codes"] == [0, 0]
    assert result["output"].startswith("0\nsudo -n -- /usr/bin/sh -c id")


@pytest.mark.requirement("approval.execution.sudo")
def test_outcomes_are_those_of_the_command(trusted: Sudoer) -> None:
    assert trusted.run(("sh", "-c", "echo said >&2; exit 3"))["errors"] == ["said\n"]
    assert trusted.run(("sh", "-c", "exit 3"))["codes"] == [3]
    assert trusted.run(("sh", "-c", "kill -9 $$"))["signals"] == [9]
    assert trusted.run(("yes",), ("head", "-n1"))["output"] == "y\n"
    assert trusted.run(("sh", "-c", "umask; pwd"), cwd="/usr")["output"] == "0077\n/usr\n"


@pytest.mark.requirement("approval.execution.sudo")
def test_what_sudo_does_not_run_is_an_error(trusted: Sudoer, restricted: Sudoer) -> None:
    missing = trusted.run(("true",), ("no-such-program",))["error"]
    assert missing == "stage 2: no-such-program: No such file or directory"
    assert "password is required" in restricted.run(("id",))["error"]


@pytest.mark.requirement("approval.execution.unstartable")
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("no-such-program", "No such file or directory"),
        ("/no/such/program", "No such file or directory"),
        ("/etc/passwd", "Permission denied"),
        ("/usr", "Permission denied"),
    ],
)
def test_no_stage_starts_if_root_cannot_run_one(
    trusted: Sudoer, tmp_path: Path, program: str, words: str
) -> None:
    ran = tmp_path / "ran"
    result = trusted.run(("touch", str(ran)), (program,), ("cat",))
    assert result["error"] == f"stage 2: {program}: {words}"
    assert not ran.exists()


@pytest.mark.requirement("approval.execution.sudo")
def test_sudo_looks_up_what_only_root_can(trusted: Sudoer, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    (hidden / "program").symlink_to("/bin/echo")
    assert trusted.run((str(hidden / "program"), "found"))["output"] == "found\n"
    assert f"{hidden}/nothing: " in trusted.run((str(hidden / "nothing"),))["error"]


@pytest.mark.requirement("approval.execution.sudo.variables")
def test_the_policy_decides_about_variables(trusted: Sudoer, restricted: Sudoer) -> None:
    env = {"LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    lines = trusted.run(("env",), env=env | {"LD_PRELOAD": "/x.so"})["output"].splitlines()
    assert {"LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "USER=root", "HOME=/root"} <= set(lines)
    assert not [line for line in lines if line.startswith("LD_")]
    refused = restricted.run(("env",), env=env)
    told = "not allowed to set the following environment variables: DEBIAN_FRONTEND"
    assert told in refused.get("error", ""), refused


@pytest.mark.requirement("approval.execution.sudo.password")
def test_a_typed_password_reaches_sudo_alone(asked: Sudoer) -> None:
    terminal = "echo shown; echo hidden >/dev/tty; env; tr '\\0' ' ' </proc/self/cmdline"
    result = asked.run(("sh", "-c", terminal), passwords=[PASSWORD])
    assert result["prompts"] == [f"[sudo] password for {asked.name}:"]
    assert result["output"].startswith("shown\n")
    assert "hidden" not in result["output"].splitlines()
    assert PASSWORD not in str(result)


@pytest.mark.requirement("approval.execution.sudo.password")
def test_a_wrong_password_is_asked_for_again(typing: Sudoer) -> None:
    result = typing.run(("id", "-u"), passwords=["wrong", PASSWORD])
    assert len(result["prompts"]) == 2
    assert result["output"] == "0\n"


@pytest.mark.long
@pytest.mark.requirement("approval.execution.sudo.password")
def test_nothing_runs_without_the_right_password(asked: Sudoer, tmp_path: Path) -> None:
    effect = tmp_path / "effect"
    wrong = asked.run(("touch", str(effect)), ("cat",), passwords=["wrong"] * 3)
    assert "incorrect password" in wrong["error"]
    assert asked.run(("touch", str(effect)), passwords=[])["error"] == "nobody has typed the password"
    control = asked.run(("touch", str(effect)), passwords=["\x03"])
    assert "control characters" in control["error"]
    assert not effect.exists()


@pytest.mark.requirement("approval.execution.sudo.once")
def test_a_pipeline_asks_once(asked: Sudoer) -> None:
    result = asked.run(("echo", "a"), ("cat",), ("tr", "a", "b"), passwords=[PASSWORD])
    assert (result["codes"], result["output"], len(result["prompts"])) == ([0, 0, 0], "b\n", 1)


@pytest.mark.requirement("approval.execution.sudo.unasked")
def test_sudo_does_not_ask_where_nobody_can_type(asked: Sudoer) -> None:
    result = asked.run(("id",))
    assert "sudo: a password is required" in result["error"]
    assert result["prompts"] == []


@pytest.mark.long
@pytest.mark.requirement("approval.execution.sudo.killed")
@pytest.mark.parametrize("text", ["sleep {0}", STUBBORN, "setsid sleep {0}", f"({STUBBORN}) & {STUBBORN}"])
def test_commands_of_root_end_in_time(trusted: Sudoer, text: str) -> None:
    seconds = unique_seconds()
    result = trusted.run(("sh", "-c", f"echo begun; {text.format(seconds)}"), ("cat",), seconds=1)
    assert "timed out" in result["error"]
    assert result["output"] == "begun\n"
    assert not running_with(seconds)


@pytest.mark.long
@pytest.mark.requirement("approval.execution.sudo.killed")
def test_commands_of_root_end_in_time_after_a_password(typing: Sudoer) -> None:
    seconds = unique_seconds()
    result = typing.run(("sh", "-c", STUBBORN.format(seconds)), seconds=1, passwords=[PASSWORD])
    assert "timed out" in result["error"]
    assert not running_with(seconds)


@pytest.mark.requirement("approval.execution.sudo.killed")
def test_sudo_passes_the_end_on_where_root_may_not_kill(restricted: Sudoer) -> None:
    seconds = unique_seconds()
    assert "timed out" in restricted.run(("sleep", seconds), seconds=1)["error"]
    assert not running_with(seconds)


@pytest.mark.long
@pytest.mark.requirement("approval.execution.sudo.killed", "approval.execution.leftovers")
@pytest.mark.parametrize("start", ["", "setsid "])
def test_leftovers_of_root_are_killed(trusted: Sudoer, start: str) -> None:
    seconds = unique_seconds()
    result = trusted.run(("sh", "-c", f"{start}sleep {seconds} & echo hi"))
    assert (result["codes"], result["output"]) == ([0], "hi\n")
    assert not running_with(seconds)


@pytest.mark.requirement("approval.execution.sudo.killed", "approval.execution.no_survivor")
@pytest.mark.parametrize("text", ["sleep {0}", STUBBORN, "setsid --wait sleep {0}"])
def test_no_command_of_root_survives_what_runs_it(trusted: Sudoer, text: str) -> None:
    seconds = unique_seconds()
    with subprocess.Popen(trusted.command(("sh", "-c", text.format(seconds))), cwd="/") as process:
        eventually(lambda: running_with(seconds))
        process.kill()
    eventually(lambda: not running_with(seconds))


@pytest.mark.long
@pytest.mark.requirement("deadman.privileged")
@pytest.mark.parametrize("start", ["", "setsid --wait "])
def test_commands_of_root_end_at_the_deadline_of_a_stopped_daemon(
    asked: Sudoer, tmp_path: Path, start: str
) -> None:
    folder = tmp_path / "beats"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    heart = Heart(folder / "heart")
    deadline = boottime() + LEASE_SECONDS
    stages = ("sh", "-c", f"{start}{heart.script}")
    command = asked.command(stages, passwords=[PASSWORD], lease=LEASE_SECONDS)
    with subprocess.Popen(command, cwd="/") as process, ExitStack() as ends:
        ends.callback(process.kill)
        heart.await_beats()
        process.send_signal(signal.SIGSTOP)
        eventually(lambda: boottime() > deadline + LATE_SECONDS)
        beats = heart.beats()
        eventually(lambda: boottime() > deadline + LATE_SECONDS + SILENCE_SECONDS)
        assert heart.beats() == beats


@pytest.mark.requirement("approval.execution.sudo.missing", "approval.execution.checked")
def test_without_sudo_nobody_is_asked() -> None:
    async def check(executor: Executor) -> None:
        with pytest.raises(ExecFailed, match="sudo, which is not installed"):
            executor.check(request(("true",), privileged=True))

    with_executor(check, sudo="/no/such/sudo")
