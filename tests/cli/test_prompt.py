"""The prompt of `string` at a terminal."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

import pytest

from tests.cli.terminal import CTRL_C, CTRL_D, PROGRAM, TAB, UP, Terminal
from tests.client.fake import HEAD, FakeDaemon, answer, failure, json_answer, streamed, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HELP = "String Commands\n---\n/help [cmd] - this\n/hello - greets\n/info - tells\n"


def test_ctrl_d_ends_the_prompt(fake: FakeDaemon) -> None:
    fake.answers += [answer("Hello"), failure("ERROR(NO): nothing")]
    with Terminal(f"{PROGRAM} file:main") as terminal:
        terminal.expect("file:main> ")
        terminal.type("/a\n")
        terminal.expect("Hello\r\nfile:main> ")
        terminal.type("  \n")
        terminal.expect("file:main> ")
        terminal.type("/b é\n")
        terminal.expect("ERROR(NO): nothing\r\nfile:main> ")
        terminal.type(CTRL_D)
        assert terminal.process.wait(5) == 0
    assert fake.commands() == ["/a", "/b é"]


@pytest.mark.parametrize(("topic", "prompt"), [("notes", "file:notes> "), ("''", "file:main> ")])
def test_the_prompt_shows_the_whole_name(fake: FakeDaemon, topic: str, prompt: str) -> None:
    with Terminal(f"{PROGRAM} {topic}") as terminal:
        terminal.expect(prompt)
        assert fake.seen == []


def test_prompt_is_not_written_to_stdout(fake: FakeDaemon, tmp_path: Path) -> None:
    fake.answers.append(answer("Hello"))
    with Terminal(f"{PROGRAM} file:main > {tmp_path}/out") as terminal:
        terminal.expect("file:main> ")
        terminal.type("/a\n")
        terminal.expect("file:main> ")
        terminal.type(CTRL_D)
        assert terminal.process.wait(5) == 0
    assert (tmp_path / "out").read_text(encoding="utf-8") == "Hello\n"


def test_stderr_need_not_be_a_terminal(fake: FakeDaemon, tmp_path: Path) -> None:
    fake.answers.append(answer("Hello"))
    with Terminal(f"{PROGRAM} file:main 2> {tmp_path}/errors") as terminal:
        terminal.type("/a\n")
        terminal.expect("Hello\r\n")
        terminal.type(CTRL_D)
        assert terminal.process.wait(5) == 0
    assert (tmp_path / "errors").read_text(encoding="utf-8").startswith("file:main> ")


def test_ctrl_c_abandons_the_line(fake: FakeDaemon) -> None:
    fake.answers.append(answer("Hello"))
    with Terminal(f"{PROGRAM} file:main") as terminal:
        terminal.expect("file:main> ")
        terminal.type("/never")
        terminal.expect("/never")
        terminal.interrupt("file:main> ")
        terminal.type("/a\n")
        terminal.expect("Hello\r\nfile:main> ")
    assert fake.commands() == ["/a"]


@pytest.mark.requirement("activity.cancel.prompt")
def test_ctrl_c_during_a_command_cancels_it(fake: FakeDaemon) -> None:
    ended, cancelled = (
        threading.Event(),
        json_answer({"topic": "file:main", "cancelled": True, "cmd": "/long"}),
    )

    class Script(list[bytes]):
        """An answer whose end comes after the command was cancelled."""

        def __iter__(self) -> Iterator[bytes]:
            head, *rest = (failure("ERROR(NO): stopped")[0] or b"").partition(b"event: content")
            yield head
            ended.wait(10)
            yield from rest

    class Cancelling(list[bytes]):
        def __iter__(self) -> Iterator[bytes]:
            ended.set()
            yield cancelled

    fake.answers += [Script(), answer("Hello")]
    fake.routes["POST /cancel"] = Cancelling()
    with Terminal(f"{PROGRAM} file:main") as terminal:
        terminal.expect("file:main> ")
        terminal.type("/long\n")
        until(lambda: fake.commands())
        terminal.type(CTRL_C)
        terminal.expect("ERROR(NO): stopped\r\nfile:main> ")
        terminal.type("/a\n")
        terminal.expect("Hello\r\nfile:main> ")
    request = json.loads(fake.last("POST /cancel").body)
    first = next(it for it in fake.seen if it.path == "/exec")
    assert request == {"topic": "file:main", "request_id": json.loads(first.body)["request_id"]}


@pytest.mark.requirement("activity.cancel.prompt")
@pytest.mark.parametrize("answered", [True, False])
def test_ctrl_c_leaves_what_can_not_be_cancelled_to_the_daemon(fake: FakeDaemon, answered: bool) -> None:
    """The daemon refuses to cancel, or takes its time until Ctrl-C is pressed again."""
    fake.answers += [streamed(HEAD)[:-1], answer("Hello")]
    fake.routes["POST /cancel"] = [json_answer({"error": "Not found"}, 404)] if answered else []
    with Terminal(f"{PROGRAM} file:main") as terminal:
        terminal.expect("file:main> ")
        terminal.type("/long\n")
        until(lambda: fake.commands())
        terminal.type(CTRL_C)
        until(lambda: fake.count("POST /cancel"))
        if answered:
            terminal.expect("the command continues in the daemon.\r\nfile:main> ")
        else:
            terminal.interrupt("the command continues in the daemon.\r\nfile:main> ")
        terminal.type("/a\n")
        terminal.expect("Hello\r\nfile:main> ")
    assert fake.commands() == ["/long", "/a"]


def test_an_outage_does_not_end_the_prompt(fake: FakeDaemon) -> None:
    with Terminal(f"{PROGRAM} file:main --no-start") as terminal:
        terminal.expect("file:main> ")
        fake.stop()
        terminal.type("/a\n")
        terminal.expect("string: No daemon answers on port")
        terminal.expect("file:main> ")


@pytest.mark.parametrize(
    ("topic", "typed", "completed"),
    [
        ("file:main", "/inf", "/info "),
        ("file:main", "//inf", "//info "),
        ("bash:dev", "//inf", "//info "),
        ("plot:dev", "/inf", "/inf"),
        ("file:main", "/hel", "/hel"),
        ("bash:dev", "/inf", "/inf"),
        ("file:main", "/x /inf", "/x /inf"),
    ],
)
def test_tab_completes_the_names_that_help_lists(
    fake: FakeDaemon, topic: str, typed: str, completed: str
) -> None:
    # A topic that takes plain text lists its commands with two slashes.
    fake.routes["POST /exec"] = answer(HELP.replace("\n/", "\n//") if topic != "file:main" else HELP)
    with Terminal(f"{PROGRAM} {topic}") as terminal:
        terminal.expect(f"{topic}> ")
        terminal.type(typed)
        terminal.type(TAB)
        terminal.type("END\n")
        terminal.expect("String Commands")
    assert fake.commands()[-1] == f"{completed}END"


def test_completion_is_asked_for_once(fake: FakeDaemon) -> None:
    fake.routes["POST /exec"] = answer(HELP)
    with Terminal(f"{PROGRAM} file:main") as terminal:
        for _ in range(2):
            terminal.expect("file:main> ")
            terminal.type("/inf" + "\t" + "\n")
            terminal.expect("String Commands")
    assert fake.commands() == ["//help", "/info ", "/info "]


def test_masked_input_is_not_saved_in_history(fake: FakeDaemon, tmp_path: Path) -> None:
    masked = HEAD.replace(b"/x", b"********")
    assert masked != HEAD
    fake.routes["POST /exec"] = answer("Hello", masked)
    with Terminal(f"{PROGRAM} bash:vault") as terminal:
        terminal.expect("bash:vault> ")
        terminal.type("hunter2\n")
        terminal.expect("Hello")
        terminal.expect("bash:vault> ")
        terminal.type(CTRL_D)
        assert terminal.process.wait(5) == 0
    assert "hunter2" not in (tmp_path / ".string/history").read_text(encoding="utf-8")


def test_history_persists_without_secrets(fake: FakeDaemon, tmp_path: Path) -> None:
    fake.routes["POST /exec"] = answer("Hello")
    with Terminal(f"{PROGRAM} app:mail") as terminal:
        for line in ("/first é", '/set $KEY = "hunter2"', "//SET  $KEY = 'hunter2'"):
            terminal.expect("app:mail> ")
            terminal.type(f"{line}\n")
            terminal.expect("Hello")
        terminal.expect("app:mail> ")
        terminal.type(CTRL_D)
        assert terminal.process.wait(5) == 0
    with Terminal(f"{PROGRAM} file:main") as terminal:
        terminal.expect("file:main> ")
        terminal.type(UP + b"\n")
        terminal.expect("Hello")
    assert json.loads(fake.last("POST /exec").body)["cmd"] == "/first é"
    history = tmp_path / ".string/history"
    assert "hunter2" not in history.read_text(encoding="utf-8")
    assert history.stat().st_mode & 0o777 == 0o600


@pytest.mark.requirement("special.client")
@pytest.mark.parametrize("is_linked", [True, False])
def test_history_that_is_not_a_file_is_left_alone(fake: FakeDaemon, tmp_path: Path, is_linked: bool) -> None:
    history = tmp_path / ".string" / "history"
    history.parent.mkdir(mode=0o700)
    pipe = tmp_path / "pipe" if is_linked else history
    os.mkfifo(pipe, 0o640)
    if is_linked:
        history.symlink_to(pipe)
    before = pipe.lstat()
    with Terminal(f"{PROGRAM} file:main") as terminal:
        terminal.expect("file:main> ")
        terminal.type(CTRL_D)
        assert terminal.process.wait(5) == 0
    assert (pipe.lstat().st_ino, pipe.lstat().st_mode) == (before.st_ino, before.st_mode)
