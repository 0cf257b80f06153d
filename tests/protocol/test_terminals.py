"""Text from pages, files and apps cannot control a terminal or reorder what an agent reads."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from stringd.testing.process import DaemonProcess, HttpReply, parse_events
from tests.actions.acting import act, running_daemon
from tests.actions.service import Service, serving
from tests.cli.terminal import PROGRAM, Terminal

COPY = "\x1b]52;c;cHduZWQ=\x07"
TITLE = "\x1b]0;mine\x1b\\"
CLEAR = "\x1b[2J\x1b[3J\x1bc"
EIGHT_BIT = "\x9b2J\x9d0;mine\x9c\x90q\x9c"
REORDERED = "\u202egnp.exe\u202dx"
PIECES = st.sampled_from([COPY, TITLE, CLEAR, EIGHT_BIT, REORDERED, "\r", "\b\b", "\x0e", "\x7f", "\x0c"])
CONTROLS = st.characters(min_codepoint=1, max_codepoint=0x9F, categories=["Cc"], exclude_characters="\n")
HOSTILE = st.lists(st.one_of(PIECES, CONTROLS, st.sampled_from("ab é漢")), min_size=1, max_size=8).map(
    "".join
)
RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202d\u202e]|\r(?!\n)")
FAMILY = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    with running_daemon(tmp_path_factory.mktemp("shown")) as daemon:
        yield daemon


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with serving() as running:
        yield running


def texts(value: Any) -> Iterator[str]:
    """Yield every text in what JSON says."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain(value, *map(texts, value.values()))


def said(daemon: DaemonProcess, cmd: str, topic: str) -> str:
    """Return the answer to a command, none of whose bytes act on a terminal, whatever carries it."""
    body = {"cmd": cmd, "topic": topic}
    reply = daemon.request("POST", "/exec", body, {"X-User-Id": "default"})
    events = parse_events(reply)
    told = [reply.text, events.content, *texts(events.head), *listed(daemon)]
    assert not [it for it in told if RAW.search(it)], cmd
    return events.content.partition("\n")[2]


def listed(daemon: DaemonProcess) -> Iterator[str]:
    for session in daemon.request("GET", "/sessions").json()["sessions"]:
        yield from texts(session)


def flowed(daemon: DaemonProcess, cmd: str, topic: str) -> str:
    text = f"<𝒞=string:{topic}>{cmd}</𝒞>".encode()
    reply: HttpReply = daemon.request("POST", "/chanflow", text, {"X-User-Id": "default"})
    assert not RAW.search(reply.text), cmd
    return reply.text


def shown_at_terminal(words: list[str]) -> str:
    """Return every character that a program sends to the terminal that it runs at."""
    script = f"{shlex.join(words)}; echo THE END"
    with Terminal(shlex.join(["bash", "-c", script])) as terminal:
        return terminal.expect("THE END", 30.0).replace("\r\n", "\n")


def page(text: str) -> str:
    """Return a document that says a text wherever a document may say something."""
    quoted = json.dumps(text)
    line = text.replace("\r", "")
    return "\n".join(
        (
            f"---\ntitle: {quoted}\nenv:\n  - name: KEY\n    description: {quoted}\n---",
            f"# Head {line}\n\n[{line}](https://example.com/{line}) ![{line}](https://example.com/i.png)",
            f"[@one {line}](https://example.com/)\n\n[!nav:menu {line}](menu.md)\n\n[!include:{line}]()\n",
            f"<!-- #{line} -->\n\n{text}\n\n<!-- /{line} -->\n\n| {line} | b |\n|---|---|\n| 1 | {text} |",
            act("x", "GET http://127.0.0.1:9/", f'  q: string "{line}" = "{line}"'),
            act(f"y{line}", "CLI true"),
            f"```{line}\n{text}\n```",
            "",
        )
    )


