"""The shell persists, and a text of any form is one command with its real exit status."""

from __future__ import annotations

import os
import re
import signal

import pytest

from stringd.testing.process import DaemonProcess
from tests.bash.conftest import Topic
from tests.protocol.waits import eventually


@pytest.mark.requirement("bash.persists")
def test_state_persists(topic: Topic) -> None:
    topic.says("mkdir -p a/b && cd a/b")
    topic.says("export SHOWN=1; hidden=2; f() { echo f $1; }; shopt -s extglob; alias hello='echo hello'")
    topic.says("set -o pipefail; set -- one two")
    found = topic.says(
        "sh -c 'echo $SHOWN-$hidden'; echo $hidden; f x; hello; echo $# $2; set -o | grep pipefail"
    )
    assert found.split() == ["1-", "2", "f", "x", "hello", "2", "two", "pipefail", "on"]
    assert topic("true").cwd == f"{topic.daemon.home}/a/b"


@pytest.mark.requirement("bash.start")
def test_shell_starts_in_home_without_startup_files(topic: Topic) -> None:
    (topic.daemon.home / ".bashrc").write_text("echo from bashrc\n", encoding="utf-8")
    assert topic.says("echo $HOME; pwd; echo $-").splitlines()[:2] == [str(topic.daemon.home)] * 2
    assert topic("pwd").cwd == str(topic.daemon.home)


@pytest.mark.requirement("bash.status")
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("true", 0),
        ("false", 1),
        ("(exit 7)", 7),
        ("f() { return 42; }; f", 42),
        ("false | true", 0),
        ("sh -c 'kill -9 $$'", 137),
        ("sh -c 'kill -TERM $$'", 143),
        ("no-such-program-at-all", 127),
        ("/etc/passwd", 126),
        ("echo ${nothing?is missing}", 1),
        ("if", 2),
        ("echo )", 2),
        ("echo 'unbalanced", 2),
        ('echo "unbalanced', 2),
        ("echo $(", 2),
        ("exec no-such-program-at-all", 127),
        ("return 3", 2),
        ("test 1 = 2 # a comment", 1),
        ("# only a comment", 0),
    ],
)
def test_exit_status_is_real_and_shell_survives(topic: Topic, text: str, status: int) -> None:
    topic.says("kept=yes")
    it = topic(text)
    assert (it.state, it.code) == (str(status), f"EXIT_{status}" if status else None), it.raw
    assert topic.says("echo $kept") == "yes"


@pytest.mark.requirement("bash.replaced", "bash.status")
@pytest.mark.parametrize(
    ("text", "status"),
    [("exit 3", 3), ("exit", 0), ("set -e; false", 1), ("kill -9 $$", 137), ("exec sh -c 'exit 5'", 5)],
)
def test_ended_shell_reports_status_and_is_replaced(topic: Topic, text: str, status: int) -> None:
    topic.says("kept=yes; cd /")
    it = topic(text)
    assert (it.state, it.cwd) == (str(status), str(topic.daemon.home))
    assert "the shell has ended" in it.output
    assert topic.says("echo ${kept:-gone}") == "gone"


def test_last_status_is_kept_for_the_next_text(topic: Topic) -> None:
    topic("(exit 9)")
    assert topic.says("echo $?") == "9"


@pytest.mark.requirement("bash.plain_text", "bash.marks")
@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("cat <<'END'\n$x \\ `y`\nEND", "$x \\ `y`"),
        ("cat <<END", "bash: warning: here-document at line 1 delimited by end-of-file (wanted `END')"),
        ("echo one \\\ntwo", "one two"),
        ("echo back\\", "back\\"),
        ("for i in 1 2\ndo\n  echo $i\ndone\n# end", "1\n2"),
        ("echo 'a\nb'", "a\nb"),
        ("echo é𝒞", "é𝒞"),
        ("printf '%q' \x01\x1b\x7f", "$'\\001\\E\\177'"),
        ("/bin/echo slash", "slash"),
        ("echo 'exit: 0 | cwd: /\n---\nx'", "exit: 0 | cwd: /\n---\nx"),
        ("local x=1; echo $x", "bash: local: can only be used in a function"),
        ("stty raw -echo; echo x", "x"),
        ('for fd in {3..255}; do eval "exec $fd>&-"; done; echo closed', "closed"),
        ('for fd in $(ls /proc/$$/fd); do eval "exec $fd>&-"; done', ""),
        ("trap 'echo trapped' EXIT; trap '' INT; echo set", "set"),
        ("alias eval=false; unset PROMPT_COMMAND; set -f; IFS=x; echo done", "done"),
    ],
)
def test_text_of_any_shape_is_one_command(topic: Topic, text: str, output: str) -> None:
    assert topic.says(text).rstrip() == output or output in topic(text).output
    assert topic.says("echo still here") == "still here"
    assert topic.says("echo and here") == "and here"


