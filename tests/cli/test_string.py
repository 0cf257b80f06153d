"""The `string` program, as a process: arguments, standard input, output, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.terminal import PROGRAM
from tests.client.fake import CONTENT, HEAD, FakeDaemon, answer, failure, json_answer, sse, streamed, until

if TYPE_CHECKING:
    from collections.abc import Mapping


def string(
    *words: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    source: dict[str, Any] = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
    environment = {**os.environ, **(env or {})}
    return subprocess.run([PROGRAM, *words], env=environment, capture_output=True, timeout=20, **source)


def shell(command: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["bash", "-c", command], input=stdin, capture_output=True, timeout=30)


def test_one_command_prints_only_its_output(fake: FakeDaemon) -> None:
    fake.answers.append(answer("Session info\n---\nuri: é𝒞"))
    run = string("file:main", "/info")
    assert (run.returncode, run.stdout, run.stderr) == (0, "Session info\n---\nuri: é𝒞\n".encode(), b"")
    assert fake.commands() == ["/info"]


@pytest.mark.parametrize(
    ("content", "printed"),
    [("a", b"a\n"), ("a\n", b"a\n"), ("a\n\n", b"a\n\n"), ("", b""), ("\ud800", b"?\n"), ("  a ", b"  a \n")],
)
def test_output_is_printed_with_a_final_newline(fake: FakeDaemon, content: str, printed: bytes) -> None:
    fake.answers.append(answer(content))
    assert string("file:main", "/x").stdout == printed


@pytest.mark.requirement("cli.never.silent")
def test_success_is_never_silent(fake: FakeDaemon) -> None:
    fake.answers += [answer(""), answer("")]
    empty, asked = string("file:main", "/x"), string("file:main", "/x", "--json")
    assert (empty.returncode, empty.stdout) == (0, b"")
    assert empty.stderr == b"string: The command has succeeded, and answers nothing.\n"
    assert (json.loads(asked.stdout)["content"], asked.stderr) == ("", b"")
    nothing = string("file:main", stdin=b"\n \n")
    assert (nothing.returncode, nothing.stdout) == (0, b"")
    assert nothing.stderr == b"string: No command: standard input is empty.\n"


@pytest.mark.requirement("cli.default.topic")
@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["/topics"], "/topics"),
        (["--json", "/open a b.md"], "/open a b.md"),
        (["/write a.md", "-"], "/write a.md\nbody"),
        (["//help"], "//help"),
    ],
)
def test_command_without_a_topic_runs_in_the_default_one(
    fake: FakeDaemon, words: list[str], command: str
) -> None:
    fake.answers.append(answer("ok"))
    assert string(*words, stdin=b"body").returncode == 0
    assert fake.commands() == [command]
    assert json.loads(fake.last("POST /exec").body)["topic"] == "file:main"


def test_words_of_a_command_need_quotes(fake: FakeDaemon) -> None:
    run = string("/open", "a.md")
    assert (run.returncode, run.stdout) == (2, b"")
    assert b"put quotes around it" in run.stderr
    assert fake.commands() == []


def test_output_is_utf8_in_every_locale(fake: FakeDaemon) -> None:
    fake.answers += [answer("é"), failure("ERROR(NO): é")]
    locale = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    assert string("file:main", "/x", env=locale).stdout == "é\n".encode()
    assert string("file:main", "/x", env=locale).stderr == "ERROR(NO): é\n".encode()


def test_errors_go_to_stderr_and_failed_output_to_stdout(fake: FakeDaemon) -> None:
    fake.answers += [failure("ERROR(NO): nothing"), failure("exit: 3 | cwd: ~\n---\nout")]
    refused, failed = string("file:main", "/x"), string("file:main", "/exec false")
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, b"", b"ERROR(NO): nothing\n")
    assert (failed.returncode, failed.stdout, failed.stderr) == (1, b"exit: 3 | cwd: ~\n---\nout\n", b"")


def test_json_is_one_line_for_each_command(fake: FakeDaemon) -> None:
    fake.answers += [
        answer("a\nb é"),
        failure("ERROR(NO): x"),
        [json_answer({"error": "QUEUE_FULL", "message": "m"}, 429)],
    ]
    run = string("file:main", "--json", stdin=b"/a\n/b\n/c\n")
    assert [json.loads(line) for line in run.stdout.splitlines()] == [
        {"ok": True, "code": None, "topic": "file:main", "content": "a\nb é", "meta": None},
        {"ok": False, "code": "NO", "topic": "file:main", "content": "ERROR(NO): x", "meta": None},
        {"ok": False, "code": "QUEUE_FULL", "topic": "file:main", "content": "m", "meta": None},
    ]
    assert (run.returncode, run.stderr) == (1, b"string: m\n")


@pytest.mark.parametrize(
    ("words", "stdin", "expected"),
    [
        (["-"], b"/write a\nb\n", ["/write a\nb\n"]),
        (["/write a", "-"], "b é\r\n\nc".encode(), ["/write a\nb é\r\n\nc"]),
        (["/write a", "-"], b"", ["/write a\n"]),
        ([], b"/a\n\n  \n/b\r\n/c", ["/a", "/b", "/c"]),
        ([], b"", []),
    ],
)
def test_stdin_is_a_command_a_body_or_lines(
    fake: FakeDaemon, words: list[str], stdin: bytes, expected: list[str]
) -> None:
    fake.answers += [answer("")] * len(expected)
    assert string("file:main", *words, stdin=stdin).returncode == 0
    assert fake.commands() == expected


def test_failed_line_does_not_stop_the_others(fake: FakeDaemon) -> None:
    fake.answers += [answer("1"), failure("ERROR(NO): 2"), answer("3")]
    run = string("file:main", stdin=b"/a\n/b\n/c\n")
    assert (run.returncode, run.stdout, run.stderr) == (1, b"1\n3\n", b"ERROR(NO): 2\n")


def test_each_line_is_answered_before_the_next(fake: FakeDaemon) -> None:
    fake.answers += [answer("1"), answer("2")]
    with subprocess.Popen([PROGRAM, "a"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        for number in (b"1", b"2"):
            run.stdin.write(b"/x\n")
            run.stdin.flush()
            assert run.stdout.readline() == number + b"\n"
        run.stdin.close()
        assert run.wait(10) == 0


def test_one_command_does_not_consume_stdin(fake: FakeDaemon) -> None:
    fake.answers += [answer("ok")] * 3
    loop = f'while read -r line; do {PROGRAM} file:main "$line"; done'
    run = shell(loop, b"/a\n/b\n/c\n")
    assert run.stdout == b"ok\n" * 3
    assert fake.commands() == ["/a", "/b", "/c"]


def test_non_utf8_input_is_a_one_line_error(fake: FakeDaemon) -> None:
    run = string("file:main", "-", stdin=b"/x \xff")
    assert (run.returncode, run.stderr) == (1, b"string: Standard input is not UTF-8 text.\n")
    assert fake.commands() == []


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["file:main", "/set", "x"],
        ["file:main", "/a", "-", "-"],
        ["--port", "0", "file:main"],
        ["--port", "x", "file:main"],
        ["--user", "", "file:main"],
        ["--user", "a\nb", "file:main"],
        ["--nonsense", "file:main"],
        ["--js", "file:main"],
    ],
)
def test_misuse_exits_with_2_and_sends_nothing(fake: FakeDaemon, words: list[str]) -> None:
    run = string(*words)
    assert run.returncode == 2
    assert run.stderr.startswith(b"string: ")
    assert run.stderr.count(b"\n") == 1
    assert fake.seen == []


@pytest.mark.parametrize(
    "words",
    [["a", "--json", "/x"], ["--json", "a", "/x"], ["a", "/x", "--json"], ["--json", "--", "a", "/x"]],
)
def test_options_in_any_position(fake: FakeDaemon, words: list[str]) -> None:
    fake.answers.append(answer("Hello"))
    assert json.loads(string(*words).stdout)["content"] == "Hello"


def test_double_dash_ends_options(fake: FakeDaemon) -> None:
    fake.answers.append(answer(""))
    assert string("bash:dev", "--", "--json").returncode == 0
    assert fake.commands() == ["--json"]


@pytest.mark.parametrize(
    ("words", "env", "user"),
    [
        ([], {}, b"default"),
        ([], {"STRINGD_USER": "größe"}, "größe".encode()),
        ([], {"STRINGD_USER": ""}, b"default"),
        (["--user", "x"], {"STRINGD_USER": "y"}, b"x"),
    ],
)
def test_the_user_is_an_option_or_a_variable(
    fake: FakeDaemon, words: list[str], env: dict[str, str], user: bytes
) -> None:
    fake.answers.append(answer(""))
    string(*words, "file:main", "/x", env=env)
    assert fake.last("POST /exec").headers["x-user-id"] == user


def test_the_port_option_wins(fake: FakeDaemon) -> None:
    fake.answers.append(answer("Hello"))
    run = string("--port", str(fake.port), "file:main", "/x", env={"STRINGD_PORT": "1"})
    assert run.stdout == b"Hello\n"


def test_help_and_version_need_no_daemon(fake: FakeDaemon) -> None:
    fake.stop()
    assert string("--version").stdout.startswith(b"string 0.")
    shown = string("--help")
    assert shown.returncode == 0
    for option in (b"--user", b"--port", b"--json", b"--no-start", b"STRINGD_USER", b"STRINGD_PORT"):
        assert option in shown.stdout


@pytest.mark.parametrize(
    ("status", "body", "line"),
    [
        (400, {"error": "Invalid topic: a b"}, b"string: Invalid topic: a b\n"),
        (429, {"error": "QUEUE_FULL", "message": "Try\nlater."}, b"string: Try later.\n"),
        (500, "nonsense", b"string: The daemon answered 500.\n"),
    ],
)
def test_daemon_errors_are_one_line(fake: FakeDaemon, status: int, body: object, line: bytes) -> None:
    fake.answers.append([json_answer(body, status)])
    run = string("a b", "/x")
    assert (run.returncode, run.stdout, run.stderr) == (1, b"", line)


def test_no_start_without_a_daemon_is_a_one_line_error(fake: FakeDaemon) -> None:
    fake.stop()
    run = string("--no-start", "file:main", "/x")
    assert run.returncode == 1
    assert run.stderr.startswith(b"string: No daemon answers on port ")
    assert run.stderr.count(b"\n") == 1


def test_incomplete_answer_is_shown_and_reported(fake: FakeDaemon) -> None:
    fake.answers.append([sse(HEAD + CONTENT)])
    run = string("file:main", "/x")
    assert (run.returncode, run.stdout) == (1, b"Hello\n")
    assert run.stderr == b"string: The answer is incomplete; the command may have run.\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_ends_the_program_quietly(
    fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch, unbuffered: str
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    fake.answers += [answer("x\n" * 200_000), answer("y")]
    pipeline = f"printf '/a\\n/b\\n' | {PROGRAM} file:main | head -n 1; exit ${{PIPESTATUS[1]}}"
    run = shell(pipeline)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"x\n", b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_a_one_line_error(fake: FakeDaemon) -> None:
    fake.answers.append(answer("Hello"))
    command = f"{PROGRAM} file:main /x > /dev/full"
    run = shell(command)
    assert run.returncode == 1
    assert run.stderr == b"string: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_harmless(fake: FakeDaemon, closed: str) -> None:
    fake.answers.append(answer("Hello"))
    command = f"{PROGRAM} file:main /x {closed}"
    run = shell(command)
    assert (run.returncode, run.stderr) == (0, b"")
    assert fake.commands() == ["/x"]


def test_ctrl_c_exits_with_130_silently(fake: FakeDaemon) -> None:
    fake.answers.append(streamed(HEAD)[:-1])
    fake.routes["POST /cancel"] = [json_answer({"error": "Not found"}, 404)]
    with subprocess.Popen([PROGRAM, "a", "/nap 60"], stderr=subprocess.PIPE) as run:
        until(lambda: fake.commands())
        run.send_signal(signal.SIGINT)
        assert run.wait(10) == 130
        assert run.stderr is not None
        assert run.stderr.read() == b""