@pytest.mark.requirement("reply.visible", "meta.visible")
@given(HOSTILE)
@example(COPY)
@example(REORDERED)
@FAMILY
def test_document_is_shown_escaped_and_stored_unchanged(running: DaemonProcess, text: str) -> None:
    topic = f"file:t{next(NUMBERS)}"
    source = page(text).encode()
    (running.home / "page.md").write_bytes(source)
    commands = ("/open page.md", "/info", "/nav", "/nav page", "/nav scaffold", "/source", "/edit page.md")
    more = (
        "/act",
        "/act.x --help",
        "/act.x",
        "/find a",
        "/ls",
        "/topics",
        "/verify page.md#nothing",
        "/open #no",
    )
    for cmd in (*commands, *more):
        said(running, cmd, topic)
        flowed(running, cmd, topic)
    assert (running.home / "page.md").read_bytes() == source


@pytest.mark.requirement("reply.visible")
def test_edit_keeps_raw_text_and_escapes_the_diff(running: DaemonProcess) -> None:
    (running.home / "raw.md").write_text(f"one\n{COPY}\ntwo\n", encoding="utf-8")
    assert "2 │ \\x1b]52;c;cHduZWQ=\\x07" in said(running, "/edit raw.md", "file:edit")
    answered = flowed(running, "/edit raw.md\none\n\\x1b\nthree", "file:edit")
    assert "\\x1b]52" in answered
    assert (running.home / "raw.md").read_text(encoding="utf-8") == "one\n\\x1b\nthree\n"
    said(running, "/undo", "file:edit")
    said(running, "/replace raw.md:L3\nthree", "file:edit")
    assert (running.home / "raw.md").read_text(encoding="utf-8") == f"one\n{COPY}\nthree\n"


@pytest.mark.requirement("reply.visible", "meta.visible")
@given(HOSTILE.filter(lambda it: len(os.fsencode(it)) < 200))
@example(TITLE)
@FAMILY
def test_file_names_are_escaped(running: DaemonProcess, text: str) -> None:
    folder = running.home / f"names-{next(NUMBERS)}"
    folder.mkdir()
    (folder / f"{text}.md").write_text("# A\n", encoding="utf-8")
    topic = f"file:n{next(NUMBERS)}"
    typed = f"{folder.name}/{text}.md"
    told = [f"/ls {folder.name}", f"/open {typed}", "/info", "/refresh", f"/write {typed}\nx", "/undo"]
    for cmd in (*told, f"/open {typed}x", f"/verify {typed}#a", f"/nosuch{text} {text}", "/topics"):
        said(running, cmd, topic)
        flowed(running, cmd, topic)


@pytest.mark.long
@pytest.mark.requirement("reply.visible", "meta.visible")
@given(HOSTILE)
@example(COPY + CLEAR)
@FAMILY
def test_site_content_is_escaped(running: DaemonProcess, service: Service, text: str) -> None:
    markup = "".join(f"&#{ord(it)};" if ord(it) > 127 or ord(it) < 32 else it for it in text) + text
    form = f"<form id=f action='/f{markup}'><label>{markup}<input name='{markup}' value='{markup}'></label>"
    link = f"<a href='/{markup}' title='{markup}'>{markup}</a>"
    html = f"<title>{markup}</title><h1 id='{markup}'>{markup}</h1>{link}"
    service.answer(
        "/", f"{html}{form}<button>{markup}</button></form><pre>{markup}</pre>", media_type="text/html"
    )
    service.answer("/json", {text: [text, {text: text}]})
    service.answer("/plain", text)
    service.answer("/md", f"# {text}\n\n{text}\n", media_type="text/markdown")
    service.answer("/bad", text, status=500)
    topic = f"web:w{next(NUMBERS)}"
    for path in ("/md", "/json", "/plain", "/bad", "/"):
        said(running, f"/open {service.url}{path}", topic)
        flowed(running, f"/open {service.url}{path}", topic)
    for cmd in ("/info", "/nav page", "/source", "/act", "/act.f --help", "/act.f --nosuch 1", "/act.f"):
        said(running, cmd, topic)


