"""The command line in `cmd`: words, bodies, unknown commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.protocol.streams import body_of
from tests.protocol.waits import recorded

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess

BODIES = [
    "one line",
    "  indented\tand tabbed  \nnext  x",
    "\n\nleading blank lines are kept",
    "a\n\n\nb",
    "a\r\nb",
    "/info",
    "back\\slash \"quotes\" 'and' $HOME {x} <y>",
    "𝒞 ümläut",
]


def error(daemon: DaemonProcess, cmd: str) -> tuple[str, list[str]]:
    answer = daemon.exec(cmd)
    assert answer.head["ok"] is False
    return answer.head["code"], body_of(answer.content).split("\n")


@pytest.mark.requirement("command.trim")
@pytest.mark.parametrize("cmd", ["/info", "  /info", "/info \t", "\n\n /info\n \n"])
def test_surrounding_whitespace_is_dropped(shared: DaemonProcess, cmd: str) -> None:
    answer = shared.exec(cmd)
    assert answer.head["ok"] is True
    assert answer.content.startswith("re: /info\nSession info\n---\n")


@pytest.mark.requirement("command.body", "reply.system_content")
@pytest.mark.parametrize("text", BODIES)
def test_body_arrives_byte_exact(probed: DaemonProcess, text: str) -> None:
    _, separator, content = body_of(probed.exec(f"/body\n{text}\n\n ").content).partition("\n---\n")
    assert separator
    assert content == text


@pytest.mark.requirement("command.single", "command.no_body")
@pytest.mark.parametrize("first", ["/info", "/topics", "/help", "/record first"])
def test_second_line_is_not_a_second_command(probed: DaemonProcess, first: str) -> None:
    code, lines = error(probed, f"{first}\n/record second")
    assert code == "INVALID_PAYLOAD"
    assert lines[0].startswith("ERROR(INVALID_PAYLOAD): ")
    assert recorded(probed) == []


@pytest.mark.requirement("command.word")
@pytest.mark.parametrize("cmd", ["/INFO", "/Info", "/iNFO ", "//INFO"])
def test_command_word_is_case_insensitive(shared: DaemonProcess, cmd: str) -> None:
    assert body_of(shared.exec(cmd).content).startswith("Session info\n---\n")


@pytest.mark.requirement("command.word", "command.rest")
def test_rest_of_the_header_is_raw(probed: DaemonProcess) -> None:
    for cmd in ("/record a   b", "/record\ttab", "/record X\t Y", "/RECORD 'q' \"Q\" \\n $5 --x"):
        assert probed.exec(cmd).head["ok"] is True
    assert recorded(probed) == ["a   b", "tab", "X\t Y", "'q' \"Q\" \\n $5 --x"]


@pytest.mark.requirement("command.slash", "exec.cmd.slash")
@pytest.mark.parametrize("cmd", ["info", "hello world", "# Notes\n\n/info", "\\info", "<b>", "-h"])
def test_text_without_a_slash_is_refused(shared: DaemonProcess, cmd: str) -> None:
    answer = shared.exec(cmd)
    message = "ERROR(COMMAND_UNSUPPORTED): Commands must start with /. Use /help for details."
    assert (answer.status, answer.head["ok"], answer.head["code"]) == (200, False, "COMMAND_UNSUPPORTED")
    assert body_of(answer.content) == message


@pytest.mark.requirement("command.unknown", "command.unknown.hint", "reply.context", "exec.content.error")
@pytest.mark.parametrize(
    ("cmd", "nearest"), [("/inof", "/info"), ("/topic web", "/topics"), ("/hepl", "/help")]
)
def test_unknown_word_error_suggests_the_nearest(shared: DaemonProcess, cmd: str, nearest: str) -> None:
    code, lines = error(shared, cmd)
    assert code == "COMMAND_UNSUPPORTED"
    assert lines[0] == f"ERROR(COMMAND_UNSUPPORTED): Unknown command: {cmd.split()[0]}"
    assert "/help" in lines[1]
    assert nearest in lines[1]


@pytest.mark.requirement("command.unknown", "command.unknown.hint")
@pytest.mark.parametrize("cmd", ["/zzzzqqqq", "/bin/echo hello", "/", "/ info", "/zzzzqqqq\nwith a body"])
def test_unknown_word_without_a_neighbour_points_to_help(shared: DaemonProcess, cmd: str) -> None:
    code, lines = error(shared, cmd)
    assert code == "COMMAND_UNSUPPORTED"
    assert lines[0].startswith("ERROR(COMMAND_UNSUPPORTED): Unknown command: /")
    assert "/help" in lines[1]


@pytest.mark.requirement("command.double_slash")
@pytest.mark.parametrize("topic", ["file:main", "web:main", "app:main"])
def test_double_slash_equals_single_slash(shared: DaemonProcess, topic: str) -> None:
    once, twice = (shared.exec(cmd, topic) for cmd in ("/info", "//info"))
    assert (once.head["ok"], twice.head["ok"]) == (True, True)
    assert body_of(once.content) == body_of(twice.content)


@pytest.mark.requirement("reply.system")
@pytest.mark.parametrize(("cmd", "system"), [('/set {a} = "v"', '{a} = "v"'), ("/record x", "Recorded")])
def test_confirmation_is_only_the_system_line(probed: DaemonProcess, cmd: str, system: str) -> None:
    assert body_of(probed.exec(cmd).content) == system


@pytest.mark.requirement("reply.system_content")
@pytest.mark.parametrize(("cmd", "system"), [("/help", "String Commands"), ("/info", "Session info")])
def test_content_follows_the_system_line(shared: DaemonProcess, cmd: str, system: str) -> None:
    first, separator, content = body_of(shared.exec(cmd).content).partition("\n---\n")
    assert (first, separator) == (system, "\n---\n")
    assert content.strip()


@pytest.mark.requirement("reply.exit", "exec.head.failure")
def test_failed_shell_command_keeps_its_output(shared: DaemonProcess) -> None:
    answer = shared.exec("/exec echo out; echo err >&2; exit 3")
    assert (answer.head["ok"], answer.head["code"]) == (False, "EXIT_3")
    system, _, output = body_of(answer.content).partition("\n---\n")
    assert system.startswith("exit: 3 | cwd: ")
    assert output.rstrip("\n") == "out\nerr"
