"""What stages find when they start: streams, signals, directory and environment, and no shell."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import Any

import pytest

from stringd_approval.executing.executables import SEARCH_PATH
from tests.approval.executing.running import codes, request, run, with_executor


def environment_of(**fields: Any) -> dict[str, str]:
    lines = run(("env", "-0"), **fields).stdout.decode().split("\0")
    return dict(line.split("=", 1) for line in lines if line)


@pytest.mark.requirement("approval.execution.no_shell")
def test_no_shell_reads_the_arguments() -> None:
    words = ("$HOME", "*", "; id", "`id`", "$(id)", "a  b", "", "|", "> x", "'", '"', "ü", "\n")
    result = run(("printf", "%s\\0", *words))
    assert result.stdout.decode().split("\0")[:-1] == list(words)


@pytest.mark.requirement("approval.execution.lookup")
def test_programs_are_looked_up_in_the_path_of_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "uname"
    fake.write_text("#!/bin/sh\necho fake\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert run(("uname",), cwd=str(tmp_path)).stdout != b"fake\n"
    assert run(("./uname",), cwd=str(tmp_path)).stdout == b"fake\n"


@pytest.mark.requirement("approval.execution.script")
def test_a_file_without_an_interpreter_is_run_by_the_shell(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$1 of $#"\n', encoding="utf-8")
    script.chmod(0o755)
    assert run((str(script), "a b", "c")).stdout == b"a b of 2\n"


@pytest.mark.requirement("approval.execution.directory")
def test_the_directory_is_the_root_or_the_wanted_one(tmp_path: Path) -> None:
    assert run(("pwd",)).stdout == b"/\n"
    assert run(("pwd",), cwd=str(tmp_path)).stdout == f"{tmp_path}\n".encode()


@pytest.mark.requirement("approval.execution.umask")
def test_new_files_are_private(tmp_path: Path) -> None:
    run(("touch", str(tmp_path / "new")))
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("approval.execution.stdin", "approval.execution.descriptors")
def test_stages_inherit_three_streams_and_nothing_else() -> None:
    # The fourth one is how `ls` reads the directory.
    result = run(("readlink", "/proc/self/fd/0"), ("cat",))
    assert result.stdout == b"/dev/null\n"
    for stages in ([("ls", "/proc/self/fd")], [("true",), ("ls", "/proc/self/fd"), ("cat",)]):
        assert run(*stages).stdout.split() == [b"0", b"1", b"2", b"3"]


@pytest.mark.requirement("approval.execution.signals")
def test_signals_are_neither_blocked_nor_ignored() -> None:
    lines = run(("grep", "^Sig", "/proc/self/status")).stdout.decode().splitlines()
    masks = {name: int(mask, 16) for name, mask in (line.split(":\t") for line in lines) if name != "SigQ"}
    assert masks["SigBlk"] == 0
    # The system's library keeps signals 32 and 33 for itself.
    assert masks["SigIgn"] & ~(0b11 << 31) == 0


@pytest.mark.requirement("approval.execution.environment")
def test_the_environment_has_the_account_and_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_DAEMON", "x")
    account = pwd.getpwuid(os.geteuid())
    names = {"USER": account.pw_name, "LOGNAME": account.pw_name}
    expected = {"HOME": account.pw_dir, **names, "PATH": SEARCH_PATH}
    assert environment_of() == expected
    assert environment_of(env={"LANG": "C", "HOME": "/tmp"}) == expected | {"LANG": "C", "HOME": "/tmp"}


@pytest.mark.requirement("approval.execution.agent")
def test_the_agent_is_the_daemons_and_only_for_those_who_want_it() -> None:
    environment = {"SSH_AUTH_SOCK": "/run/agent"}

    def said(*, forward_agent: bool) -> bytes:
        wanted = request(("printenv", "SSH_AUTH_SOCK"), forward_agent=forward_agent)
        return with_executor(lambda it: it.run(wanted, seconds=20), environment=environment).stdout

    assert said(forward_agent=True) == b"/run/agent\n"
    assert said(forward_agent=False) == b""


@pytest.mark.requirement("approval.execution.pipes")
def test_stages_run_at_once_in_one_group() -> None:
    groups = "cut -d' ' -f5 /proc/self/stat"
    result = run(
        ("sh", "-c", groups), ("sh", "-c", f"{groups} >&2; cat >&2"), ("sh", "-c", f"{groups} >&2; cat >&2")
    )
    first, second = (stage.stderr.split() for stage in result.stages[1:])
    assert len({*first, *second}) == 1
    assert len(first) == 2


@pytest.mark.requirement("approval.execution.pipes")
def test_a_stage_far_behind_gets_what_the_first_one_writes() -> None:
    result = run(("echo", "through"), *[("cat",)] * 62, ("tr", "a-z", "A-Z"))
    assert result.stdout == b"THROUGH\n"
    assert codes(result) == [0] * 64


@pytest.mark.requirement("approval.execution.drained")
def test_all_stages_flood_their_errors_while_data_flows() -> None:
    flood = "head -c 1000000 /dev/zero | tr '\\0' e >&2; cat; head -c 1000000 /dev/zero | tr '\\0' f >&2"
    result = run(("head", "-c", "3000000", "/dev/zero"), *[("sh", "-c", flood)] * 6)
    assert len(result.stdout) == 3_000_000
    assert {stage.stderr for stage in result.stages[1:]} == {b"e" * 1_000_000 + b"f" * 1_000_000}