@pytest.mark.long
@pytest.mark.requirement("reply.visible")
@given(HOSTILE)
@example(EIGHT_BIT)
@FAMILY
def test_service_responses_and_variables_are_escaped(
    running: DaemonProcess, service: Service, text: str
) -> None:
    topic = f"file:s{next(NUMBERS)}"
    service.answer("/ok", {text: text})
    service.answer("/html", f"<title>{text}</title>{text}", media_type="text/html")
    service.answer("/bad", text, status=500)
    said(running, f"/set\n```{{x}}\n{text}\n```", topic)
    paths = "\n\n".join(act(it, f"GET {service.url}/{it}") for it in ("ok", "html", "bad"))
    template = act("made.response.j2", "{{ response.body }} {% set y = response.body %}")
    told = act("made", f"GET {service.url}/ok")
    run = act("run", 'CLI printf %s "$(cat said)"; exit 3')
    (running.home / "said").write_text(text, encoding="utf-8")
    (running.home / "acts.md").write_text(f"{paths}\n\n{told}\n\n{template}\n\n{run}\n", encoding="utf-8")
    commands = ("/open acts.md", "/act.ok", "/act.html", "/act.bad", "/act.made", "/act.run")
    for cmd in (*commands, "/set", "/info", "/exec cat said", "/act.ok {x}"):
        said(running, cmd, topic)
        flowed(running, cmd, topic)


@pytest.mark.requirement("cli.visible")
@pytest.mark.parametrize("options", ["", "--json "])
def test_nothing_raw_is_sent_to_a_terminal(running: DaemonProcess, options: str) -> None:
    hostile = COPY + TITLE + CLEAR + EIGHT_BIT + REORDERED
    (running.home / "pty.md").write_text(page(hostile), encoding="utf-8")
    (running.home / f"{COPY}.md").write_text("x", encoding="utf-8")
    for cmd in ("/open pty.md", "/source", "/ls", "/open nosuch", f"/open {COPY}", f"/nosuch{COPY}"):
        words = [PROGRAM, *options.split(), "--port", str(running.port), "file:pty", cmd]
        assert not RAW.search(shown_at_terminal(words)), cmd


@pytest.mark.requirement("cli.visible")
def test_program_errors_and_log_are_escaped(running: DaemonProcess, tmp_path: Path) -> None:
    hostile = COPY + EIGHT_BIT + REORDERED
    folder = tmp_path / f"app{hostile}"
    folder.mkdir()
    (folder / "string.md").write_text(f"# A\n\n```act.x\nGET x\n nonsense {hostile}\n```\n", encoding="utf-8")
    stringd = PROGRAM.replace("/string", "/stringd")
    commands = (
        [stringd, "check", str(folder)],
        [stringd, "check", f"{folder}x"],
        [stringd, "--port", hostile],
        [PROGRAM, "--port", str(running.port), "--no-start", f"file:{hostile}", "/info"],
        [stringd, "--port", str(running.port), "sessions", "--json"],
        [stringd, "--port", str(running.port), "status"],
    )
    for words in commands:
        assert not RAW.search(shown_at_terminal(words)), words
    assert not RAW.search(running.stderr())


@pytest.mark.requirement("reply.visible")
@pytest.mark.parametrize("text", ["\u202eab", "\x9b2J", "\x7f", COPY])
def test_http_errors_are_escaped(running: DaemonProcess, text: str) -> None:
    body = {"cmd": "/info", "topic": f"file:{text}"}
    answers = [
        running.request("POST", "/exec", body, {"X-User-Id": "default"}),
        running.request("POST", "/exec", {"cmd": "/info", "topic": f"{text}:a"}, {"X-User-Id": "default"}),
        running.request("POST", "/users", {"user_id": text, "home": f"/tmp/{text}"}),
    ]
    assert [it.status for it in answers] == [400, 400, 400]
    assert not [it.text for it in answers if RAW.search(it.text)]
