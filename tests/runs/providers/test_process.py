"""The provider `process`, with real programs."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from stringd_runs.agent_events import Text, Thinking, ThinkingEnd, ThinkingStart, ToolCall, Usage
from stringd_runs.model_provider import Finished, ModelMessage, ProviderFailed, Tool, ToolMessage, UserMessage
from stringd_runs.providers.model_stream import StreamLimits
from stringd_runs.providers.provider_catalogue import ProviderCatalogue
from tests.questions.people import until
from tests.runs.providers.model_calls import USER, model_call, text_of
from tests.runs.providers.streaming_server import Providers

FLOOD = "while :; do printf %0100000d 0; done"
TIMES = [UserMessage(text="one"), ModelMessage(text="two"), UserMessage(text="three")]


@pytest.fixture(autouse=True)
def _home(providers: Providers, tmp_path: Path) -> None:
    providers.home = tmp_path


def run_shell(providers: Providers, script: str, *, key: str = "programs", **fields: Any) -> list[Any]:
    """Return the events of a program that a shell runs."""
    providers.settings[key] = (f"tried=/bin/sh -c {shlex.quote(script)}",)
    return providers.stream("process/tried", **fields)


def failure(providers: Providers, script: str, **fields: Any) -> str:
    with pytest.raises(ProviderFailed) as failed:
        run_shell(providers, script, **{"options": {"maxRetries": 0}, **fields})
    return str(failed.value)


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.requirement("runs.providers.process.text")
@pytest.mark.parametrize("text", ["Hello", "", "ä\u2028\0{input} %s\n\n", "x" * 500_000])
def test_a_program_gets_the_text_and_answers_with_one(providers: Providers, text: str) -> None:
    events = run_shell(providers, "cat; echo", text=text)
    assert text_of(events) == text
    assert events[-1] == Finished()


@pytest.mark.requirement("runs.providers.process.text")
def test_a_conversation_says_who_has_said_what(providers: Providers) -> None:
    events = run_shell(providers, "cat", messages=TIMES, system="Be brief.")
    assert text_of(events) == "Be brief.\n\nUser: one\n\nAssistant: two\n\nUser: three"


@pytest.mark.requirement("runs.providers.process.text")
def test_text_arrives_while_the_program_runs(providers: Providers, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    def open_gate(event: object) -> None:
        if isinstance(event, Text) and event.text == "first":
            gate.write_text("go")

    events = run_shell(providers, f"printf first; cat {gate} >/dev/null; printf ' last'", on_event=open_gate)
    assert text_of(events) == "first last"


@pytest.mark.requirement("runs.providers.process.text")
def test_characters_may_be_cut_and_garbage_is_shown(providers: Providers) -> None:
    events = run_shell(providers, r"printf '\303'; sleep 0.1; printf '\244 \377 \342\202'")
    assert text_of(events) == "ä \ufffd \ufffd"


@pytest.mark.requirement("runs.providers.process.environment")
def test_programs_get_listed_variables_only(
    providers: Providers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("LISTED", "given")
    providers.settings["program_variables"] = ("LISTED", "NOT_SET")
    seen = dict(
        it.split("=", 1) for it in text_of(run_shell(providers, "env; pwd")).splitlines() if "=" in it
    )
    assert seen["LISTED"] == "given"
    assert seen["HOME"] == seen["PWD"] == str(tmp_path)
    assert seen.keys().isdisjoint({"OPENAI_API_KEY", "NOT_SET", "PYTEST_CURRENT_TEST", "VIRTUAL_ENV"})
    assert "PATH" in seen


@pytest.mark.requirement("runs.providers.process.json")
def test_json_lines_can_think_and_call_tools(providers: Providers) -> None:
    lines = [
        {"type": "thinking", "text": "hm"},
        {"type": "text", "text": "ä"},
        {"type": "tool-call", "toolCallId": "1", "toolName": "file", "args": "{}"},
        {"type": "done", "usage": {"promptTokens": 3, "completionTokens": 4}, "finishReason": "tool-calls"},
    ]
    script = "; ".join(f"echo {shlex.quote(json.dumps(it))}" for it in lines)
    assert run_shell(
        providers, f'echo; {script}; printf \'{{"type": "text", "text": "!"}}\'', key="json_programs"
    ) == [
        ThinkingStart(id="thinking"),
        Thinking(id="thinking", text="hm"),
        ThinkingEnd(id="thinking"),
        Text(text="ä"),
        ToolCall(id="1", name="file", arguments="{}"),
        Text(text="!"),
        Finished(usage=Usage(prompt_tokens=3, completion_tokens=4), finish_reason="tool-calls"),
    ]


@pytest.mark.requirement("runs.providers.process.json")
def test_a_program_that_speaks_json_gets_all_of_the_call(providers: Providers, tmp_path: Path) -> None:
    call = ToolCall(id="a", name="file", arguments="{}")
    messages = (
        UserMessage(text="ä\ud800"),
        ModelMessage(text="", tool_calls=(call,)),
        ToolMessage(call_id="a", name="file", output="no", is_error=True),
    )
    run_shell(
        providers,
        f"cat > {tmp_path}/got",
        key="json_programs",
        messages=messages,
        system="Brief.",
        tools=(Tool(name="file", description="Files.", parameters={"type": "object"}),),
        options={"temperature": 1},
        provider_options={"own": True},
        output_schema={"type": "string"},
    )
    assert json.loads((tmp_path / "got").read_text()) == {
        "model": "tried",
        "system": "Brief.",
        "messages": [
            {"role": "user", "text": "ä\ud800"},
            {
                "role": "assistant",
                "text": "",
                "toolCalls": [{"toolCallId": "a", "toolName": "file", "args": "{}"}],
            },
            {"role": "tool", "toolCallId": "a", "toolName": "file", "output": "no", "isError": True},
        ],
        "tools": [{"name": "file", "description": "Files.", "parameters": {"type": "object"}}],
        "modelOptions": {"temperature": 1},
        "providerOptions": {"own": True},
        "outputSchema": {"type": "string"},
    }


@pytest.mark.requirement("runs.providers.process.json")
@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "5",
        "[]",
        "{}",
        '{"type": "later"}',
        '{"type": "text"}',
        '{"type": "done", "usage": 7}',
        "[" * 100_000,
    ],
    ids=lambda it: it[:20],
)
def test_lines_of_another_shape_are_a_failure(providers: Providers, line: str, tmp_path: Path) -> None:
    (tmp_path / "line").write_text(line)
    message = failure(providers, f"cat {tmp_path}/line", key="json_programs")
    assert message == "process/tried has printed what cannot be understood"


@pytest.mark.requirement("runs.providers.process.json")
def test_a_program_can_say_what_is_wrong_and_that_it_may_be_tried_again(
    providers: Providers, tmp_path: Path
) -> None:
    line = json.dumps({"type": "error", "message": "Busy.", "transient": True})
    script = f"echo x >> {tmp_path}/count; echo {shlex.quote(line)}"
    assert failure(providers, script, key="json_programs", options={}) == "Busy. (3 attempts)"
    assert (tmp_path / "count").read_text() == "x\n" * 3


@pytest.mark.requirement("runs.providers.process.end")
@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("printf 'first\\nlast \\033[31m' >&2; exit 3", "has ended with status 3: first last [31m"),
        ("exit 1", "has ended with status 1"),
        ("kill -9 $$", "has ended with status 137"),
        ("kill -9 $PPID", "was killed"),
    ],
)
def test_the_end_of_a_failing_program_is_reported(providers: Providers, script: str, shown: str) -> None:
    assert failure(providers, script) == f"the program /bin/sh {shown}"


@pytest.mark.requirement("runs.providers.process.end")
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("/no/such", "the program /no/such cannot be started: No such file or directory"),
        ("/etc", "the program /etc cannot be started: Permission denied"),
        ("no-such-program-anywhere", "cannot be started: No such file or directory"),
        (f"/bin/echo {'x' * 60_000} {'y' * 60_000}", "cannot be started"),
    ],
    ids=lambda it: it[:20],
)
def test_a_program_that_cannot_be_started_is_named(providers: Providers, command: str, shown: str) -> None:
    providers.settings["programs"] = (f"tried={command}",)
    with pytest.raises(ProviderFailed) as failed:
        providers.stream("process/tried", options={"maxRetries": 0})
    assert shown in str(failed.value)


@pytest.mark.requirement("runs.providers.process.nothing_left")
@pytest.mark.parametrize("left", range(8))
def test_nothing_stays_open_when_descriptors_run_out(providers: Providers, left: int) -> None:
    async def run(catalogue: ProviderCatalogue) -> list[str]:
        chosen = catalogue.choose("process/tried", USER, {})
        call = model_call("x", model="tried", user=replace(USER, home=providers.home))
        before = open_files()
        with exhausted(left), pytest.raises(ProviderFailed, match="cannot be started: Too many open files"):
            async for _ in chosen.stream(call):
                pass
        # Transports close what they read from in the next turns of the event loop.
        for _ in range(10):
            await asyncio.sleep(0)
        return sorted(open_files() - before)

    providers.settings["programs"] = ("tried=cat",)
    assert providers.use(run) == []


@contextmanager
def exhausted(left: int) -> Iterator[None]:
    """Let this process open only so many more files."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        highest = max(map(int, open_files()))
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 10, limits[1]))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        opened = []
        with suppress(OSError):
            while True:
                opened.append(stack.enter_context(Path(os.devnull).open("rb")))
        for it in opened[:left]:
            it.close()
        yield


