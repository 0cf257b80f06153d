"""`stringd run` and `stringd runs` with real daemons: those that run, and those of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import Terminal
from tests.ports import free_port

STRINGD = str(Path(sys.executable).with_name("stringd"))
PATIENCE = 40.0
WRITER = {"model": "openai/unknown", "systemPrompt": "Write.", "tools": ["topic:file"]}
ANN = {"type": "user", "description": "Well?", "config": {"always": True}}


def write_strategy(folder: Path, agents: dict[str, Any]) -> Path:
    path = folder / "notes.json"
    flow = {"name": "main", "type": "sequential", "steps": [{"agent": it} for it in agents]}
    path.write_text(json.dumps({"name": "notes", "version": "1", "agents": agents, "flow": flow}), "utf-8")
    return path


class Shell:
    """Runs `stringd` in a folder, with a home of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.environment = {**os.environ, "HOME": str(folder / "me"), "STRINGD_PORT": str(port)}
        (folder / "me").mkdir()

    def run(self, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [STRINGD, *words],
            input=typed,
            capture_output=True,
            encoding="utf-8",
            cwd=self.folder,
            env=self.environment,
            timeout=PATIENCE,
        )

    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def alone(tmp_path: Path) -> Shell:
    """A fresh machine: nothing listens on the port, and the home is empty."""
    return Shell(tmp_path, free_port())


@pytest.fixture
def beside(daemon: DaemonProcess, tmp_path: Path) -> Shell:
    """A shell beside a running daemon."""
    return Shell(tmp_path, daemon.port)


@pytest.mark.requirement("runs.topics.dry")
def test_dry_run_needs_no_key_no_daemon_and_leaves_nothing(alone: Shell) -> None:
    write_strategy(alone.folder, {"writer": WRITER, "ann": ANN, "critic": WRITER})
    done = alone.run("run", "--dry", "notes.json", "--input", "Hello", typed="Fine\n")
    assert (done.returncode, done.stdout) == (0, "Fine\n"), done.stderr
    assert "step 3/3 critic\n" in done.stderr
    assert not alone.listens()
    left = [it for it in (alone.folder / "me").rglob("*") if it.is_file()]
    assert left == []
    assert {it.name for it in alone.folder.iterdir()} == {"me", "notes.json"}


@pytest.mark.requirement("runs.topics.dry", "runs.topics.exit_codes")
def test_dry_run_ends_if_nobody_can_answer(alone: Shell) -> None:
    write_strategy(alone.folder, {"ann": ANN})
    done = alone.run("run", "--dry", "notes.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(
        "stringd: nobody can answer, since standard input has ended"
    )


