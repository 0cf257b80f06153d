"""Templates in a running daemon: names for later commands, and limits."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, act
from tests.actions.processes import has_ended, wait_for
from tests.actions.test_hostile_templates import ENDLESS

TOPICS = 4


@pytest.mark.requirement("template.cli")
def test_command_json_is_templated(stage: Stage) -> None:
    stage.open(
        act("rows", """CLI printf '[{"id": 7, "box": "a b"}, {"id": 8, "box": "$(x)"}]'"""),
        act(
            "rows.response",
            "for: r in Response.body",
            "{@row} = ({r.id}, {r.box})",
            "- {@row} {r.id}",
            "end:",
        ),
        act("show", "CLI printf '%s|' {ref[0]} \"{ref[1]}\"", "  ref: tuple (required)"),
    )
    assert stage.send("/act.rows") == "- @row-1 7\n- @row-2 8"
    assert stage.send("/act.show @row-2") == "8|$(x)|"
    assert stage.send("/act.show --ref @row-1") == "7|a b|"


def test_named_values_can_be_used_in_later_calls(stage: Stage) -> None:
    stage.open(
        act("rows", "CLI echo [$(seq -s , 5000)]"),
        act("rows.response", "for: r in Response.body", "{@row} = {r}", "[{r}](https://x.y/{r})", "end:"),
        act("show", "CLI echo {row}", "  row: string (required)"),
    )
    stage.send('/set {_limit} = "100000"')
    assert stage.send("/act.rows").endswith("[5000][@5000]")
    assert [stage.send(f"/act.show @row-{number}") for number in (1, 2500, 5000)] == ["1", "2500", "5000"]
    assert stage.send("/info @1").endswith("target: https://x.y/1")


@pytest.mark.requirement("budget.answer")
def test_reply_is_shown_when_variables_exceed_the_limit(stage: Stage) -> None:
    stage.open(
        act("x", "CLI printf x >> ran; head -c 600000 /dev/zero | tr '\\0' a"),
        act(
            "x.response",
            "{first} = {Response.body}",
            "{second} = {Response.body}",
            "{@it} = {first}",
            "Done.",
        ),
    )
    assert stage.send('/set {kept} = "1"')
    told = stage.send("/act.x")
    assert told.endswith("\nDone.")
    assert told.startswith("[!] The variables of a topic may take 1024 KiB")
    assert stage.code("/act.x") is None
    assert (stage.daemon.home / "ran").read_text() == "xx"
    assert stage.send("/set").endswith('\n---\n{kept} = "1"')


def test_missing_optional_parameter_renders_empty(stage: Stage) -> None:
    stage.open(act("x", "CLI true {cc}", "  cc: string"), act("x.response", "Sent{cc}."))
    assert stage.send("/act.x --") == "Sent."


def test_failed_command_is_not_templated(stage: Stage) -> None:
    stage.open(act("x", "CLI echo reason; exit 4"), act("x.response", '{done} = "yes"', "All is well."))
    assert stage.send("/act.x") == f"exit: 4 | cwd: {stage.daemon.home}\n---\nreason"
    assert stage.code("/act.x") == "EXIT_4"
    assert "done" not in stage.send("/set")


@pytest.mark.requirement("template.save.file")
def test_saved_files_are_relative_to_the_working_directory(stage: Stage) -> None:
    data = bytes(range(256))
    (stage.daemon.home / "out").mkdir()
    (stage.daemon.home / "data.json").write_text(f'{{"data": "{base64.b64encode(data).decode()}"}}')
    stage.open(
        act("make", "CLI cat ~/data.json", "  file: string (required)"),
        act(
            "make.response",
            "save: data",
            "decode: base64",
            "to: {file}",
            "{@image} = {file}",
            "Saved: {@image}",
        ),
        name="out/page.md",
    )
    assert stage.send('/act.make "a b/$(x).png"'.replace("$", "\\$")) == "Saved: @image"
    assert (stage.daemon.home / "out" / "a b" / "$(x).png").read_bytes() == data
    assert stage.code("/act.make ../../outside.png") == "FILE_NOT_ALLOWED"
    assert not (stage.daemon.home.parent / "outside.png").exists()


def test_failed_template_has_no_effect(stage: Stage) -> None:
    stage.open(
        act("x", 'CLI echo \'{"a": "b"}\''),
        act("x.response", '{early} = "set"', "save: a", "to: early.txt", "save: missing", "to: late.txt"),
    )
    assert stage.code("/act.x") == "TEMPLATE_ERROR"
    assert "early" not in stage.send("/set")
    assert list(stage.daemon.home.glob("*.txt")) == []


@pytest.mark.long
@pytest.mark.requirement("template.hostile", "template.fair")
def test_endless_templates_do_not_block_other_topics(stage: Stage) -> None:
    stage.open(
        act("x", "CLI true"), act("x.response.j2", ENDLESS), act("y", "CLI true"), act("y.response", "y")
    )
    assert stage.send("/act.y") == "y"
    hostile = [replace(stage, topic=f"{stage.topic}-{number}") for number in range(TOPICS)]
    for topic in hostile:
        topic.send("/open page.md")
    with ThreadPoolExecutor(TOPICS) as threads:
        # Each of them twice: by the second round, all have used more than the honest one.
        rounds = [threads.submit(topic.code, "/act.x") for topic in hostile for _ in range(2)]
        # They compute for all that they may: on a machine with much else to do that takes its time.
        ended = as_completed(rounds, timeout=60)
        for _ in range(TOPICS // 2):
            next(ended)
        assert stage.send("/act.y") == "y"
        before_the_honest = sum(it.done() for it in rounds)
        assert {it.result() for it in rounds} == {"TEMPLATE_ERROR"}
    assert before_the_honest < 2 * TOPICS - 2
    assert stage.send("/act.y") == "y"


@pytest.mark.parametrize("ends", ["stop", "kill"])
def test_template_process_ends_with_the_daemon(own_daemon: DaemonProcess, ends: str) -> None:
    daemon, stage = own_daemon, Stage(daemon=own_daemon)
    stage.open(act("y", "CLI true"), act("y.response", "y"))
    assert stage.send("/act.y") == "y"
    (worker,) = children_of(daemon.process.pid)
    getattr(daemon, ends)()
    wait_for(lambda: has_ended(worker))


def children_of(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    texts = [(it / "children").read_text(encoding="ascii") for it in threads]
    return [int(child) for text in texts for child in text.split()]
