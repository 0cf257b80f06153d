"""Commands sent while another request is being served, and requests queued behind it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.bash.conftest import LONGEST_WAIT, Topic, answer
from tests.protocol.waits import eventually, session

QUEUE = 16


class Served:
    """A request that a thread of its own sends."""

    def __init__(self, topic: Topic, cmd: str) -> None:
        self._events: list[Events] = []
        self._thread = threading.Thread(target=lambda: self._events.append(topic.events(cmd)))
        self._thread.start()

    def events(self) -> Events:
        self._thread.join(20)
        return self._events[0]


@contextmanager
def busy(topic: Topic, cmd: str) -> Iterator[Served]:
    served = Served(topic, cmd)
    eventually(lambda: (session(topic.daemon, topic.name) or {}).get("executing"))
    yield served
    served.events()


@pytest.mark.requirement("bash.served", "bash.signals")
@pytest.mark.parametrize(
    ("command", "status", "told"),
    [("//interrupt", "130", []), ("//kill", "137", ["[1]   Killed                  sleep 30"])],
)
def test_running_request_gets_the_exit_status(
    topic: Topic, command: str, status: str, told: list[str]
) -> None:
    topic.says("true")
    with busy(topic, "echo begun; sleep 30") as served:
        eventually(lambda: topic("//wait 0.1").state == "running")
        it = topic.ends(command)
        assert (it.state, it.code) == (status, None)
    it = answer(served.events())
    assert (it.state, it.output.rstrip().split("\n")) == (status, ["begun", *told])


@pytest.mark.requirement("bash.keys")
def test_keys_reach_the_running_program(topic: Topic) -> None:
    topic.says("true")
    with busy(topic, "sleep 30") as served:
        eventually(lambda: topic("//wait 0.1").state == "running")
        assert topic.ends("//keys ^C").state == "130"
    assert answer(served.events()).state == "130"


def test_reset_ends_the_running_request(topic: Topic) -> None:
    topic.says("true")
    with busy(topic, "trap '' INT TERM HUP; echo begun; while :; do sleep 0.2; done") as served:
        eventually(lambda: topic("//wait 0.1").state == "running")
        assert topic("//reset").state == "0"
    it = answer(served.events())
    assert (it.state, it.code) == ("137", "EXIT_137")
    assert topic.says("echo usable") == "usable"


@pytest.mark.requirement("bash.urgent")
def test_urgent_commands_pass_a_full_queue(topic: Topic) -> None:
    topic.says("true")
    with busy(topic, "sleep 30") as served:
        queued = [Served(topic, f"echo {number}") for number in range(QUEUE)]
        eventually(lambda: (session(topic.daemon, topic.name) or {})["queue_length"] == QUEUE)
        full = topic.daemon.request(
            "POST", "/exec", {"cmd": "echo x", "topic": topic.name}, {"X-User-Id": "default"}
        )
        assert full.status == 429
        assert topic.ends("//interrupt").state == "130"
    assert answer(served.events()).state == "130"
    assert [answer(it.events()).output for it in queued] == [str(number) for number in range(QUEUE)]


@pytest.mark.requirement("bash.conflict")
def test_queued_text_is_not_typed_into_a_program(topic: Topic) -> None:
    topic.says("true")
    gate = topic.gate()
    with busy(topic, f"{gate.wait}; read answer; echo got $answer") as served:
        queued = Served(topic, "rm everything")
        eventually(lambda: (session(topic.daemon, topic.name) or {})["queue_length"] == 1)
        gate.open()
        assert answer(served.events()).state == "waiting"
        refused = queued.events()
    assert refused.head["code"] == "CONFLICT"
    assert topic("yes").output == "got yes"


def test_later_blocks_are_not_typed_into_a_waiting_program(topic: Topic) -> None:
    block = "<𝒞=string:{}>{}</𝒞>\n"
    text = block.format(topic.name, "read answer; echo got $answer") + block.format(
        topic.name, "rm everything"
    )
    reply = topic.daemon.request("POST", "/chanflow", text, {"X-User-Id": "default"})
    assert "exit: waiting" in reply.text
    assert "✗ CONFLICT" in reply.text
    assert topic("yes").output == "got yes"


def test_late_input_is_not_run_as_a_command(topic: Topic) -> None:
    assert topic("bash -c 'echo $$ >.asking; read answer'; echo over").state == "waiting"
    os.kill(int((topic.daemon.home / ".asking").read_text(encoding="ascii")), signal.SIGKILL)
    eventually(lambda: "program: (none)" in topic.events("//info").content)
    late = topic.events("touch late")
    assert late.head["code"] == "CONFLICT"
    assert "exit: 0 | cwd" in late.content
    assert "over" in late.content
    assert topic.says("ls").count("late") == 0


def test_late_output_is_in_the_next_reply(topic: Topic) -> None:
    topic.events('//set {_timeout} = "0.3"')
    gate = topic.gate()
    assert topic(f"{gate.wait}; echo late; (exit 3)").state == "running"
    gate.open()
    eventually(lambda: "program: (none)" in topic.events("//info").content)
    it = topic("echo next")
    assert it.state == "0"
    assert "exit: 3" in it.output
    assert it.output.index("late") < it.output.index("next")


@pytest.mark.requirement("bash.wait")
def test_wait_returns_after_its_timeout(topic: Topic) -> None:
    topic.events('//set {_timeout} = "0.2"')
    gate = topic.gate()
    assert topic(gate.wait).state == "running"
    assert topic("//wait 0.2").state == "running"
    gate.open()
    assert topic(f"//wait {LONGEST_WAIT}").state == "0"
    assert topic("//wait").output == "[no program is running]"
    assert topic.events("//wait long").head["code"] == "INVALID_PARAMS"


def test_signals_need_a_running_program(topic: Topic) -> None:
    topic.says("x=kept")
    for command in ("//interrupt", "//kill"):
        assert topic(command).output == "[no program is running]"
    assert topic.events("//keys Enter").head["code"] == "CONFLICT"
    assert topic.says("echo $x") == "kept"


@pytest.mark.parametrize("keys", ["//keys Nonsense", '//keys "open', "//keys ^é"])
def test_unknown_keys_are_reported(topic: Topic, keys: str) -> None:
    assert topic("cat").state == "waiting"
    refused = topic.events(keys)
    assert refused.head["code"] == "INVALID_PARAMS"
    assert "PageDown" in refused.content
    assert topic.ends("//interrupt").state == "130"


def test_invalid_limit_is_refused_before_running(topic: Topic) -> None:
    for bad in ('{_timeout} = "soon"', '{_timeout} = "5"\n{_size} = "wide"', '{_size} = "0x0"'):
        assert topic.events(f"//set {bad}").head["code"] == "INVALID_PARAMS"
    assert topic.events("//set").content.endswith("(none)")
    topic.events('//set {_size} = "100x30"')
    assert topic.says("ls; stty size") == "30 100"


@pytest.mark.parametrize("name", ["STRINGD_BASH_TIMEOUT", "STRINGD_BASH_SIZE"])
def test_invalid_environment_variable_is_fatal(start_daemon: Callable[..., DaemonProcess], name: str) -> None:
    daemon = start_daemon(env={name: "abc"}, ready=False)
    assert daemon.process.wait(20) == 2
    assert daemon.stderr().startswith(f"stringd: {name} must be ")
    assert daemon.stderr().count("\n") == 1


@pytest.mark.requirement("bash.wait")
def test_silent_program_is_reported_as_waiting(topic: Topic) -> None:
    assert topic("cat").state == "waiting"
    assert topic("//wait 0.4").state == "waiting"
    assert topic.ends("//keys Ctrl+D").state == "0"


def test_busy_topic_answers_info_and_close(topic: Topic) -> None:
    topic.says("true")
    with busy(topic, "sleep 30") as served:
        eventually(lambda: "program: sleep 30" in topic.events("//info").content)
        assert topic.events("//close").content.endswith(f"Closed: {topic.name}")
    assert answer(served.events()).state == "137"
    assert topic.says("echo anew") == "anew"


@pytest.mark.requirement("bash.start")
def test_missing_shell_program_is_reported(start_bash: Callable[..., DaemonProcess]) -> None:
    refused = Topic(start_bash(STRINGD_BASH_PROGRAM="/no/such/bash")).events("echo x")
    assert refused.head["code"] == "EXEC_FAILED"
    assert "/no/such/bash" in refused.content


def test_defaults_come_from_the_environment(start_bash: Callable[..., DaemonProcess]) -> None:
    daemon = start_bash(STRINGD_BASH_TIMEOUT="0.3", STRINGD_BASH_SIZE="100x30")
    rc = daemon.home / "rc"
    rc.write_text("echo never shown >/dev/null; from_rc=yes; cd /usr\n", encoding="utf-8")
    assert Topic(daemon)("stty size; sleep 30").output == "30 100"
    assert Topic(daemon).ends("//interrupt").state == "130"
    daemon = start_bash(STRINGD_BASH_RC=str(rc))
    it = Topic(daemon)("echo $from_rc")
    assert (it.output, it.cwd) == ("yes", "/usr")