def open_files() -> set[str]:
    return {it.name for it in Path("/proc/self/fd").iterdir() if it.exists()}


@pytest.mark.requirement("runs.providers.process.bounded")
def test_a_flood_is_stopped(providers: Providers) -> None:
    assert failure(providers, FLOOD) == "the program /bin/sh has printed more than 16 MiB"


@pytest.mark.requirement("runs.providers.process.bounded")
def test_a_flood_of_errors_is_cut(providers: Providers) -> None:
    script = "i=0; while [ $i -lt 400 ]; do printf %0100000d 0 >&2; i=$((i+1)); done; exit 2"
    message = failure(providers, script)
    assert message.startswith("the program /bin/sh has ended with status 2: 000")
    assert len(message) < 600


@pytest.mark.requirement("runs.providers.process.bounded", "runs.providers.process.nothing_left")
def test_a_program_that_never_ends_is_ended(providers: Providers, tmp_path: Path) -> None:
    script = f"trap '' TERM HUP INT; echo $$ > {tmp_path}/pid; while :; do sleep 1; done"
    message = failure(providers, script, limits=StreamLimits(first=1, idle=1))
    assert message == "process has not begun to answer for 1 seconds"
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not is_running(pid), "the program goes on")


@pytest.mark.requirement("runs.providers.process.nothing_left")
def test_children_that_are_left_behind_are_killed_and_do_not_delay_the_answer(
    providers: Providers, tmp_path: Path
) -> None:
    leave = f"setsid sh -c 'echo $$ > {tmp_path}/pid; exec sleep 1000' &"
    script = f"{leave} while [ ! -s {tmp_path}/pid ]; do :; done; echo hi"
    begin = time.monotonic()
    assert text_of(run_shell(providers, script)) == "hi"
    assert time.monotonic() - begin < 15
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not is_running(pid), "the child goes on")


@pytest.mark.requirement("runs.providers.process.bounded")
def test_a_program_need_not_read_what_it_is_given(providers: Providers) -> None:
    assert text_of(run_shell(providers, "exec 0<&-; echo hi", text="x" * 2_000_000)) == "hi"


@pytest.mark.requirement("runs.providers.process.names")
def test_only_programs_of_the_settings_can_be_run(providers: Providers) -> None:
    with pytest.raises(
        ProviderFailed, match=r"process has no program sh: name it in the setting runs\.programs"
    ):
        providers.stream("process/sh", provider_options={"command": ["/bin/sh"]})


@pytest.mark.requirement("runs.providers.process.names")
def test_the_words_of_a_command_are_those_of_a_shell_but_no_shell_runs(providers: Providers) -> None:
    code = "import sys; print(sys.argv[1:])"
    providers.settings["programs"] = (f"tried={sys.executable} -c {shlex.quote(code)} 'a b' $HOME '*'",)
    assert text_of(providers.stream("process/tried")) == "['a b', '$HOME', '*']"