@pytest.mark.requirement("runs.topics.dry")
@pytest.mark.long
def test_dry_run_of_a_strategy_elsewhere(alone: Shell, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = write_strategy(tmp_path_factory.mktemp("elsewhere"), {"writer": WRITER})
    link = alone.folder / "link.json"
    link.symlink_to(path)
    for name in (str(path), os.path.relpath(path, alone.folder), link.name):
        done = alone.run("run", "--dry", name, "--input", "Hello")
        assert (done.returncode, done.stdout) == (0, "Hello\n"), done.stderr


@pytest.mark.requirement("runs.topics.exit_codes")
@pytest.mark.long
def test_strategy_that_is_missing_fails(beside: Shell) -> None:
    done = beside.run("run", "nothing.json")
    assert done.returncode == 1
    assert "nothing.json" in done.stderr
    assert done.stdout == ""


@pytest.mark.requirement("runs.topics.daemon", "runs.topics.runs")
def test_run_belongs_to_the_running_daemon(daemon: DaemonProcess, beside: Shell) -> None:
    write_strategy(daemon.home, {"writer": WRITER})
    done = beside.run("run", "notes.json", "--model", "scripted/echo", "--input", "Hello")
    assert (done.returncode, done.stdout) == (0, "Hello\n"), done.stderr
    [found] = re.findall(r"^run (\S+) of notes: writer$", done.stderr, re.MULTILINE)
    assert "status: completed" in daemon.exec("/info", f"run:{found}").content
    assert re.search(
        rf"^{found}  completed  \d{{4}}-\d\d-\d\d .*  notes$", beside.run("runs").stdout, re.MULTILINE
    )
    shown = beside.run("runs", "show", found)
    assert (shown.returncode, "## writer\n\n> Hello\n\nHello" in shown.stdout) == (0, True)
    listed = json.loads(beside.run("runs", "--json").stdout)
    assert {"runId": found, "status": "completed"}.items() <= listed[0].items()


@pytest.mark.long
def test_texts_that_are_longer_than_what_may_wait_for_a_client_arrive(
    daemon: DaemonProcess, beside: Shell
) -> None:
    write_strategy(daemon.home, {"writer": WRITER, "critic": WRITER})
    text = "lorem ipsum " * 500_000
    done = beside.run("run", "notes.json", "--model", "scripted/echo", "--input", "-", typed=text)
    assert (done.returncode, done.stdout == f"{text}\n") == (0, True), done.stderr[-1000:]
    assert done.stderr.count(" has answered (") == 2


def test_strategy_that_is_not_here_is_found_in_the_home(daemon: DaemonProcess, beside: Shell) -> None:
    write_strategy(daemon.home, {"writer": WRITER})
    beside.folder = daemon.home / "inside"
    beside.folder.mkdir(exist_ok=True)
    done = beside.run("run", "notes.json", "--model", "scripted/echo", "--input", "Hello")
    assert (done.returncode, done.stdout) == (0, "Hello\n"), done.stderr


@pytest.mark.requirement("runs.topics.daemon")
@pytest.mark.long
def test_daemon_of_its_own_ends_with_the_run_whose_history_remains(alone: Shell) -> None:
    home = alone.folder / "me" / ".string" / "users" / "default"
    home.mkdir(parents=True)
    write_strategy(home, {"writer": WRITER})
    done = alone.run("run", "notes.json", "--model", "scripted/echo", "--input", "Hello")
    assert (done.returncode, done.stdout) == (0, "Hello\n"), done.stderr
    assert not alone.listens()
    assert "completed" in alone.run("runs").stdout


@pytest.mark.requirement("runs.topics.daemon")
@pytest.mark.long
def test_daemon_of_its_own_does_not_outlive_a_killed_program(alone: Shell) -> None:
    home = alone.folder / "me" / ".string" / "users" / "default"
    home.mkdir(parents=True)
    write_strategy(home, {"ann": ANN})
    program = subprocess.Popen(
        [STRINGD, "run", "notes.json"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=alone.folder,
        env=alone.environment,
    )
    with program:
        assert program.stderr is not None
        while b"what do you say" not in program.stderr.readline():
            assert program.poll() is None
        assert alone.listens()
        program.send_signal(signal.SIGKILL)
        program.wait(PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while alone.listens():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.requirement("runs.topics.boundary")
def test_strategy_outside_of_the_users_paths_is_refused_until_they_are_allowed(beside: Shell) -> None:
    write_strategy(beside.folder, {"writer": WRITER})
    words = ("run", "notes.json", "--model", "scripted/echo", "--input", "Hello")
    refused = beside.run(*words)
    assert refused.returncode == 1
    assert f"stringd users --allow {beside.folder} --user default" in refused.stderr
    assert refused.stderr.count(str(beside.folder / "notes.json")) == 1
    assert beside.run("users", "--allow", ".").returncode == 0
    done = beside.run(*words)
    assert (done.returncode, done.stdout) == (0, "Hello\n"), done.stderr


@pytest.mark.requirement("runs.topics.stop", "runs.topics.runs")
def test_runs_stop_ends_a_run(daemon: DaemonProcess, beside: Shell) -> None:
    write_strategy(daemon.home, {"ann": ANN})
    daemon.exec("/open notes.json", "run:to-stop")
    daemon.exec("/start x", "run:to-stop")
    stopped = beside.run("runs", "stop", "to-stop")
    assert (stopped.returncode, "Stopped." in stopped.stdout) == (0, True)
    assert "status: cancelled" in daemon.exec("/info", "run:to-stop").content
    again = beside.run("runs", "stop", "to-stop")
    assert (again.returncode, again.stdout) == (1, "")
    assert beside.run("runs", "show").returncode == 2


@pytest.mark.requirement("runs.topics.questions")
def test_person_at_a_terminal_answers_a_real_run(daemon: DaemonProcess, beside: Shell) -> None:
    slow = {"model": "scripted/echo", "providerOptions": {"scripted": {"chunks": 3, "chunkDelayMs": 30}}}
    write_strategy(daemon.home, {"writer": slow, "ann": ANN, "critic": slow})
    environment = f"HOME={beside.environment['HOME']} STRINGD_PORT={daemon.port} TERM=xterm"
    command = f"cd {beside.folder}; {STRINGD} run notes.json --input draft; echo code $?"
    with Terminal(f"env {environment} bash -c '{command}'") as terminal:
        terminal.expect("── 1/3 writer")
        terminal.expect("Answer: ")
        terminal.type("It is fine\r")
        terminal.expect("── 3/3 critic")
        terminal.expect("completed in 0:0")
        terminal.expect("code 0")


@pytest.mark.long
@pytest.mark.requirement("runs.topics.permissions")
def test_person_who_has_started_the_daemon_decides_about_tools(alone: Shell) -> None:
    home = alone.folder / "me" / ".string" / "users" / "default"
    home.mkdir(parents=True)
    call = [{"name": "bash", "args": {"command": "echo made > made.txt"}}]
    scripted = {"scripted": {"reply": "Done", "toolCalls": [call]}}
    write_strategy(
        home, {"worker": {"model": "scripted/echo", "tools": ["topic:bash"], "providerOptions": scripted}}
    )
    variables = f"STRINGD_PORT={alone.port} STRINGD_APPROVAL_APPROVE=shell TERM=xterm"
    command = f"cd {alone.folder}; {STRINGD} run notes.json; echo code $?"
    with Terminal(f"env HOME={alone.folder / 'me'} {variables} bash -c '{command}'") as terminal:
        terminal.expect("worker wants to use bash", PATIENCE)
        terminal.expect("never in this run: ")
        terminal.type("y")
        terminal.expect("code 0", PATIENCE)
    assert (home / "made.txt").read_text(encoding="utf-8") == "made\n"


def test_loading_the_plugin_is_cheap_for_every_subcommand() -> None:
    heavy = {"asyncio", "starlette", "uvicorn", "websockets", "yaml", "orjson"}
    code = f"import sys, stringd_runs.plugin; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
