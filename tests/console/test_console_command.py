"""`stringd console`, and the first link of a daemon in a terminal."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import CTRL_C, Terminal
from tests.ports import free_port
from tests.questions.test_approve_start import STRINGD, TOKEN_TEXT

pytestmark = pytest.mark.timeout(90)
ASKS = "The operator's token, as shown by the daemon: "
LINK = re.compile(r"http://127\.0\.0\.1:\d+/console#token=([\w-]{43})\b")


def console(daemon: DaemonProcess, *options: str) -> list[str]:
    return [STRINGD, "--port", str(daemon.port), "console", *options]


def ran(daemon: DaemonProcess, *options: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program as a script does."""
    env = {**os.environ, "HOME": str(daemon.home.parent), "http_proxy": "http://127.0.0.1:9"}
    return subprocess.run(
        console(daemon, *options),
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env=env,
    )


def signs_in(daemon: DaemonProcess, shown: str) -> bool:
    found = LINK.search(shown)
    assert found, shown
    reply = daemon.request("POST", "/console/sign-in", {"ticket": found[1]}, {"Origin": daemon.url})
    return reply.status == 200


@pytest.fixture
def unstarted(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A free port, and access to the daemon that a client starts there."""
    daemon = DaemonProcess(tmp_path, (), {}, port=free_port(), data_dir=tmp_path / ".string" / ".stringd")
    yield daemon
    subprocess.run([STRINGD, "--port", str(daemon.port), "shutdown"], check=False, timeout=30)


@pytest.mark.requirement("console.command.link", "console.command.errors")
def test_person_types_the_token_and_gets_a_link(operated: DaemonProcess) -> None:
    command = " ".join(console(operated))
    with Terminal(f"env TERM=dumb {command}") as terminal:
        terminal.expect(ASKS)
        terminal.type(f"{operated.operator_token}\n")
        shown = terminal.expect("#token=")
        assert str(operated.operator_token) not in shown
        link = f"{shown}#token={terminal.expect(chr(10))}"
        assert terminal.process.wait(10) == 0
    assert signs_in(operated, link)
    assert not signs_in(operated, link)


@pytest.mark.long
@pytest.mark.requirement("console.command.script")
def test_script_reads_the_token_from_a_descriptor(operated: DaemonProcess) -> None:
    done = ran(operated, "--token-fd", "0", given=f"{operated.operator_token}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert LINK.fullmatch(done.stdout.strip())
    assert signs_in(operated, done.stdout)


@pytest.mark.requirement("console.command.errors")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--token-fd", "0"], "This is not the token of this daemon's operator."),
        pytest.param(
            ["--token-fd", "77"],
            "the operator's token can't be read: Bad file descriptor",
            marks=pytest.mark.long,
        ),
        pytest.param(
            [],
            "the operator's token must be typed in a terminal, or read with --token-fd",
            marks=pytest.mark.long,
        ),
    ],
)
def test_missing_or_wrong_token_is_an_error(
    operated: DaemonProcess, options: list[str], message: str
) -> None:
    done = ran(operated, *options, given="wrong\n")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"stringd: {message}\n")


@pytest.mark.requirement("console.command.errors", "console.access.no_operator")
def test_daemon_without_an_operator_is_an_error_that_helps(daemon: DaemonProcess) -> None:
    done = ran(daemon, "--token-fd", "0", given="x\n")
    assert done.returncode == 1
    assert "the daemon has no operator" in done.stderr
    assert "stop it with `stringd shutdown`, then run this again" in done.stderr


@pytest.mark.long
@pytest.mark.requirement("console.command.errors")
def test_daemon_without_the_console_is_an_error(tmp_path: Path) -> None:
    daemon = DaemonProcess(tmp_path, ("--without", "console"), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    done = ran(daemon, "--token-fd", "0", given=f"{daemon.operator_token}\n")
    daemon.kill()
    expected = "stringd: the daemon was started without the plugin `console`\n"
    assert (done.returncode, done.stderr) == (1, expected)


@pytest.mark.requirement("console.command.errors")
def test_port_of_another_program_is_an_error_and_gets_no_token(tmp_path: Path) -> None:
    seen = list[str]()

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(str(self.headers))
            self.send_error(404)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Other)
    thread = Thread(target=server.serve_forever)
    thread.start()
    other = DaemonProcess(tmp_path, (), {}, port=server.server_port, data_dir=None)
    done = ran(other, "--token-fd", "0", given="the-token\n")
    server.shutdown()
    thread.join()
    server.server_close()
    assert done.returncode == 1
    assert str(other.port) in done.stderr
    assert "the-token" not in "".join(seen)


@pytest.mark.long
@pytest.mark.requirement("console.command.open")
def test_link_is_opened_in_a_browser(operated: DaemonProcess, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {opened}\n', encoding="utf-8")
    program.chmod(0o755)
    command = f"env BROWSER='{program} %s' {' '.join(console(operated, '--open', '--token-fd', '3'))}"
    done = subprocess.run(
        ["bash", "-c", f"{command} 3<<<'{operated.operator_token}'"],
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=True,
    )
    assert opened.read_text(encoding="utf-8") == done.stdout
    assert signs_in(operated, done.stdout)


@pytest.mark.long
@pytest.mark.requirement("console.command.start")
def test_daemon_is_started_and_its_token_shown_once(unstarted: DaemonProcess) -> None:
    home = unstarted.home.parent
    with Terminal(f"env TERM=dumb HOME={home} {' '.join(console(unstarted))}") as terminal:
        token = TOKEN_TEXT.search(terminal.expect("#token=", 40))
        assert token
        link = f"{unstarted.url}/console#token={terminal.expect(chr(10))}"
        assert terminal.process.wait(10) == 0
    assert signs_in(unstarted, link)
    again = ran(unstarted, "--token-fd", "0", given=f"{token[1]}\n")
    assert signs_in(unstarted, again.stdout)
    assert token[1] not in again.stdout + again.stderr
    files = [it.read_bytes().decode("latin-1") for it in home.rglob("*") if it.is_file()]
    assert [it for it in files if token[1] in it] == []


@pytest.mark.long
@pytest.mark.requirement("console.command.start")
def test_script_that_starts_the_daemon_gets_a_link_and_no_token(unstarted: DaemonProcess) -> None:
    done = ran(unstarted)
    assert (done.returncode, done.stderr) == (0, "")
    assert LINK.fullmatch(done.stdout.strip())
    assert signs_in(unstarted, done.stdout)


@pytest.mark.long
@pytest.mark.requirement("console.command.first_link")
def test_daemon_in_a_terminal_shows_its_first_link_there(tmp_path: Path) -> None:
    daemon = DaemonProcess(tmp_path, (), {}, port=free_port(), data_dir=tmp_path / "data")
    command = f"env HOME={tmp_path} {STRINGD} --port {daemon.port} --data-dir {tmp_path}/data"
    with Terminal(command) as terminal:
        token = TOKEN_TEXT.search(terminal.expect("the console, for one browser: ", 40))
        assert token
        link = terminal.expect("\n").strip()
        assert LINK.fullmatch(link)
        assert signs_in(daemon, link)
        assert token[1] not in link
        terminal.type(CTRL_C)
        assert terminal.process.wait(20) == 0
