"""A program that waits for input is reported as waiting, and the next text is its input."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.distributions import write_distribution
from stringd.testing.process import DaemonProcess
from tests.bash.conftest import Topic
from tests.protocol.waits import eventually


@pytest.mark.requirement("bash.waiting", "bash.stdin")
def test_a_question_is_answered_in_plain_text(topic: Topic) -> None:
    it = topic("cd /usr; read -p 'Name? ' name; echo Hello $name")
    assert (it.state, it.code, it.cwd, it.output) == ("waiting", None, "/usr", "Name? ")
    it = topic("Ada")
    assert (it.state, it.output) == ("0", "Hello Ada")


@pytest.mark.requirement("bash.stdin")
def test_replies_show_only_new_output(topic: Topic) -> None:
    assert topic("cat").output == "(no output)"
    assert topic("one").output == "one"
    assert topic("two").output == "two"
    assert topic("//keys ^D").state == "0"


@pytest.mark.requirement("bash.running")
def test_slow_program_is_reported_as_running(topic: Topic) -> None:
    topic.events('//set {_timeout} = "0.4"')
    assert topic("echo begun; sleep 30 | cat >/dev/null").state == "running"
    it = topic.ends("//interrupt")
    assert (it.state, it.code) == ("130", "EXIT_130")
    assert topic.says("echo usable") == "usable"


@pytest.mark.requirement("bash.secrets")
@pytest.mark.parametrize(
    "program",
    [
        "script -qc \"bash -c 'read -s -p Password: p; echo; echo \\${#p}'\" /dev/null",
        "read -s -p 'Password: ' p; echo; echo ${#p}",
        'python3 -c "import getpass; print(len(getpass.getpass()))"',
    ],
)
@pytest.mark.parametrize("way", ["{}", '//keys "{}" Enter'])
def test_secret_input_is_never_shown(
    start_bash: Callable[..., DaemonProcess], program: str, way: str
) -> None:
    daemon = start_bash()
    topic = Topic(daemon)
    assert topic(program).state == "waiting"
    wrong = topic.events("//keys hunter2-unquoted")
    events = topic.events(way.format("hunter2-secret"))
    assert "********" in events.head["cmd"]
    assert "hunter2" not in wrong.raw.decode()
    assert events.content.endswith("\n14")
    assert topic.says("history; echo shown") == "shown"
    assert "hunter2" not in events.raw.decode() + topic.events("//info").raw.decode()
    daemon.stop()
    kept = [
        daemon.stderr().encode(),
        *(path.read_bytes() for path in daemon.data_dir.rglob("*") if path.is_file()),
    ]
    assert not any(b"hunter2" in text for text in kept)


@pytest.mark.requirement("bash.secrets")
def test_a_secret_that_looks_like_a_command_is_hidden(topic: Topic) -> None:
    assert topic("read -s -p 'Password: ' p; echo ${#p}").state == "waiting"
    for wrong in (
        "//hunter2-secret",
        "//hunter2-secret x",
        '//keys "hunter2-secret',
        "//keys hunter2-secret",
    ):
        refused = topic.events(wrong)
        assert "hunter2" not in refused.raw.decode()
    assert '//keys "//text" Enter' in topic.events("//hunter2-secret").content
    assert topic('//keys "//hunter2-secret" Enter').output.endswith("16")


@pytest.mark.requirement("bash.secrets")
def test_late_secret_is_hidden(topic: Topic) -> None:
    assert topic("bash -c 'echo $$ >.asking; read -s -p Password: p'; echo over").state == "waiting"
    os.kill(int((topic.daemon.home / ".asking").read_text(encoding="ascii")), signal.SIGKILL)
    eventually(lambda: "program: (none)" in topic.events("//info").content)
    late = topic.events("hunter2-secret")
    assert late.head["code"] == "CONFLICT"
    assert "hunter2" not in late.raw.decode()
    assert topic.events("echo shown").head["cmd"] == "echo shown"


UNSEEN = """
import ctypes
header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
libc = ctypes.CDLL(None)
libc.capget(header, data)
data[0] &= ~(1 << 19)
libc.capset(header, data)
BLIND = object()
"""
NOT_DUMPABLE = "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(input('Name? '))"


@pytest.mark.requirement("bash.waiting")
def test_uninspectable_program_is_reported_as_waiting(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    # The plugin gives up the right to look into processes (CAP_SYS_PTRACE), which root has.
    blind = write_distribution(
        tmp_path / "blind", "blind", "1", {"stringd.plugins": {"blind": "blind:BLIND"}}, {"blind": UNSEEN}
    )
    daemon = start_daemon(pythonpath=[blind])
    daemon.register("default", daemon.home)
    daemon.home.mkdir(exist_ok=True)
    topic = Topic(daemon)
    it = topic(f'python3 -c "{NOT_DUMPABLE}"')
    assert (it.state, it.output) == ("waiting", "Name? ")
    assert topic.says("Ada") == "Ada"
    topic.events('//set {_timeout} = "1.5"')
    assert topic("sleep 30").state == "running"


@pytest.mark.requirement("bash.reset")
def test_a_program_that_ignores_signals_is_ended_by_reset(topic: Topic) -> None:
    topic.events('//set {_timeout} = "0.4"')
    assert topic("cd /; bash -c 'trap \"\" INT TERM HUP; while :; do sleep 0.1; done'").state == "running"
    assert topic("//interrupt").state == "running"
    it = topic("//reset")
    assert (it.state, it.cwd) == ("0", str(topic.daemon.home))
    assert topic.says("pwd") == str(topic.daemon.home)