def test_trace_shows_only_the_text(topic: Topic) -> None:
    assert re.fullmatch(r"\++ exit 3", topic("set -x; (exit 3)").output)
    assert re.fullmatch(r"\++ echo 3\n3", topic.says("echo $?"))
    assert re.fullmatch(r"\++ set \+x\nx", topic.says("set +x; echo x"))
    assert topic.says("echo quiet") == "quiet"


@pytest.mark.long
def test_a_megabyte_is_one_command(topic: Topic) -> None:
    assert topic.says(f"x='{'a' * 1_000_000}'\necho ${{#x}}") == "1000000"


def test_a_nul_character_is_refused(topic: Topic) -> None:
    assert topic.events("echo a\0b").head["code"] == "INVALID_PAYLOAD"


@pytest.mark.requirement("bash.variables")
def test_variables_of_the_topic_are_exported(topic: Topic) -> None:
    topic.events('//set {city} = "It\'s $HOME"\n{_hidden} = "x"')
    assert topic.says("sh -c 'echo $city-$_hidden'") == "It's $HOME-"
    topic.says("city=changed")
    assert topic.says("echo $city") == "changed"
    topic.events('//set {city} = "again"')
    assert topic.says("echo $city") == "again"


def test_runtime_commands_start_with_two_slashes(topic: Topic) -> None:
    topic.says("cd /usr")
    info = topic.events("//info").content
    assert "\ncwd: /usr\n" in info
    assert topic.events("//open x").head["code"] == "COMMAND_UNSUPPORTED"
    assert topic("/open x").state == "127"


@pytest.mark.requirement("bash.home")
def test_shell_start_failure_is_reported(shared: DaemonProcess) -> None:
    shared.register("ghost", shared.home / "nowhere")
    (shared.home / "nowhere").rmdir()
    it = shared.exec("echo x", "bash:t", "ghost")
    assert it.head["code"] == "NOT_FOUND"
    assert f"ERROR(NOT_FOUND): No such directory: {shared.home / 'nowhere'}\n" in it.content
    assert "Shells of user ghost start there" in it.content


@pytest.mark.requirement("bash.home")
def test_shell_goes_on_when_its_home_vanishes(shared: DaemonProcess) -> None:
    home = shared.home / "vanishing"
    shared.register("mover", home)
    topic = Topic(shared, "bash:t", "mover")
    assert topic("pwd; rmdir ~").cwd == f"{home} (deleted)"
    assert topic.says("echo on") == "on"
    assert topic("exit 3").code == "EXIT_3"
    assert topic.events("echo x").head["code"] == "NOT_FOUND"
    home.mkdir()
    assert topic.says("echo back") == "back"


@pytest.mark.requirement("bash.replaced.later")
def test_first_reply_after_a_lost_shell_says_so(topic: Topic) -> None:
    shell = int(topic.says("echo $$"))
    os.kill(shell, signal.SIGKILL)
    eventually(lambda: "shell: (none)" in topic.events("//info").content)
    first, *output = topic.says("echo new").splitlines()
    assert first.startswith("[the shell before has ended with status 137; this is a new one in ")
    assert output == ["new"]
    assert topic.says("echo again") == "again"
    topic("exit 3")
    assert topic.says("echo told") == "told"
    topic("//reset")
    assert topic.says("echo wanted") == "wanted"


@pytest.mark.requirement("bash.replaced.later")
def test_first_reply_after_a_restart_says_so(own_daemon: DaemonProcess) -> None:
    topic = Topic(own_daemon)
    topic.says("x=1")
    topic.events("//fork bash:other")
    own_daemon.restart()
    assert Topic(own_daemon, "bash:other").says("echo mine") == "mine"
    first, *output = topic.says("echo new").splitlines()
    assert first.startswith("[the shell before has ended with the daemon; this is a new one in ")
    assert output == ["new"]
    assert topic.says("echo again") == "again"


@pytest.mark.requirement("bash.help")
def test_help_names_the_session(topic: Topic) -> None:
    listing = topic.events("//help").content
    assert listing.startswith("re: //help\nBash Session\n---\n")
    assert "\nPrograms:\n//" in listing
    assert topic.events("//help jobs").content.startswith("re: //help jobs\nBash Session\n---\n//jobs")
    assert topic.events("//help close").content.startswith("re: //help close\nBash Session\n---\n//close\n")
    assert topic.events("//help clos").content.endswith("Unknown command: //clos\nnearest: //close")
    assert topic.events("//close --help").content.startswith(
        "re: //close --help\nBash Session\n---\n//close\n"
    )
    assert topic.events("//jobs --help").content.startswith("re: //jobs --help\nBash Session\n---\n//jobs")
