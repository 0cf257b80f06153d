"""What servers ask and report while they work: questions, progress, cancelling, approval."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from stringd.plugin.documents import read_sheet
from stringd.testing.process import DaemonProcess
from tests.approval.daemons import write_policy
from tests.events.watching import watching
from tests.mcp_apps.serving import TOPIC, call, raw_command, refused
from tests.questions.people import Operator, People, until
from tests.web.process_families import command_lines, end_within_moments


def tail(reply: str) -> str:
    return reply.partition("\n")[2]


@pytest.mark.requirement("mcp.apps.asks.elicitation")
def test_fields_of_a_form_are_questions(raw: DaemonProcess, operator: Operator) -> None:
    people = People(raw)
    waiting = people.send("/act.ask", TOPIC)
    first = until(people.listed)[0]
    assert first["title"] == "raw asks for colour (1 of 2)"
    assert first["kind"] == "choice"
    assert first["choices"] == ["red", "blue", "(decline to answer)"]
    assert first["trust"] == "anyone"
    assert "\nre: forged" in first["body"]
    assert people.answer(first, "green").status == 400
    assert people.answer(first, "blue").status == 200
    second = until(lambda: [it for it in people.listed() if it["id"] != first["id"]])[0]
    assert second["title"] == "raw asks for count (2 of 2)"
    refused = people.answer(second, "12")
    assert refused.status == 400
    assert "count expects a whole number, at least 1, at most 9" in refused.text
    assert people.answer(second, "4").status == 200
    answer = tail(waiting.result(20).content)
    assert "- action: accept" in answer
    assert "- content: {colour: blue, count: 4}" in answer


@pytest.mark.requirement("mcp.apps.asks.elicitation")
def test_a_question_can_be_declined(raw: DaemonProcess, operator: Operator) -> None:
    people = People(raw)
    waiting = people.send("/act.ask", TOPIC)
    people.answer(until(people.listed)[0], "(decline to answer)")
    assert tail(waiting.result(20).content) == "- action: decline"


def is_harmless(text: str) -> bool:
    """Whether no line of a text below its head is one of a reply, and nothing moves the cursor."""
    lines = text.splitlines()[1:]
    marks = ("re:", "ERROR(", "---", "[#edit]", "# Heading")
    return not any(it.startswith(marks) for it in lines) and not {"\x1b", "\x07"} & {*text}


@pytest.mark.requirement("mcp.apps.trust.text")
def test_errors_and_links_have_no_lines_of_replies(raw: DaemonProcess) -> None:
    assert is_harmless(refused(raw, "/act.forge_error", "TOOL_FAILED"))
    with watching(raw) as stream:
        shown = call(raw, "/act.forge_progress")
        records = stream.until(lambda them: any("# Heading" in (it.get("text") or "") for it in them))
    told = "".join(it.get("text") or "" for it in records)
    assert not {"\x1b", "\x07"} & {*told}
    assert is_harmless(f"\n{shown}")
    assert not read_sheet(shown).parsed.links
    assert not read_sheet(shown).actions.actions


@pytest.mark.requirement("mcp.apps.trust.text")
def test_questions_have_no_lines_of_replies(raw: DaemonProcess, operator: Operator) -> None:
    people = People(raw)
    waiting = people.send("/act.forge_ask", TOPIC)
    question = until(people.listed)[0]
    assert "\n" not in question["title"]
    assert not {"\x1b", "\x07"} & {*question["title"], *question["body"], *"".join(question["choices"])}
    listed = raw.exec("/questions", "file:main").content
    assert is_harmless(listed.partition("\n")[2]), listed
    people.answer(question, "b")
    assert is_harmless(tail(waiting.result(20).content))


@pytest.mark.requirement("mcp.apps.asks.progress")
def test_progress_becomes_events(raw: DaemonProcess) -> None:
    with watching(raw) as stream:
        assert call(raw, "/act.slow") == "done"
        found = stream.wait_for("output", source="raw", done=2)
        assert (found["total"], found["unit"], found["topic"]) == (3, "steps", TOPIC)
        assert stream.until(lambda records: any("step 2" in (it.get("text") or "") for it in records))


@pytest.mark.requirement("mcp.apps.asks.cancel")
def test_cancelling_tells_the_server(raw: DaemonProcess) -> None:
    for name in ("waiting", "cancelled"):
        (raw.home / name).unlink(missing_ok=True)
    people = People(raw)
    waiting = people.send("/act.silent", TOPIC)
    until((raw.home / "waiting").exists)
    assert "Cancelled: /act.silent" in raw.exec("/cancel", TOPIC).content
    assert "ERROR(CANCELLED)" in waiting.result(20).content
    until((raw.home / "cancelled").exists)
    said = json.loads(until(lambda: (raw.home / "cancelled").read_text(encoding="utf-8")))
    assert isinstance(said["requestId"], int)
    assert call(raw, "/act.echo still") == "still"


@pytest.mark.requirement("mcp.apps.trust.hostile")
def test_silence_ends_with_the_time_limit(raw: DaemonProcess) -> None:
    call(raw, '/set {_timeout} = "0.5"')
    try:
        reply = raw.exec("/act.silent", TOPIC)
        assert "ERROR(TIMEOUT): raw took longer than 0.5 s, so it was cancelled." in reply.content
    finally:
        call(raw, '/set {_timeout} = "60"')
    assert call(raw, "/act.echo still") == "still"


@pytest.mark.requirement("mcp.apps.install.approval")
def test_a_person_is_asked_before_a_program_starts(tmp_path_factory: pytest.TempPathFactory) -> None:
    daemon = DaemonProcess(tmp_path_factory.mktemp("asked"), (), {}, port=0, data_dir=None, operator=True)
    write_policy(daemon.data_dir, "rules: [{verdict: ask, kind: command, effect: [shell]}]")
    daemon.start()
    try:
        daemon.home.mkdir(parents=True, exist_ok=True)
        daemon.register("default", daemon.home)
        with Operator(daemon) as person:
            waiting = People(daemon).send(f"/install mcp --as raw -- {raw_command()}", "file:main")
            question = until(person.listed)[0]
            assert raw_command() in json.dumps(question)
            person.decide(question, False)
            assert "ERROR(" in waiting.result(20).content
            assert not (daemon.home / "starts").exists()
            assert not (daemon.home / "packages" / "raw").exists()
    finally:
        daemon.stop()


@pytest.mark.requirement("mcp.apps.life.idle", "mcp.apps.life.nothing_left")
def test_an_idle_server_is_ended_and_none_is_left(
    start_daemon: Callable[..., DaemonProcess],
) -> None:
    daemon = start_daemon(env={"STRINGD_MCP_IDLE_SECONDS": "1"})
    daemon.register("default", daemon.home)
    call(daemon, f"/install mcp --as raw -- {raw_command()}", "file:main")
    call(daemon, "/act.echo one")
    until(lambda: daemon.request("GET", "/status").json()["mcpServers"] == 0)
    assert "state: ended" in call(daemon, "/info")
    processes = command_lines(*map(int, call(daemon, "/act.children").split()))
    daemon.kill()
    assert end_within_moments(processes)
