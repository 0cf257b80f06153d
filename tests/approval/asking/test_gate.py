"""The gate before commands of topics: what asks, what passes, and that nothing gets around it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import act
from tests.questions.people import Operator, People, until

RAN = "ran.txt"
ACTION = act("touch", f"CLI echo ran >> {RAN}")
DEFAULT = f"---\ndefault: touch\n---\n# Page\n\n{ACTION}\n"


@pytest.fixture
def outside(gated: DaemonProcess, tmp_path: Path) -> Path:
    """A folder outside of the home that the user may access."""
    fields = {"id": "default", "home": str(gated.home), "allowedPaths": [str(tmp_path)]}
    assert gated.request("POST", "/users", fields).status == 200
    for file in gated.home.glob("*.*"):
        file.unlink()
    return tmp_path


def refused(daemon: DaemonProcess, cmd: str, topic: str = "file:main") -> str:
    """Return the reply to a command while no operator is attached."""
    return daemon.exec(cmd, topic).content.partition("\n")[2]


def logged(daemon: DaemonProcess, kind: str) -> list[dict[str, Any]]:
    """Return the entries of a kind in the log."""
    text = (daemon.data_dir / "audit.jsonl").read_text(encoding="utf-8")
    return [it for it in map(json.loads, text.splitlines()) if it["kind"] == kind]


def approve(
    operator: Operator, cmd: str, topic: str = "file:main", **answer: Any
) -> tuple[dict[str, Any], str]:
    """Send a command, answer its question, and return the question and the reply."""
    before = {it["id"] for it in operator.listed()}
    sent = operator.send(cmd, topic)
    (question,) = until(lambda: [it for it in operator.listed() if it["id"] not in before] or sent.done())
    assert operator.decide(question, **{"answer": True, **answer}).status == 200
    return question, sent.result(20).content.partition("\n")[2]


@pytest.mark.requirement("approval.asking.gate.shell")
@pytest.mark.parametrize(
    ("topic", "cmd"),
    [
        ("file:main", f"/exec echo ran >> {RAN}"),
        ("file:main", f"/EXEC echo ran >> {RAN}"),
        ("file:main", f"/exec\necho ran >> {RAN}"),
        ("file:main", "/act.touch"),
        ("file:main", "/action.touch"),
        ("file:main", "/act touch"),
        ("file:main", "/open default.md"),
        ("file:main", "/open including.md"),
        ("file:main", "/refresh"),
        ("bash:main", f"echo ran >> {RAN}"),
    ],
)
def test_nothing_runs_a_program_unasked(gated: DaemonProcess, outside: Path, topic: str, cmd: str) -> None:
    (gated.home / "default.md").write_text(DEFAULT, encoding="utf-8")
    (gated.home / "including.md").write_text(
        "---\ndefault: touch\n---\n[!include:a](page.md)\n", encoding="utf-8"
    )
    (gated.home / "page.md").write_text(f"# A\n\n{ACTION}\n", encoding="utf-8")
    gated.exec(f"/open {'default' if cmd == '/refresh' else 'page'}.md", "file:main")
    shown = refused(gated, cmd, topic)
    assert not (gated.home / RAN).exists()
    assert "DENIED: " in shown or shown.startswith("ERROR(DENIED): ")


@pytest.mark.requirement("approval.asking.gate.shell")
def test_forks_and_chanflow_pass_the_gate(gated: DaemonProcess, outside: Path) -> None:
    (gated.home / "page.md").write_text(f"# A\n\n{ACTION}\n", encoding="utf-8")
    gated.exec("/open page.md")
    gated.exec("/fork twin")
    assert "ERROR(DENIED)" in refused(gated, "/act.touch", "file:twin")
    block = f"<𝒞=string:file:main>\n/exec echo ran >> {RAN}\n</𝒞>"
    shown = gated.request("POST", "/chanflow", block, {"X-User-Id": "default"}).text
    assert "✗ DENIED: " in shown
    assert not (gated.home / RAN).exists()
    (gated.data_dir / "approval.yaml").write_text("rules: [{verdict: allow}]\n", encoding="utf-8")
    (gated.data_dir / "approval.yaml").chmod(0o600)
    gated.request("POST", "/chanflow", block, {"X-User-Id": "default"})
    assert (gated.home / RAN).exists()


@pytest.mark.requirement("approval.asking.gate.shell", "approval.audit.commands")
def test_operator_sees_what_will_run(operator: Operator, outside: Path) -> None:
    home = operator.daemon.home
    (home / "page.md").write_text(
        f"# A\n\n{act('say', 'CLI echo {word} | tee said.txt', '  word: string (required)')}\n",
        encoding="utf-8",
    )
    operator.daemon.exec("/open page.md")
    question, shown = approve(operator, "/act.say hello", comment="fine")
    assert shown.endswith("hello")
    assert question["title"].startswith("Run a shell command: ")
    assert question["body"] == 'echo "${_STRINGD_1}" | tee said.txt'
    assert question["details"]["values"] == "_STRINGD_1='hello'"
    # All clients see questions, and an argument could be a secret.
    assert question["details"]["command"].startswith("/act.say ********\n")
    assert question["details"]["directory"] == f"'{home}'"
    assert (question["user_id"], question["topic"], question["asked_by"]) == (
        "default",
        "file:main",
        "approval",
    )
    entry = logged(operator.daemon, "command-decision")[-1]
    told = {
        name: entry[name] for name in ("command", "topic", "verdict", "outcome", "by", "through", "comment")
    }
    assert told == {
        "command": "/act.say ********",
        "topic": "file:main",
        "verdict": "ask",
        "outcome": "approved",
        "by": "operator",
        "through": "HTTP",
        "comment": "fine",
    }
    assert logged(operator.daemon, "command")[-1]["command"] == "/act.say ********"


@pytest.mark.requirement("approval.asking.gate.shell")
def test_text_for_a_shell_is_asked_about_as_it_is(operator: Operator, outside: Path) -> None:
    text = f"echo one\necho two >> {RAN}"
    question, shown = approve(operator, text, "bash:main")
    assert question["body"] == text
    assert question["title"] == "Run a shell command: 'echo one' …"
    assert "one" in shown
    question, shown = approve(operator, "cat", "bash:main")
    question, _ = approve(operator, "typed", "bash:main")
    assert (question["title"], question["body"]) == ("Type into the running program: 'typed'", "typed")
    question, _ = approve(operator, "//keys ^D", "bash:main")
    assert question["body"] == "//keys ^D"


@pytest.mark.requirement("approval.asking.gate.shell")
def test_variables_that_change_what_programs_do_are_shown(operator: Operator, outside: Path) -> None:
    for topic, slash in (("file:main", "/"), ("bash:fresh", "//")):
        operator.daemon.exec(f'{slash}set {{GIT_EXTERNAL_DIFF}} = "touch {RAN}"', topic)
        question, _ = approve(operator, "/exec true" if topic == "file:main" else "true", topic)
        assert question["details"]["values"] == f"GIT_EXTERNAL_DIFF='touch {RAN}'"


@pytest.mark.requirement("approval.asking.gate.shell")
def test_text_does_not_run_in_another_shell_than_was_shown(operator: Operator, outside: Path) -> None:
    approve(operator, f"cd {outside}", "bash:moving")
    sent = operator.send(f"touch {RAN}", "bash:moving")
    (question,) = until(operator.listed)
    assert question["details"]["directory"] == f"'{outside}'"
    operator.daemon.exec("//reset", "bash:moving")
    operator.decide(question, True)
    assert "ERROR(CONFLICT): The shell is not the same any more." in sent.result(20).content
    assert not list(outside.glob(RAN))
    assert not (operator.daemon.home / RAN).exists()


@pytest.mark.requirement("approval.asking.gate.denied")
def test_reply_has_the_comment_of_who_refuses(operator: Operator, outside: Path) -> None:
    _, shown = approve(operator, f"/exec echo ran >> {RAN}", answer=False, comment="use /write")
    assert shown == "ERROR(DENIED): use /write"
    _, shown = approve(operator, "/exec true", answer=False)
    assert shown == "ERROR(DENIED): The operator has refused the command."
    assert not (operator.daemon.home / RAN).exists()
    outcomes = [it["outcome"] for it in logged(operator.daemon, "command-decision")]
    assert outcomes[-2:] == ["denied", "denied"]


@pytest.mark.requirement("approval.asking.gate.timeout")
def test_reply_says_that_nobody_answered(operator: Operator, outside: Path) -> None:
    policy = operator.daemon.data_dir / "approval.yaml"
    policy.write_text("question_seconds: 0.2\n", encoding="utf-8")
    policy.chmod(0o600)
    sent = operator.send(f"/exec echo ran >> {RAN}")
    (question,) = until(operator.listed)
    operator.show(question)
    assert sent.result(20).content.partition("\n")[2].startswith("ERROR(APPROVAL_TIMEOUT): ")
    assert not (operator.daemon.home / RAN).exists()


@pytest.mark.requirement("approval.asking.fail_closed")
def test_without_an_operator_the_reply_says_how_to_attach_one(people: People, outside: Path) -> None:
    shown = refused(people.daemon, "/exec true")
    assert shown.startswith("ERROR(DENIED): ")
    assert "stringd approve" in shown


@pytest.mark.requirement("approval.asking.gate.outside")
def test_writes_outside_of_the_home_are_asked_about(gated: DaemonProcess, outside: Path) -> None:
    (outside / "there.md").write_text("there\n", encoding="utf-8")
    (gated.home / "link").symlink_to(outside)
    (gated.home / "page.md").write_text(f"# A\n\n[!include:part]({outside}/there.md)\n", encoding="utf-8")
    gated.exec(f"/open {outside}/there.md")
    for cmd in (
        f"/write {outside}/new.md\nnew",
        "/write link/new.md\nnew",
        f"/append {outside}/there.md\nmore",
        f"/edit {outside}/there.md\nmore",
        f"/replace {outside}/there.md\nthere\n---\nmore",
        f"/write {gated.home}/page.md#part\nmore",
    ):
        assert refused(gated, cmd).startswith("ERROR(DENIED): "), cmd
    assert [it.name for it in outside.iterdir()] == ["there.md"]
    assert (outside / "there.md").read_text(encoding="utf-8") == "there\n"
    (gated.home / "link").unlink()


@pytest.mark.requirement("approval.asking.gate.outside")
def test_approved_write_and_its_undo_are_asked_about(operator: Operator, outside: Path) -> None:
    question, _ = approve(operator, f"/write {outside}/new.md\nnew")
    assert question["body"] == f"{outside}/new.md"
    assert question["details"]["command"] == f"/write {outside}/new.md\nnew"
    assert (outside / "new.md").read_text(encoding="utf-8") == "new\n"
    question, _ = approve(operator, "/undo")
    assert question["body"] == f"{outside}/new.md"
    assert not (outside / "new.md").exists()


@pytest.mark.requirement("approval.asking.gate.outside")
def test_undo_through_a_new_link_is_asked_about(gated: DaemonProcess, outside: Path) -> None:
    there = outside / "there.md"
    there.write_text("there\n", encoding="utf-8")
    for text in ("theirs", "ours"):
        gated.exec(f"/write a.md --force\n{text}")
    (gated.home / "a.md").unlink()
    (gated.home / "a.md").symlink_to(there)
    assert refused(gated, "/undo --force").startswith("ERROR(DENIED): ")
    assert there.read_text(encoding="utf-8") == "there\n"


@pytest.mark.requirement("approval.asking.gate.passes")
def test_reading_and_writing_at_home_pass(gated: DaemonProcess, outside: Path) -> None:
    for cmd in ("/help", "/write a.md\n# A", "/open a.md", "/append a.md\nmore", "/undo", "/ls", "/info"):
        assert not refused(gated, cmd).startswith("ERROR"), cmd


@pytest.mark.requirement("approval.asking.gate.rules")
def test_rules_on_commands_ask_once(operator: Operator, outside: Path) -> None:
    policy = operator.daemon.data_dir / "approval.yaml"
    policy.write_text(
        "rules:\n  - {verdict: ask, command: exec}\n  - {verdict: forbid, command: write}\n", encoding="utf-8"
    )
    policy.chmod(0o600)
    question, shown = approve(operator, "/exec echo ran")
    assert question["body"] == "/exec echo ran"
    assert shown.endswith("ran")
    assert refused(operator.daemon, "/write x.md\nx").startswith("ERROR(DENIED): Forbidden by the policy: ")


@pytest.fixture
def everything(operator: Operator, outside: Path) -> Operator:
    """An operator who is asked about every command."""
    _apply(operator.daemon, "rules: [{verdict: ask, kind: command}]\n")
    return operator


def _apply(daemon: DaemonProcess, policy: str) -> None:
    path = daemon.data_dir / "approval.yaml"
    path.write_text(policy, encoding="utf-8")
    path.chmod(0o600)


@pytest.mark.requirement("approval.asking.gate.rules")
@pytest.mark.parametrize(
    ("topic", "cmd"),
    [("file:main", "/exec echo one\necho two"), ("bash:main", "echo one\necho two"), ("file:main", "/ls")],
)
def test_what_was_shown_with_the_command_is_asked_about_once(
    everything: Operator, topic: str, cmd: str
) -> None:
    question, shown = approve(everything, cmd, topic)
    assert question["body"] == cmd
    assert question["details"]["directory"] == f"'{everything.daemon.home}'"
    assert "two" in shown or cmd == "/ls"


@pytest.mark.requirement("approval.asking.gate.seen")
def test_what_a_command_did_not_show_is_asked_about_as_well(everything: Operator) -> None:
    home = everything.daemon.home
    (home / "page.md").write_text(f"# A\n\n{ACTION}\n", encoding="utf-8")
    approve(everything, "/open page.md")
    sent = everything.send("/act.touch")
    (first,) = until(everything.listed)
    everything.decide(first, True)
    (second,) = until(lambda: [it for it in everything.listed() if it["id"] != first["id"]])
    assert (first["body"], second["body"]) == ("/act.touch", f"echo ran >> {RAN}")
    everything.decide(second, False)
    assert "ERROR(DENIED)" in sent.result(20).content
    assert not (home / RAN).exists()


@pytest.mark.requirement("approval.asking.gate.seen")
def test_secrets_below_the_first_line_are_not_shown(everything: Operator) -> None:
    sent = everything.send('/set\n$TOKEN = "s3cret"')
    (question,) = until(everything.listed)
    assert "s3cret" not in json.dumps(question)
    assert "what follows is not shown" in question["details"]["note"]
    everything.decide(question, True)
    sent.result(20)


@pytest.mark.requirement("approval.asking.gate.seen")
def test_what_looks_like_a_secret_hides_no_text_for_a_shell(everything: Operator) -> None:
    text = f"$X = 1\ntouch {RAN}"
    sent = everything.send(text, "bash:main")
    (first,) = until(everything.listed)
    assert RAN not in first["body"]
    everything.decide(first, True)
    (second,) = until(lambda: [it for it in everything.listed() if it["id"] != first["id"]])
    assert second["body"] == text
    everything.decide(second, False)
    sent.result(20)
    assert not (everything.daemon.home / RAN).exists()


@pytest.mark.requirement("mask.url", "approval.asking.gate.seen")
@pytest.mark.parametrize(("topic", "verb"), [("file:main", "/exec "), ("bash:main", "")])
def test_password_of_a_url_is_asked_about_masked(everything: Operator, topic: str, verb: str) -> None:
    question, _ = approve(everything, f"{verb}true http://me:s3cret@host/", topic)
    assert question["body"] == f"{verb}true http://me:********@host/"
    assert "s3cret" not in json.dumps(question)
    entries = [logged(everything.daemon, it)[-1] for it in ("command", "command-decision")]
    assert {it["command"] for it in entries} == {question["body"]}


@pytest.mark.requirement("approval.asking.gate.seen")
@pytest.mark.parametrize("topic", ["file:main", "bash:main"])
def test_what_a_shell_would_do_is_not_taken_for_a_password(everything: Operator, topic: str) -> None:
    text = f"true http://me:;touch${{IFS}}{RAN};@host"
    sent = everything.send(f"/exec {text}" if topic == "file:main" else text, topic)
    (question,) = until(everything.listed)
    assert question["body"].endswith(text)
    assert RAN in question["title"]
    everything.decide(question, False)
    sent.result(20)
    assert not (everything.daemon.home / RAN).exists()


@pytest.mark.requirement("approval.asking.gate.withdrawn")
def test_cancelled_command_withdraws_its_question(operator: Operator, outside: Path) -> None:
    sent = operator.send(f"/exec echo ran >> {RAN}")
    (question,) = until(operator.listed)
    operator.daemon.exec("/cancel")
    assert "CANCELLED" in sent.result(20).content
    late = operator.decide(question, True)
    assert (late.status, late.json()["error"]) == (409, "QUESTION_CLOSED")
    assert not (operator.daemon.home / RAN).exists()
    entry = logged(operator.daemon, "command-decision")[-1]
    assert (entry["outcome"], entry["by"]) == ("withdrawn", "nobody")
    assert entry["command"].startswith("/exec echo ran")


@pytest.mark.requirement("approval.asking.gate.long")
def test_text_that_nobody_could_read_is_refused(operator: Operator, outside: Path) -> None:
    shown = refused(operator.daemon, f"/exec echo {'x' * 70_000}")
    assert shown == "ERROR(DENIED): The command is too long to be shown to the operator."
