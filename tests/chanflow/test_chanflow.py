"""ChanFlow over HTTP."""

from __future__ import annotations

import re
import socket
import time

import pytest

from stringd.testing.process import DaemonProcess, HttpReply

TIME = r'time="\d{4}-\d\d-\d\dT\d\d:\d\d[+-]\d\d:\d\d"'


def send(daemon: DaemonProcess, text: str | bytes, user: str | None = "default") -> HttpReply:
    headers = {"Content-Type": "text/plain; charset=utf-8"}
    return daemon.request("POST", "/chanflow", text, headers | ({"X-User-Id": user} if user else {}))


def block(topic: str, command: str) -> str:
    return f"<𝒞=string:{topic}>\n{command}\n</𝒞>\n"


def test_answers_follow_the_order_of_blocks(daemon: DaemonProcess) -> None:
    text = (
        "Let me look.\n\n"
        + block("file:a", '/set {x} = "1"')
        + "<𝒞=slack:dev>hello</𝒞>\n"
        + block("b", "/set")
    )
    reply = send(daemon, text)
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.headers["x-failed-blocks"] == "0"
    assert re.fullmatch(
        rf'<𝒞=string:file:a {TIME}>\n✓ {{x}} = "1"\n</𝒞>\n\n<𝒞=string:file:b {TIME}>\n\(none\)\n</𝒞>\n',
        reply.text,
    )


def test_a_text_without_blocks_has_no_answer(daemon: DaemonProcess) -> None:
    reply = send(daemon, "nothing for us <𝒞=slack:dev>hello</𝒞>")
    assert (reply.status, reply.text) == (200, "")


@pytest.mark.parametrize(
    ("text", "topic", "payload"),
    [
        ("<𝒞=string:a.b>/info</𝒞>", "a.b", "✗ INVALID_TARGET: Invalid topic: a.b"),
        ("<𝒞=string:file:a>/info", "file:a", "✗ INVALID_PAYLOAD: The block has no closing tag."),
        ("<𝒞=string:file:a> </𝒞>", "file:a", "✗ INVALID_PAYLOAD: The block holds no command."),
        (
            "<𝒞=string:file:a>hello</𝒞>",
            "file:a",
            "✗ COMMAND_UNSUPPORTED: Commands must start with /. Use /help for details.",
        ),
        (
            "<𝒞=string:file:a>/info\n/help</𝒞>",
            "file:a",
            "✗ INVALID_PAYLOAD: /info takes no further lines: one command per request.\n  Usage: /info [@id]",
        ),
    ],
)
def test_invalid_blocks_are_answered(daemon: DaemonProcess, text: str, topic: str, payload: str) -> None:
    reply = send(daemon, text)
    assert reply.headers["x-failed-blocks"] == "1"
    assert re.fullmatch(rf"<𝒞=string:{topic} {TIME}>\n{re.escape(payload)}\n</𝒞>\n", reply.text)


def test_topics_run_in_parallel_and_blocks_of_one_in_order(probed: DaemonProcess) -> None:
    started = time.monotonic()
    text = (
        block("a", "/nap 0.6")
        + block("a", "/record second")
        + block("b", "/nap 0.6")
        + block("c", "/nap 0.6")
    )
    reply = send(probed, text)
    assert time.monotonic() - started < 1.7
    assert re.findall(r"string:file:(\w)", reply.text) == ["a", "a", "b", "c"]
    assert reply.text.count("✓ Napped") == 3


def test_more_blocks_than_the_queue_holds(probed: DaemonProcess) -> None:
    reply = send(probed, "".join(block("a", f"/record {number}") for number in range(40)))
    assert reply.headers["x-failed-blocks"] == "0"
    recorded = (probed.home / "record.txt").read_text(encoding="utf-8").split()
    assert recorded == [str(number) for number in range(40)]


def test_a_failed_shell_command_shows_status_and_output(daemon: DaemonProcess) -> None:
    reply = send(daemon, block("a", "/exec echo out; exit 3"))
    assert f"\n✗ EXIT_3: exit: 3 | cwd: {daemon.home}\n---\nout\n" in reply.text


def test_output_cannot_forge_an_answer(daemon: DaemonProcess) -> None:
    reply = send(daemon, block("a", "/exec echo 'x<\\/𝒞>y' | tr -d '\\\\'"))
    assert "x<\\/𝒞>y" in reply.text
    assert reply.text.count("</𝒞>") == 1


@pytest.mark.parametrize(
    ("text", "user", "status", "error"),
    [
        ("x", None, 400, "X-User-Id header required"),
        ("x", "nobody", 401, "Unknown user: nobody"),
        (b"\xff\xfe", "default", 400, "Invalid text body — expected UTF-8"),
    ],
)
def test_refused_requests(
    daemon: DaemonProcess, text: str | bytes, user: str | None, status: int, error: str
) -> None:
    reply = send(daemon, text, user)
    assert (reply.status, reply.json()) == (status, {"error": error})


def test_disconnected_client_cancels_pending_blocks(probed: DaemonProcess) -> None:
    body = (block("a", "/nap 1") + block("a", "/record late")).encode()
    fields = f"Host: 127.0.0.1\r\nX-User-Id: default\r\nContent-Length: {len(body)}"
    head = f"POST /chanflow HTTP/1.1\r\n{fields}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", probed.port)) as client:
        client.sendall(head.encode() + body)
        await_running(probed, "file:a")
    assert probed.exec("/record after", "file:a").head["ok"]
    assert (probed.home / "record.txt").read_text(encoding="utf-8") == "after\n"


def await_running(daemon: DaemonProcess, topic: str) -> None:
    """Wait until a command runs in the topic."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        sessions = daemon.request("GET", "/sessions").json()["sessions"]
        if any(session["topic"] == topic and session["executing"] for session in sessions):
            return
    raise AssertionError(f"nothing runs in {topic}")
