"""Strategy files of a running daemon: which of them a user may run, and what is said of the others."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually
from tests.runs.clients import RunClient, run_client
from tests.runs.strategies.reading import MINIMAL

PROMPTED = MINIMAL.replace(
    "{model: scripted/echo}", "{model: scripted/echo, systemPrompt: prompts/writer.md}"
)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def failure(client: RunClient, path: str | Path, **fields: str) -> str:
    """The message with which preparing fails."""
    reply = client.ask("prepare_run", strategyPath=str(path), **fields)
    assert (reply["type"], reply.get("code")) == ("error", "PREPARE_FAILED"), reply
    message: str = reply["message"]
    return message


@pytest.mark.requirement("runs.strategies.strict")
def test_a_refusal_has_one_line_with_the_reason_and_one_with_the_place(daemon: DaemonProcess) -> None:
    path = write(daemon.home / "notes.yaml", MINIMAL.replace("flow:", "flwo:"))
    with run_client(daemon) as client:
        said = failure(client, path)
        assert said == f"unknown key flwo in the strategy; nearest: flow\n{path}:5"
        path.write_bytes(MINIMAL.encode())
        assert client.run(path, "Hello")[-1]["result"] == "Hello"


@pytest.mark.requirement("runs.strategies.boundary")
def test_paths_are_relative_to_the_working_directory(daemon: DaemonProcess) -> None:
    write(daemon.home / "work/notes.yaml", PROMPTED)
    write(daemon.home / "work/prompts/writer.md", "Write.")
    with run_client(daemon) as client:
        for path, fields in (
            ("work/notes.yaml", {}),
            ("~/work/notes.yaml", {}),
            ("notes.yaml", {"cwd": "work"}),
            ("notes.yaml", {"cwd": str(daemon.home / "work")}),
        ):
            assert client.run(path, "Hello", **fields)[-1]["type"] == "strategy_completed"
        assert failure(client, "notes.yaml").startswith("there is no such file\n")


@pytest.mark.requirement("runs.strategies.boundary")
def test_nothing_outside_of_the_boundary_is_read(daemon: DaemonProcess, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside/notes.yaml", MINIMAL)
    write(tmp_path / "outside/prompts/writer.md", "secret")
    inside = write(daemon.home / "notes.yaml", PROMPTED)
    (daemon.home / "linked.yaml").symlink_to(outside)
    (daemon.home / "prompts").symlink_to(tmp_path / "outside/prompts")
    with run_client(daemon) as client:
        for path in (outside, "../outside/notes.yaml", "linked.yaml"):
            assert failure(client, path) == f"Outside the allowed paths: {path}"
        said = failure(client, inside)
        assert said.startswith("systemPrompt: Outside the allowed paths: ")
        assert said.endswith(f"\n{inside}:4")
        write(daemon.home / "up.yaml", PROMPTED.replace("prompts/", str(tmp_path / "outside/prompts") + "/"))
        assert failure(client, "up.yaml").startswith("systemPrompt: Outside the allowed paths: ")


@pytest.mark.requirement("runs.strategies.boundary")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("folder.yaml", "Is a directory: "),
        ("\0.yaml", "A path can't contain a NUL character"),
        ("x" * 5000 + ".yaml", "The path is longer than 4000 bytes."),
        ("notes.yaml#x", "A path without a block or lines is needed: notes.yaml#x"),
        (".", "a strategy file has a name that ends in one of .yaml, "),
    ],
)
def test_paths_that_are_no_files_are_refused(daemon: DaemonProcess, path: str, said: str) -> None:
    (daemon.home / "folder.yaml").mkdir()
    with run_client(daemon) as client:
        assert failure(client, path).startswith(said)
        assert client.ask("ping")["type"] == "pong"


UNUSABLE = [
    ("model: scripted/echos", {}, "scripted has no model echos: use scripted/echo"),
    ("model: scriptd/echo", {}, "there is no provider scriptd: did you mean scripted?"),
    (
        "model: scripted/echo",
        {"modelOverride": "scriptd/echo"},
        "with the modelOverride scriptd/echo: there is no provider scriptd: did you mean scripted?",
    ),
    ("tools: [file]", {}, "'file' is not a tool: tools are topics, such as topic:file"),
    ("tools: [topic:files]", {}, "'topic:files' is not a tool: there is no topic type 'files'; known: app, "),
    ("outputSchema: {type: text}", {}, "outputSchema.type must be one or a list of object, array, string, "),
]


@pytest.mark.requirement("runs.strategies.usable")
@pytest.mark.parametrize(("key", "fields", "said"), UNUSABLE)
def test_what_an_agent_cannot_use_is_named_with_its_line(
    daemon: DaemonProcess, key: str, fields: dict[str, str], said: str
) -> None:
    model = "" if key.startswith("model") else "\n    model: scripted/echo"
    agent = f"{model}\n    {key}"
    path = write(daemon.home / "notes.yaml", MINIMAL.replace(" {model: scripted/echo}", agent))
    with run_client(daemon) as client:
        reason, place = failure(client, path, **fields).split("\n")
    assert reason.startswith(f"agent writer: {said}")
    assert place == f"{path}:{6 if model else 5}"


@pytest.mark.requirement("runs.flows.yields")
def test_an_endless_cycle_of_instant_agents_leaves_the_daemon_responsive(daemon: DaemonProcess) -> None:
    endless = MINIMAL.replace("type: sequential", 'type: cycle\n  cycles: "Infinity"')
    path = write(daemon.home / "endless.yaml", endless)
    with run_client(daemon) as client, run_client(daemon) as other, ThreadPoolExecutor() as executor:
        run_id = client.prepare(path)
        client.send("start_run", runId=run_id, input="x")
        # Whoever does not read what such a run says is disconnected soon.
        reading = executor.submit(client.until, "strategy_completed", "strategy_error")
        eventually(lambda: daemon.request("GET", "/health").json()["activeRuns"] == 1)
        for _ in range(100):
            assert other.ask("ping")["type"] == "pong"
            assert daemon.request("GET", "/health").json()["activeRuns"] == 1
        client.send("stop_run", runId=run_id)
        assert reading.result()[-1]["error"]["code"] == "CANCELLED"


@pytest.mark.requirement("runs.strategies.caps")
def test_a_large_strategy_does_not_hold_the_daemon_up(daemon: DaemonProcess) -> None:
    padding = "".join(f"  a{number}: {{x: [1, 2]}}\n" for number in range(40_000))
    path = write(daemon.home / "large.yaml", f"name: x\nagents:\n{padding}")
    with run_client(daemon) as client:
        assert failure(client, path).startswith("the strategy has no version\n")
