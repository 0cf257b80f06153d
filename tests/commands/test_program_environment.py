"""The environment variables that programs get from the daemon."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from stringd.processes.child_environment import KEPT
from stringd.testing.process import DaemonProcess

Start = Callable[..., DaemonProcess]

OTHERS = {
    "OPENAI_API_KEY": "k1",
    "AWS_SECRET_ACCESS_KEY": "k2",
    "AWS_REGION": "here",
    "GIT_ASKPASS": "k3",
    "http_proxy": "http://ann:k4@proxy",
    "PYTHONSTARTUP": "/k5",
    "LANGUAGE_MODEL": "k6",
    "LCX": "k7",
    "STRINGD_PING": "20",
    "STRINGD_BASH_SIZE": "90x30",
}
LISTED = {"LC_TIME": "C", "TZ": "UTC", "TMPDIR": "/tmp", "SSH_AUTH_SOCK": "/s", "DISPLAY": ":9"}
OF_BASH = {"PWD", "OLDPWD", "SHLVL", "_"}
OF_STRINGD = {"PATH", "HOME", "TERM", "STRINGD_PORT", "STRINGD_USER"}
SHELLS = [("/exec env", "file:main", OF_STRINGD), ("env", "bash:main", {*OF_STRINGD, "PAGER", "GIT_PAGER"})]


@pytest.fixture
def started(start_daemon: Start) -> Start:
    """A function that starts daemons in an environment that holds more than programs need."""

    def start(*args: str, **env: str) -> DaemonProcess:
        daemon = start_daemon(*args, env=OTHERS | LISTED | env)
        daemon.register("default", daemon.home)
        (daemon.home / "a.md").write_text("```act.env\nCLI env\n```\n")
        return daemon

    return start


def given(daemon: DaemonProcess, command: str, topic: str) -> dict[str, str]:
    lines = daemon.exec(command, topic).content.splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def is_listed(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in KEPT)


@pytest.mark.requirement("environment.listed")
@pytest.mark.parametrize(("command", "topic", "own"), SHELLS)
def test_shell_gets_only_listed_variables(started: Start, command: str, topic: str, own: set[str]) -> None:
    daemon = started()
    found = given(daemon, command, topic)
    expected = {name for name in {**os.environ, **LISTED} if is_listed(name)}
    assert found.keys() - OF_BASH == expected | own
    assert found.items() >= LISTED.items()
    assert found["PATH"] == os.environ["PATH"]
    assert (found["HOME"], found["STRINGD_USER"]) == (str(daemon.home), "default")


@pytest.mark.requirement("environment.listed")
def test_intermediate_processes_hold_only_listed_variables(started: Start) -> None:
    daemon = started()
    parents = daemon.exec('cat "/proc/$PPID/environ" | tr "\\0" "\\n"', "bash:main").content
    assert "LC_TIME=C" in parents
    assert not [value for value in OTHERS.values() if value.startswith("k") and value in parents]


@pytest.mark.requirement("environment.kept")
@pytest.mark.parametrize(("command", "topic", "_own"), SHELLS)
@pytest.mark.parametrize("by_option", [True, False])
def test_keep_env_adds_variables(
    started: Start, command: str, topic: str, _own: set[str], by_option: bool
) -> None:
    names = "OPENAI_API_KEY, AWS_*"
    daemon = started("--keep-env", names) if by_option else started(STRINGD_KEEP_ENV=names)
    found = given(daemon, command, topic)
    assert {name for name in OTHERS if name in found} == {
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_REGION",
    }


@pytest.mark.requirement("environment.kept")
def test_star_keeps_everything(started: Start) -> None:
    assert given(started("--keep-env", "*"), "/exec env", "file:main").items() >= OTHERS.items()


@pytest.mark.requirement("environment.kept")
@pytest.mark.parametrize("names", ["A=b", "A B", "1", "A,$B"])
def test_invalid_name_is_refused(start_daemon: Start, names: str) -> None:
    daemon = start_daemon("--keep-env", names, ready=False)
    assert daemon.process.wait(15) == 2
    assert "not the name of a variable" in daemon.stderr()


@pytest.mark.requirement("environment.kept")
def test_cli_action_gets_only_listed_variables(started: Start) -> None:
    daemon = started("--keep-env", "*")
    daemon.exec("/open a.md")
    found = given(daemon, "/act.env --", "file:main")
    assert not found.keys() & {*OTHERS, *LISTED} - {"LC_TIME"}
    assert found["HOME"] == str(daemon.home)


@pytest.mark.requirement("environment.daemon")
@pytest.mark.parametrize(("prefix", "topic"), [("/exec ", "file:main"), ("", "bash:main")])
def test_string_finds_its_daemon_from_a_shell(started: Start, prefix: str, topic: str) -> None:
    program = shutil.which("string", path=str(Path(sys.executable).parent))
    daemon = started()
    daemon.register("ann", daemon.home / "ann")
    said = daemon.exec(f"{prefix}{program} file:other '/set {{x}} = \"1\"'", topic, "ann").content
    assert '{x} = "1"' in said
    listed = daemon.request("GET", "/sessions?user_id=ann").json()["sessions"]
    assert {it["topic"] for it in listed} == {topic, "file:other"}
