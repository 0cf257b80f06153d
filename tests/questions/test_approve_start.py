"""`stringd approve` without a daemon, in scripts, and the daemon's own terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import CTRL_C, Terminal
from tests.ports import free_port
from tests.questions.conftest import PLUGIN
from tests.questions.people import TOKEN, Operator, People, until

STRINGD = str(Path(sys.executable).with_name("stringd"))
TOKEN_TEXT = re.compile(r"shown only here: ([\w-]{43})\b")
PERSON: dict[str, Any] = {"trust": "person", "waits_for_operator": True}


@pytest.fixture
def unstarted(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A free port, and access to the daemon that a client starts there."""
    daemon = DaemonProcess(tmp_path, (), {}, port=free_port(), data_dir=tmp_path / ".string" / ".stringd")
    yield daemon
    subprocess.run([*stringd(daemon), "shutdown"], env=environment(daemon), check=False, timeout=30)


def stringd(daemon: DaemonProcess) -> list[str]:
    return [STRINGD, "--port", str(daemon.port)]


def environment(daemon: DaemonProcess) -> dict[str, str]:
    home = str(daemon.home.parent)
    return {**os.environ, "HOME": home, "TERM": "dumb", "STRINGD_PLUGINS": PLUGIN}


@pytest.mark.requirement("approve.start", "operator.handed_over")
def test_daemon_is_started_with_the_person_as_its_operator(unstarted: DaemonProcess) -> None:
    home = unstarted.home.parent
    command = f"env TERM=dumb HOME={home} STRINGD_PLUGINS={PLUGIN} {' '.join(stringd(unstarted))} approve"
    with Terminal(command) as terminal:
        shown = terminal.expect("Waiting for questions", 40)
        token = TOKEN_TEXT.search(shown)
        assert token
        unstarted.register("default", home / "home")
        people = People(unstarted)
        asked = people.ask(trust="person", kind="approve")
        terminal.expect("Allow? ")
        terminal.type("y")
        assert asked.told()["by"] == "operator"
        terminal.type(CTRL_C)
        assert terminal.process.wait(10) == 130
    with Operator(unstarted, token[1]):
        assert unstarted.request("GET", "/questions").json()["operator"] == "attached"
    files = [it.read_bytes().decode("latin-1") for it in home.rglob("*") if it.is_file()]
    assert [it for it in files if token[1] in it] == []


@pytest.mark.requirement("approve.script", "approve.start")
def test_script_starts_a_daemon_and_answers_in_json(unstarted: DaemonProcess) -> None:
    script = subprocess.Popen(
        [*stringd(unstarted), "approve", "--json", "--once"],
        env=environment(unstarted),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    with script:
        assert script.stdin
        assert script.stdout
        assert json.loads(script.stdout.readline()) == {"event": "ready", "operator": True}
        unstarted.register("default", unstarted.home)
        asked = People(unstarted).ask(trust="person", kind="approve", extras=["grant"])
        line = json.loads(script.stdout.readline())
        assert (line["event"], line["id"], line["kind"]) == ("question", asked.id, "approve")
        script.stdin.write('{"answer": "perhaps"}\n')
        script.stdin.flush()
        refused = json.loads(script.stdout.readline())
        assert (refused["event"], refused["error"]) == ("refused", "INVALID_ANSWER")
        script.stdin.write('{"answer": true, "comment": "fine", "grant": 2}\n')
        script.stdin.flush()
        assert json.loads(script.stdout.readline()) == {"event": "answered", "id": asked.id}
        assert script.wait(10) == 0
    told = asked.told()
    assert (told["through"], told["comment"], told["extras"]) == (
        "stringd approve --json",
        "fine",
        {"grant": 2},
    )


@pytest.mark.requirement("approve.script")
def test_script_reads_the_token_from_a_descriptor(operated: DaemonProcess) -> None:
    token = operated.operator_token or ""
    asked = People(operated).ask(**PERSON)
    answers = f"{token}\n" + json.dumps({"id": asked.id, "answer": "from a script"}) + "\n"
    command = [*stringd(operated), "approve", "--json", "--once", "--token-fd", "0"]
    ran = subprocess.run(
        command, input=answers, capture_output=True, encoding="utf-8", timeout=30, check=True
    )
    assert [json.loads(it)["event"] for it in ran.stdout.splitlines()] == ["ready", "question", "answered"]
    assert asked.told()["value"] == "from a script"
    assert token not in ran.stdout + ran.stderr


@pytest.mark.requirement("approve.script")
@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("", "standard input has ended without an answer"),
        ("[]\n", "each line of standard input must be an object"),
        ("no JSON\n", "each line of standard input must be an object"),
        ('{"comment": "x"}\n', "each line of standard input must be an object"),
    ],
)
def test_script_that_sends_no_answer_fails(operated: DaemonProcess, answers: str, message: str) -> None:
    asked = People(operated).ask(**PERSON)
    command = [*stringd(operated), "approve", "--json", "--once", "--token-fd", "0"]
    given = f"{operated.operator_token}\n{answers}"
    ran = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", timeout=30, check=False)
    assert (ran.returncode, message in ran.stderr) == (1, True)
    assert not asked.done()


@pytest.mark.requirement("approve.script")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "answers must be typed in a terminal; use --json in scripts"),
        (
            ["--json"],
            "the operator's token must be typed in a terminal, or read with --token-fd",
        ),
        (["--json", "--token-fd", "77"], "the operator's token can't be read: Bad file descriptor"),
        (["--json", "--token-fd", "0"], "This is not the token of this daemon's operator."),
    ],
)
def test_missing_terminal_or_token_is_an_error(
    operated: DaemonProcess, options: list[str], message: str
) -> None:
    command = [*stringd(operated), "approve", *options]
    ran = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=30, check=False
    )
    assert (ran.returncode, ran.stderr) == (1, f"stringd: {message}\n")


@pytest.mark.requirement("operator.handed_over")
def test_daemon_in_a_terminal_shows_its_token_there_and_nowhere_else(tmp_path: Path) -> None:
    port = free_port()
    daemon = DaemonProcess(tmp_path, (), {}, port=port, data_dir=tmp_path / "data")
    command = f"env HOME={tmp_path} {STRINGD} --port {port} --data-dir {tmp_path}/data --plugins {PLUGIN}"
    with Terminal(command) as terminal:
        found = TOKEN_TEXT.search(terminal.expect("listening on", 40))
        assert found
        daemon.register("default", tmp_path / "home")
        until(lambda: daemon.request("GET", "/questions").json()["operator"] == "absent")
        with Operator(daemon, found[1]) as operator:
            asked = operator.ask(trust="person")
            assert operator.decide(asked.question, "x").status == 200
            assert asked.told()["by"] == "operator"
        terminal.type(CTRL_C)
        assert terminal.process.wait(20) == 0


@pytest.mark.requirement("operator.handed_over")
def test_daemon_with_redirected_standard_error_has_no_operator(asking: DaemonProcess) -> None:
    assert "token" not in asking.stderr()
    assert asking.request("GET", "/questions", None, {TOKEN: "x"}).json()["operator"] == "none"
