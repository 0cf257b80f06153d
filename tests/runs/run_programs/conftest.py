"""A stage: a daemon whose `/ws` plays what a test has written, and `stringd run` in front of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import Terminal

STRINGD = str(Path(sys.executable).with_name("stringd"))
STAGE = Path(__file__).with_name("stage.py")
PATIENCE = 20.0
AGENTS = ["writer", "critic"]
FLOW = {"type": "sequential", "name": "main", "steps": [{"type": "agent", "name": it} for it in AGENTS]}
PREPARED = {
    "type": "run_prepared",
    "runId": "r1",
    "strategyName": "notes",
    "agents": AGENTS,
    "flowTree": FLOW,
    "conversation": {"records": [], "retentionEvents": [], "inputs": []},
    "mcpServers": [],
}
USAGE = {"promptTokens": 3, "completionTokens": 4}


def sent(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "runId": "r1", **fields}


def started() -> dict[str, Any]:
    return sent("strategy_started", strategyName="notes", agents=AGENTS, flowTree=FLOW)


def step(name: str) -> dict[str, Any]:
    return sent("step_started", stepName=name, message="")


def streamed(agent: str, kind: str = "text", **fields: Any) -> dict[str, Any]:
    return sent("agent_streaming", agentName=agent, event={"type": kind, **fields})


def output(agent: str, text: str) -> dict[str, Any]:
    return sent("agent_output", agentName=agent, text=text, usage=USAGE)


def asked(agent: str, prompt: str) -> dict[str, Any]:
    return sent("request_input", agentName=agent, prompt=prompt)


def ended(name: str) -> dict[str, Any]:
    return sent("step_completed", stepName=name, result={"text": "", "usage": USAGE, "finishReason": "stop"})


def completed(result: str) -> dict[str, Any]:
    return sent("strategy_completed", result=result, usage=USAGE)


def failed(code: str, message: str) -> dict[str, Any]:
    return sent("strategy_error", error={"code": code, "message": message})


class Stage:
    """Plays a script to the programs that a test runs."""

    def __init__(self, daemon: DaemonProcess, script: Path) -> None:
        self._script = script
        self._received = script.with_suffix(".received")
        self.folder = script.parent
        self.environment = {
            **os.environ,
            "HOME": str(self.folder),
            "STRINGD_PORT": str(daemon.port),
            "TERM": "xterm",
        }

    def plays(self, script: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Send these messages for each type of message; a run is prepared as `r1`."""
        self._script.write_text(json.dumps({"prepare_run": [PREPARED], **script}), encoding="utf-8")
        self._received.write_text("", encoding="utf-8")

    @property
    def received(self) -> list[dict[str, Any]]:
        """The messages of the program."""
        return [json.loads(line) for line in self._received.read_text(encoding="utf-8").splitlines()]

    def awaits(self, kind: str, number: int = 1) -> dict[str, Any]:
        """Return the first message of a type once there are so many."""
        deadline = time.monotonic() + PATIENCE
        while len(found := [it for it in self.received if it["type"] == kind]) < number:
            assert time.monotonic() < deadline, f"no {kind} in {self.received}"
            time.sleep(0.01)
        return found[0]

    def run(self, *words: str, typed: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `stringd run` without a terminal."""
        return subprocess.run(
            [STRINGD, "run", "notes.yaml", *words],
            input=typed,
            capture_output=True,
            encoding="utf-8",
            cwd=self.folder,
            env={**self.environment, **variables},
            timeout=PATIENCE,
        )

    def sit_down(self, words: str = "", **variables: str) -> Terminal:
        """Run `stringd run` at a terminal, and `code N` with its exit code after it."""
        assignments = {"STRINGD_PORT": self.environment["STRINGD_PORT"], "TERM": "xterm", **variables}
        shown = " ".join(f"{name}={value}" for name, value in assignments.items())
        command = f"{STRINGD} run notes.yaml {words}; echo code $?"
        return Terminal(f"env HOME={self.folder} {shown} bash -c 'cd {self.folder}; {command}'")


@pytest.fixture(scope="module")
def staged_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """The daemon of the stage."""
    folder = tmp_path_factory.mktemp("stage")
    arguments = ("--plugins", str(STAGE), "--without", "runs")
    running = DaemonProcess(folder, arguments, {"STAGE": str(folder / "s.json")}, port=0, data_dir=None)
    running.start()
    yield running
    running.kill()


@pytest.fixture
def stage(staged_daemon: DaemonProcess) -> Stage:
    """A stage on which nothing is played yet."""
    return Stage(staged_daemon, staged_daemon.home.parent / "s.json")
