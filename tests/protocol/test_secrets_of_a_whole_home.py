"""A secret typed through every surface is in no file of the home, no log, no answer and no process."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from stringd.client import AsyncClient, Client, DaemonUnreachable
from tests.actions.service import Service, serving
from tests.cli.terminal import CTRL_D, PROGRAM, Terminal
from tests.events.watching import kept_events
from tests.ports import free_port
from tests.protocol.test_secrets_unseen import FORMS, KEEP, MISTYPED, SECRET, form, holds
from tests.protocol.waits import eventually

STRINGD = str(Path(PROGRAM).with_name("stringd"))
LOGIN = f"/act.in ann '{SECRET}'"
KEEP_BLOCK = f"<𝒞=string:app:vault>{KEEP}</𝒞>"
TYPED = (LOGIN, f"/act.in ann --pw '{SECRET}'", f"/acct.in --pw '{SECRET}'", f"/act.in --pw '{SECRET}")

PASSWORD = b"hunter2-of-a-url"
URL = f"http://me:{PASSWORD.decode()}@127.0.0.1:9/"
OF_URLS = {
    "web:site": (
        f"/open {URL}",
        f'/open "{URL}"',
        f"/opne {URL}",
        f"/open {URL.replace('http', 'ftp')}",
        f"/open {URL.replace(':9', ':::')}",
        f"/open http://127.0.0.1:9/?to={quote(URL, safe='')}",
        f"/act.in {URL}",
        URL,
    ),
    "file:main": (
        f"/open {URL}",
        f"/open {'x' * 100} postgres://u:{PASSWORD.decode()}@host/db",
        f"/exec true {URL}",
        f"/install {URL}a.git",
        f"/set {{{{server}}}} '{URL}'",
        f"/edit a.md\n{URL}\n---\n{URL}",
    ),
    "bash:main": (f"curl -s {URL}", f"//run true '{URL}'", f"true {URL} &", "//jobs", f"//jobs {URL}"),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a person who runs the programs; a daemon is started on a free port when needed."""
    monkeypatch.setenv("STRINGD_PORT", str(free_port()))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("STRINGD_DATA_DIR", "STRINGD_USER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def service(home: Path) -> Iterator[Service]:
    with serving() as running:
        running.answer("/", form("in", "get"), media_type="text/html")
        running.answer("/in", "<title>In</title><p>In. <a href='?p=2'>p</a>", media_type="text/html")
        try:
            yield running
        finally:
            end_daemon()


def end_daemon() -> int | None:
    """Shut the daemon down and return its process id, once it has ended."""
    with Client(start=False) as client:
        try:
            pid: int = client.status()["pid"]
        except DaemonUnreachable:
            return None
        client.shutdown()
    try:
        eventually(lambda: not Path(f"/proc/{pid}").exists())
    except AssertionError:
        os.kill(pid, signal.SIGKILL)
        raise
    return pid


def run(*words: str, typed: str = "") -> bytes:
    """Run a program and return everything it prints."""
    ran = subprocess.run(words, input=typed.encode(), capture_output=True, timeout=30, check=False)
    return ran.stdout + ran.stderr


def type_at_prompt(topic: str, lines: tuple[str, ...]) -> None:
    """Type lines at the prompt, which the terminal echoes: what counts is what is kept of them."""
    with Terminal(f"{PROGRAM} {topic}") as terminal:
        for line in (*lines, "/help"):
            terminal.expect(f"{topic}> ", 30.0)
            terminal.type(f"{line}\n")
        terminal.expect(f"{topic}> ", 30.0)
        terminal.type(CTRL_D)
        assert terminal.process.wait(20) == 0


async def answers_to_asyncio(commands: tuple[str, ...], topic: str = "web:site") -> bytes:
    async with AsyncClient() as client:
        return repr([await client.exec(topic, it) for it in commands]).encode()


def of_every_process() -> bytes:
    """Return what `ps` shows of every process, and the environment of those that can be read."""
    listed = subprocess.run(["ps", "-eww", "-o", "pid=,args="], capture_output=True, check=True).stdout
    environments = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environments.append((folder / "environ").read_bytes())
        except OSError:
            continue
    return listed + b"\n".join(environments)


def holding_files(home: Path) -> list[str]:
    """Return the files below the home that hold the secret in any form, but the one that keeps it."""
    files = [it for it in home.rglob("*") if it.is_file() and it.name != "secrets.json"]
    return [str(it.relative_to(home)) for it in files if holds(it.read_bytes())]


@pytest.mark.long
@pytest.mark.timeout(180)
@pytest.mark.requirement("mask.command", "mask.history", "mask.state", "secret.unseen", "web.form.secret")
def test_secret_typed_through_every_surface_is_never_stored(home: Path, service: Service) -> None:
    opens = f"/open {service.url}/"
    lines = "\n".join(it for cmd in TYPED for it in (opens, cmd))
    blocks = (f"<𝒞=string:web:site>{it}</𝒞>" for it in lines.split("\n"))
    run(PROGRAM, "web:site", opens)
    type_at_prompt("web:site", TYPED)
    type_at_prompt("app:vault", tuple(it for it in MISTYPED if "\n" not in it))
    told = {
        "one command of standard input": run(PROGRAM, "--json", "web:site", "-", typed=LOGIN),
        "lines of standard input": run(PROGRAM, "web:site", typed=lines),
        "an argument": run(PROGRAM, "web:site", TYPED[2]),
        "stringd exec": run(STRINGD, "exec", "web:site", TYPED[3]),
        "stringd chanflow": run(STRINGD, "chanflow", typed=f"{KEEP_BLOCK}{''.join(blocks)}"),
        "AsyncClient": asyncio.run(answers_to_asyncio(tuple(lines.split("\n")))),
    }
    with Client() as client:
        told["Client"] = repr([client.exec("web:site", it) for it in lines.split("\n")]).encode()
        events = kept_events(client.port)
        told["lists"] = repr([client.sessions(everyone=True), client.status(), client.users()]).encode()
    assert [surface for surface, printed in told.items() if holds(printed)] == []
    assert [it for it in events if holds(it)] == []
    assert len([it for it in events if b"command-ended" in it]) > len(told)
    assert len([it for it in service.received if holds(it.target.encode())]) >= len(told)
    end_daemon()
    assert holding_files(home) == []
    assert b"/help" in (home / ".string/history").read_bytes()
    assert any(holds(it.read_bytes()) for it in home.rglob("secrets.json"))


@pytest.mark.long
@pytest.mark.timeout(180)
@pytest.mark.requirement("mask.url", "mask.command", "mask.history")
def test_password_of_a_url_typed_through_every_surface_is_never_stored(home: Path) -> None:
    told: dict[str, bytes] = {}
    try:
        for topic, typed in OF_URLS.items():
            lines = tuple(it for it in typed if "\n" not in it)
            type_at_prompt(topic, lines)
            told |= {f"{topic} {it}": run(PROGRAM, "--json", topic, "-", typed=it) for it in typed}
            blocks = "".join(f"<𝒞=string:{topic}>{it}</𝒞>" for it in typed)
            told |= {
                f"an argument to {topic}": run(PROGRAM, topic, typed[0]),
                f"lines to {topic}": run(PROGRAM, topic, typed="\n".join(lines)),
                f"stringd exec to {topic}": run(STRINGD, "exec", topic, typed[0]),
                f"stringd chanflow to {topic}": run(STRINGD, "chanflow", typed=blocks),
                f"AsyncClient to {topic}": asyncio.run(answers_to_asyncio(typed, topic)),
            }
        with Client() as client:
            events = kept_events(client.port)
            told["lists"] = repr([client.sessions(everyone=True), client.status(), client.users()]).encode()
    finally:
        end_daemon()
    assert [surface for surface, printed in told.items() if PASSWORD in printed] == []
    assert [it for it in events if PASSWORD in it] == []
    assert len([it for it in events if b"me:********@" in it]) > len(told)
    files = {it.name: it.read_bytes() for it in home.rglob("*") if it.is_file()}
    assert [name for name, data in files.items() if PASSWORD in data] == []
    assert b"/help" in files["history"]


@pytest.mark.requirement("secret.unseen")
def test_secret_from_stdin_is_not_in_the_process_list(home: Path, service: Service) -> None:
    run(PROGRAM, "web:site", f"/open {service.url}/")
    printed: list[bytes] = []
    program = threading.Thread(target=lambda: printed.append(run(PROGRAM, "web:site", "-", typed=LOGIN)))
    with service.holding("/in"):
        program.start()
        eventually(lambda: any(it.target.startswith("/in") for it in service.received))
        shown = of_every_process()
    program.join(30)
    assert b"Opened " in printed[0]
    assert sys.executable.encode() in shown
    assert [it for it in FORMS if it in shown or it in printed[0]] == []
