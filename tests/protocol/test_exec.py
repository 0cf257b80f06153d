"""POST /exec: the stream of an executed command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.streams import body_of, events, replied
from tests.protocol.wire import execute

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect, StartProbed

USER = {"X-User-Id": "default"}
HEAD = {
    "ok": True,
    "code": None,
    "cmd": "/info",
    "request_id": None,
    "user_id": "default",
    "topic": "file:main",
    "topic_type": "file",
    "meta": None,
}
QUICK_AND_SLOW = ["/info", "/nap 0.6"]


def run(daemon: DaemonProcess, cmd: str, **fields: Any) -> tuple[dict[str, Any], str]:
    body = {"cmd": cmd, "topic": "file:main", **fields}
    answer = daemon.request("POST", "/exec", body, headers=USER)
    assert answer.status == 200, answer.body
    return replied(answer.body)


@pytest.mark.requirement("exec.headers", "cors.headers")
@pytest.mark.parametrize("cmd", QUICK_AND_SLOW)
def test_headers_of_the_stream(probed: DaemonProcess, cmd: str) -> None:
    answer = probed.request("POST", "/exec", {"cmd": cmd, "topic": "file:main"}, headers=USER)
    expected = {
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-cache",
        "Connection": "keep-alive",
        "X-Accel-Buffering": "no",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Headers": "Content-Type, X-User-Id",
    }
    assert answer.status == 200
    assert {name: answer.headers[name] for name in expected} == expected


@pytest.mark.requirement("exec.events", "exec.order", "exec.done")
@pytest.mark.parametrize("cmd", [*QUICK_AND_SLOW, "/crash", "/refuse NOT_FOUND nothing", "/unknown"])
def test_three_events_and_the_end(probed: DaemonProcess, connect: Connect, cmd: str) -> None:
    connection = connect(probed)
    connection.send(execute(cmd) + execute("/info"))
    first, second = connection.receive(), connection.receive()
    assert [name for name, _ in events(first.body)] == ["head", "content", "done"]
    assert first.body.endswith(b"event: done\ndata: {}\n\n")
    assert replied(second.body)[0]["cmd"] == "/info"


@pytest.mark.requirement(
    "exec.head", "exec.head.success", "exec.head.no_document", "exec.request_id.optional"
)
def test_head_of_a_plain_command(shared: DaemonProcess) -> None:
    for fields in ({}, {"request_id": None}):
        head, content = run(shared, "/info", **fields)
        assert head == HEAD
        assert content.startswith("re: /info\nSession info\n---\n")


@pytest.mark.requirement("exec.head", "exec.head.failure", "exec.content.error", "reply.context")
def test_head_and_content_of_a_failure(probed: DaemonProcess) -> None:
    cmd = "/refuse NOT_FOUND Nothing there"
    head, content = run(probed, cmd, request_id="r1")
    assert head == HEAD | {"ok": False, "code": "NOT_FOUND", "cmd": cmd, "request_id": "r1"}
    assert content == f"re: [r1] {cmd}\nERROR(NOT_FOUND): Nothing there\ncontext: a line that helps"


@pytest.mark.requirement("exec.head.document")
def test_head_has_the_current_document(probed: DaemonProcess) -> None:
    meta = {"uri": "probe:garden", "title": "Probe garden", "current_block": None}
    for cmd in ("/visit probe:garden", "/info"):
        assert run(probed, cmd)[0] == HEAD | {"cmd": cmd, "meta": meta}


@pytest.mark.requirement("exec.head.topic", "exec.head")
@pytest.mark.parametrize("topic", ["web:docs", "app:weather:korea", "file:other"])
def test_head_has_user_and_topic(shared: DaemonProcess, topic: str) -> None:
    shared.register("other")
    body = {"cmd": "/info", "topic": topic}
    answer = shared.request("POST", "/exec", body, headers={"X-User-Id": "other"})
    head, _ = replied(answer.body)
    assert head == HEAD | {"user_id": "other", "topic": topic, "topic_type": topic.split(":")[0]}


@pytest.mark.requirement("exec.request_id.echo", "exec.request_id.label")
@pytest.mark.parametrize("request_id", ["003qm", "a b", "ümläut 𝒞", "x" * 500, '"quoted"', "0"])
def test_request_id_is_echoed(shared: DaemonProcess, request_id: str) -> None:
    head, content = run(shared, "/info", request_id=request_id)
    assert head == HEAD | {"request_id": request_id}
    assert content.split("\n")[0] == f"re: [{request_id}] /info"


@pytest.mark.requirement("reply.label.controls")
@pytest.mark.parametrize("control", ["\n", "\r", "\r\n", "\t", "\0", "\x1b", "\x7f", "\x85"])
def test_request_id_control_characters_are_not_in_the_label(shared: DaemonProcess, control: str) -> None:
    request_id = f"a{control}b"
    head, content = run(shared, "/info", request_id=request_id)
    assert head == HEAD | {"request_id": request_id}
    assert content.startswith("re: [ab] /info\nSession info\n")


@pytest.mark.requirement("exec.content.json", "exec.content.label")
@pytest.mark.parametrize(
    "text", ["one\ntwo", "  ", '"', "\\n", "𝒞 ümläut", "a\r\nb", "data: x\n\nevent: done"]
)
def test_content_is_one_json_string(probed: DaemonProcess, text: str) -> None:
    body = {"cmd": f"/body\nx{text}x", "topic": "file:main"}
    answer = probed.request("POST", "/exec", body, headers=USER)
    assert answer.body.count(b"\n") == 9
    _, content = replied(answer.body)
    assert content.startswith("re: /body\n")
    assert content.endswith(f"x{text}x")


@pytest.mark.requirement("exec.accept")
@pytest.mark.parametrize("accept", [None, "text/event-stream", "application/json", "text/html;q=0.1", "*/*"])
def test_accept_header_is_ignored(shared: DaemonProcess, accept: str | None) -> None:
    headers = USER | ({"Accept": accept} if accept else {})
    answer = shared.request("POST", "/exec", {"cmd": "/info"}, headers=headers)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream")
    assert replied(answer.body)[0] == HEAD


@pytest.mark.requirement("exec.head.cmd", "reply.label.length")
@pytest.mark.parametrize("letter", ["x", "ü", "𝒞"])
def test_label_has_at_most_eighty_characters(probed: DaemonProcess, letter: str) -> None:
    for length in (79, 80, 81, 300):
        cmd = "/record ".ljust(length, letter)
        label = cmd if length <= 80 else cmd[:77] + "..."
        head, content = run(probed, cmd, request_id="id")
        assert content == f"re: [id] {label}\nRecorded"
        assert head["cmd"] in {cmd, label}


@pytest.mark.requirement("reply.label.line", "exec.head.cmd")
def test_label_is_the_first_line_of_the_command(probed: DaemonProcess) -> None:
    head, content = run(probed, "\n /body with words \nfirst\nsecond")
    assert content.split("\n")[0].rstrip() == "re: /body with words"
    assert head["cmd"].startswith("/body with words")


@pytest.mark.requirement("exec.ping", "exec.order")
def test_long_command_sends_comments_before_head(start_probed: StartProbed) -> None:
    probed = start_probed(STRINGD_PING="0.2")
    answer = probed.request("POST", "/exec", {"cmd": "/nap 1.2"}, headers=USER)
    before, _, _ = answer.body.partition(b"event: head\n")
    assert before.startswith(b":")
    assert before.count(b"\n\n") >= 2
    head, content = replied(answer.body)
    assert head == HEAD | {"cmd": "/nap 1.2"}
    assert body_of(content) == "Napped"


@pytest.mark.requirement("plugin.crash", "plugin.crash.log", "exec.done")
@pytest.mark.parametrize(
    ("cmd", "error"),
    [("/crash", "RuntimeError"), ("/leave", "SystemExit"), ("/stumble", "KeyboardInterrupt")],
)
def test_plugin_exception_is_only_in_the_log(probed: DaemonProcess, cmd: str, error: str) -> None:
    head, content = run(probed, cmd)
    assert head == HEAD | {"ok": False, "code": "INTERNAL_ERROR", "cmd": cmd}
    assert body_of(content).startswith("ERROR(INTERNAL_ERROR): ")
    assert "Traceback" not in content
    assert error in probed.stderr()
    assert run(probed, "/info")[0] == HEAD


@pytest.mark.requirement("security.shell")
def test_exec_runs_under_bash(shared: DaemonProcess) -> None:
    script = "[ /proc/$$/exe -ef /bin/bash ] && tr '\\0' '\\n' < /proc/$$/cmdline; true"
    _, content = run(shared, f"/exec {script}")
    program, *arguments = content.partition("\n---\n")[2].split("\n")
    assert program.rpartition("/")[2] == "bash"
    assert "-c" in arguments


@pytest.mark.requirement("security.identity")
def test_any_client_may_name_any_user(shared: DaemonProcess) -> None:
    shared.register("other")
    for user in ("default", "other", "default"):
        answer = shared.request("POST", "/exec", json.dumps({"cmd": "/info"}), headers={"X-User-Id": user})
        assert replied(answer.body)[0] == HEAD | {"user_id": user}
