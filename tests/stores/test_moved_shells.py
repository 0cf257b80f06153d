"""A bash topic whose home has moved says so before anything is done, and goes on in its directory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.bash.conftest import Topic
from tests.protocol.waits import eventually
from tests.stores.conftest import Elsewhere

LOST = "The shell of this topic has ended with the daemon that it ran on; nothing was done."


@pytest.fixture
def moving(on_demand: Elsewhere) -> Elsewhere:
    """A daemon that serves the home of the user."""
    on_demand.restore()
    return on_demand


def move(moving: Elsewhere, *, stored: bool = True) -> None:
    moving.release(stored=stored)
    moving.restore()


def refusal(events: Events) -> list[str]:
    """Return the lines of a reply that says that the shell is gone."""
    assert (events.head["ok"], events.head["code"]) == (False, "TOPIC_RESTARTED")
    _, message, *lines = events.content.split("\n")
    assert message == f"ERROR(TOPIC_RESTARTED): {LOST}"
    return lines


def new_shell_in(directory: Path) -> str:
    lacking = "without variables, functions and jobs of the other"
    return f"The next text starts a new shell in {directory}, {lacking}."


@pytest.mark.requirement("moved.shell", "moved.directory")
@pytest.mark.parametrize("stored", [True, False])
def test_the_first_text_after_a_move_is_not_run(moving: Elsewhere, stored: bool) -> None:
    topic, directory = Topic(moving.daemon), moving.home / "a project"
    topic.says("x=1; mkdir 'a project'; cd 'a project'")
    topic.events('//set {city} = "Oslo"')
    move(moving, stored=stored)
    assert refusal(topic.events("touch done; rm -rf ./$x")) == [new_shell_in(directory)]
    assert topic("echo $x$city; pwd").output == f"Oslo\n{directory}"
    assert not (directory / "done").exists()
    assert topic.says("pwd") == str(directory)


@pytest.mark.requirement("moved.shell.early")
def test_what_was_sent_before_the_first_reply_is_not_run_either(moving: Elsewhere) -> None:
    topic = Topic(moving.daemon)
    topic.says("true")
    move(moving)
    sent = [moving.send(f"touch done; sleep {seconds}", "bash:t") for seconds in (0.1, 0.2, 0.3)]
    answers = [it.result(10) for it in sent]
    ran = [it for it in answers if isinstance(it, Events) and it.head["ok"]]
    refused = [it for it in answers if isinstance(it, Events) and it.head["code"] == "TOPIC_RESTARTED"]
    assert (len(ran) + len(refused), len(refused) >= 1) == (3, True)
    # Those that came after the first was refused may run.
    assert len(ran) == 0 or (moving.home / "done").exists()
    assert topic.says("echo on") == "on"


@pytest.mark.requirement("moved.program")
def test_what_may_be_meant_for_a_program_that_is_gone_is_not_run(moving: Elsewhere) -> None:
    topic = Topic(moving.daemon)
    assert topic("read -r answer").state == "waiting"
    move(moving)
    assert refusal(topic.events("touch done")) == [
        "So has the program that ran in it: read -r answer",
        new_shell_in(moving.home),
    ]
    assert topic.says("ls") == "(no output)"


@pytest.mark.requirement("moved.program")
def test_a_password_for_a_program_that_is_gone_is_masked(moving: Elsewhere) -> None:
    topic = Topic(moving.daemon)
    assert topic("read -rsp 'Password: ' word").state == "waiting"
    move(moving)
    events = topic.events("hunter2")
    refusal(events)
    assert "hunter2" not in events.content + json.dumps(events.head)


@pytest.mark.requirement("moved.shell")
@pytest.mark.parametrize("command", ["//wait", "//interrupt", "//kill", "//keys ^C", "//screen", "//jobs"])
def test_commands_for_programs_say_that_the_shell_is_gone(moving: Elsewhere, command: str) -> None:
    topic = Topic(moving.daemon)
    topic.events('//set {_timeout} = "0.1"')
    assert topic("sleep 100").state == "running"
    move(moving)
    assert refusal(topic.events(command))[0] == "So has the program that ran in it: sleep 100"
    assert topic.says("echo on") == "on"


@pytest.mark.requirement("moved.told")
def test_a_shell_whose_end_is_known_or_wanted_is_not_missed(moving: Elsewhere) -> None:
    topic, other = Topic(moving.daemon), Topic(moving.daemon, "bash:other")
    assert topic("cd /; exit 3").state == "3"
    other.says("cd /")
    move(moving)
    assert topic.says("pwd") == str(moving.home)
    assert other("//reset").cwd == str(moving.home)
    move(moving)
    refusal(other.events("true"))
    move(moving)
    assert refusal(other.events("true")) == [new_shell_in(moving.home)]
    assert other.events("//close").head["ok"]
    assert other.says("echo new") == "new"


@pytest.mark.requirement("moved.directory")
def test_a_directory_that_is_gone_is_named(moving: Elsewhere) -> None:
    topic, directory = Topic(moving.daemon), moving.home / "gone"
    topic.says("mkdir gone; cd gone")
    move(moving)
    directory.rmdir()
    where = Path(f"{moving.home} ({directory} is not there any more)")
    assert refusal(topic.events("touch done")) == [new_shell_in(where)]
    assert topic.says("pwd; ls") == str(moving.home)


@pytest.mark.requirement("moved.directory")
def test_a_directory_is_stored_only_when_it_changes(moving: Elsewhere) -> None:
    topic = Topic(moving.daemon)
    topic.says("cd /")
    stored = [moving()["saves"], topic.says("true"), topic.says("echo x"), moving()["saves"]]
    assert stored[0] == stored[-1]
    topic.says("cd /usr")
    assert json.loads(moving()["data"]["bash:t"]["bash"])["directory"] == "/usr"
    assert moving()["saves"] == stored[0] + 1


@pytest.mark.requirement("bash.replaced.later")
def test_a_restarted_daemon_says_so_and_goes_on_in_the_directory(
    start_daemon: Callable[..., DaemonProcess],
) -> None:
    daemon = start_daemon()
    daemon.register("default", daemon.home)
    daemon.home.mkdir(exist_ok=True)
    topic = Topic(daemon)
    topic.says("cd /usr")
    daemon.kill()
    daemon.start()
    first, second = topic.says("pwd").splitlines()
    assert first == (
        "[the shell before has ended with the daemon; "
        "this is a new one in /usr, without what was set in the other]"
    )
    assert second == "/usr"
    topic.events('//set {_timeout} = "0.1"')
    assert topic("sleep 100").state == "running"
    daemon.restart()
    assert refusal(topic.events("y"))[0] == "So has the program that ran in it: sleep 100"
    assert eventually(lambda: topic.says("pwd") == "/usr")
