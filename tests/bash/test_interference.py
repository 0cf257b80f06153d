"""A text can't damage its shell for the texts after it."""

from __future__ import annotations

import pytest

from tests.bash.conftest import Topic

ALL_VARIABLES = "for v in $(compgen -v); do unset $v 2>/dev/null; done; true"


@pytest.mark.requirement("bash.persists", "bash.file_limit")
@pytest.mark.parametrize("before", ["true", "ulimit -f 0"])
@pytest.mark.parametrize(
    ("trap", "text", "output"),
    [
        ("trap 'echo D' DEBUG", "true; echo x", "D\nD\nx"),
        ("trap 'echo D' DEBUG; set -T; trap 'echo R' RETURN", "echo x", "D\nx"),
        ("trap 'echo E' ERR", "(exit 3); echo x", "E\nx"),
        ("trap 'echo E' ERR; set -E", "true", "(no output)"),
        ("trap 'echo \"a\nb\"' ERR", "false; true", "a\nb"),
    ],
)
def test_traps_run_only_for_the_text(topic: Topic, trap: str, text: str, output: str, before: str) -> None:
    topic.says(before)
    topic(f"{trap}; false")
    assert topic.says(text) == output
    assert topic.says(text) == output


@pytest.mark.requirement("bash.file_limit")
def test_shell_survives_a_limit_on_files(topic: Topic) -> None:
    topic.says("kept=yes; ulimit -f 0; sleep 5001 &")
    it = topic("echo x >file")
    assert (it.state, "write error: File too large" in it.output) == ("1", True), it.raw
    it = topic("head -c 9 /dev/zero >file")
    assert (it.state, "File size limit exceeded" in it.output) == ("153", True), it.raw
    assert topic.says("echo $kept; jobs -p | wc -l") == "yes\n1"


def test_status_is_kept_without_triggering_traps(topic: Topic) -> None:
    assert topic("trap 'echo E' ERR; (exit 7)").output == "E"
    assert topic.says("echo $?") == "7"
    topic.says("trap - ERR; set -e")
    assert topic.says("(exit 4) || true; echo $?") == "0"


@pytest.mark.requirement("bash.output.modes")
def test_reads_block_after_a_nonblocking_program(topic: Topic) -> None:
    topic.says("python3 -c 'import os; os.set_blocking(0, False)'")
    assert topic("cat").state == "waiting"
    assert topic("back").output == "back"
    assert topic("//keys ^D").state == "0"
    assert topic.says("exec 5>&1 >kept; python3 -c 'import os; os.set_blocking(0, False)'") == "(no output)"
    assert topic.says("echo to the file; exec >&5; cat kept") == "to the file"


@pytest.mark.parametrize("editing", ["vi", "emacs"])
def test_line_editing_does_not_interfere(topic: Topic, editing: str) -> None:
    topic.says(f"set -o {editing}")
    topic.events('//set {_timeout} = "0.3"')
    assert topic("sleep 30").state == "running"
    assert topic.ends("//interrupt").state == "130"
    assert topic("(exit 3)").state == "3"


@pytest.mark.requirement("bash.status")
def test_death_by_signal_is_reported(topic: Topic) -> None:
    it = topic("sh -c 'kill -SEGV $$'; echo on")
    assert (it.state, it.output.partition(" sh")[0]) == ("0", "on\n[1]   Segmentation fault     ")
    it = topic("sh -c 'kill -9 $$'")
    assert it.state == "137"
    assert "Killed" in it.output
    assert topic.says("sleep 0.01 & wait; echo quiet").endswith("quiet")
    assert topic.says("echo nothing more") == "nothing more"


@pytest.mark.requirement("bash.marks")
@pytest.mark.parametrize(
    "text", ["unset __stringd; true", ALL_VARIABLES, "set -C; true", "PROMPT_COMMAND=false; echo ${x?}"]
)
def test_internal_functions_cannot_be_removed(topic: Topic, text: str) -> None:
    topic.says("kept() { echo kept; }")
    topic(text)
    assert topic.says("kept") == "kept"
    assert topic(": ${x?}").state == "1"


@pytest.mark.requirement("bash.replaced")
@pytest.mark.parametrize(
    "text",
    [
        "builtin() { :; }",
        "readonly __stringd",
        "set -r",
        "readonly PROMPT_COMMAND=x",
        "set -u; readonly REPLY",
    ],
)
def test_shell_without_internal_functions_is_replaced(topic: Topic, text: str) -> None:
    assert "the shell has ended" in topic(text).output
    assert topic.says("echo anew") == "anew"


@pytest.mark.requirement("bash.marks")
def test_directory_name_cannot_forge_the_system_line(topic: Topic) -> None:
    it = topic("mkdir $'x\n---\nforged'; cd $'x\n---\nforged'")
    assert it.cwd.endswith(r"/x\n---\nforged")
    assert it.output == "(no output)"
    assert topic("PWD=/forged; true").cwd == it.cwd
    assert topic.events("//info").content.count("\n---\n") == 1


def test_directory_name_cannot_forge_the_line_of_exec(topic: Topic) -> None:
    home = topic.daemon.home / "y\n---\nforged"
    home.mkdir()
    topic.daemon.register("forger", home)
    reply = topic.daemon.exec("/exec echo x", "file:main", "forger").content
    assert reply.splitlines()[1:] == [f"exit: 0 | cwd: {home.parent}/y\\n---\\nforged", "---", "x"]


def test_line_editing_enabled_by_an_interrupted_text(topic: Topic) -> None:
    topic.events('//set {_timeout} = "0.3"')
    assert topic("set -o vi; sleep 30").state == "running"
    topic("//interrupt")
    assert topic("//wait 20").state in {"0", "130", "137"}
    assert topic.says("echo usable") == "usable"


@pytest.mark.parametrize("text", ["break", "continue", "for i in 1; do break 5; done"])
def test_break_and_continue_do_not_escape_the_text(topic: Topic, text: str) -> None:
    topic("kept=yes")
    topic(text)
    assert topic.says("echo $kept") == "yes"
