"""A single-file plugin that carries out actions: `CALL echo TARGET`, where the target says how it behaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path

from stringd.plugin import Refusal, Runtime, Zone, hookimpl
from stringd.plugin.actions import (
    ActionCall,
    ActionMethod,
    Answer,
    FlagText,
    JsonText,
    Value,
    flaw_of_action,
)
from stringd.plugin.documents import Action, Diagnostic

FAILURES = {
    "runtime": RuntimeError,
    "exit": SystemExit,
    "interrupt": KeyboardInterrupt,
    "stop": StopAsyncIteration,
    "cancelled": asyncio.CancelledError,
    "closed": GeneratorExit,
    "timeout": TimeoutError,
}


async def echo(call: ActionCall) -> Answer:
    """Answer as the target says."""
    what, _, detail = call.action.target.partition(" ")
    if what == "fail":
        raise FAILURES[detail](f"the value is {dict(call.environment.secrets)}")
    if what == "refuse":
        raise Refusal("TOOL_FAILED", f"no, {call.environment.secrets.get('KEY')}", "Ask later.")
    if what == "hang":
        await asyncio.Event().wait()
    if what == "nothing":
        return None  # type: ignore[return-value]
    if what == "markdown":
        return Answer(
            markdown="**two** [@issue-1 it](x)\n@id-1 @id-2",
            body={"name": "Ann"},
            values={"id-1": "7", "id-2": ("8", "9")},
            links={"far": "https://example.com/far"},
            notices=("[!] It has changed.",),
            zone=Zone.PUBLIC,
        )
    if what == "save":
        replaced = await call.save(str(call.values["path"]), b"saved")
        return Answer(text=f"{replaced} {call.read(str(call.values['path'])).decode()}")
    if what == "picture":
        await call.save("~/pics/a.txt", b"A picture.")
        secret = call.invocation.session.user.home / "secret.txt"
        return Answer(
            markdown="See [Pic][@pic] or [Far][@far].",
            saved={"pic": "~/pics/a.txt"},
            links={"far": secret.as_uri()},
            zone=Zone.PUBLIC,
        )
    shown = {name: shown_value(value) for name, value in call.values.items()}
    more = {"package": str(call.package and call.package.name), "taken": sorted(call.taken_names())}
    body = {"target": call.action.target, "values": shown, **(more if what == "more" else {})}
    return Answer(text=json.dumps(body), body=body)


def shown_value(value: Value) -> object:
    """A value, in which texts of flags are marked."""
    return marked(value.value) if isinstance(value, JsonText) else value


def marked(value: object) -> object:
    if isinstance(value, FlagText):
        return f"typed {value}"
    if isinstance(value, dict):
        return {key: marked(it) for key, it in value.items()}
    return [marked(it) for it in value] if isinstance(value, list) else value


def describe(action: Action, package: Path | None) -> str:
    """Describe an action, or fail."""
    if action.target == "fail describe":
        raise SystemExit(3)
    return f"It echoes {action.target}, of {package and package.name}.\n"


def check(action: Action, package: Path | None) -> Iterable[Diagnostic]:
    """Find the flaw of an action whose target says that it has one."""
    if action.target == "fail check":
        raise KeyboardInterrupt
    if action.target == "flawed":
        yield flaw_of_action(action, f"there is no tool {action.target}", "Name one that is there.")


@hookimpl
def stringd_action_methods(runtime: Runtime) -> Iterable[ActionMethod]:
    """Add the method, and one that ends at once."""
    return (
        ActionMethod(name="echo", summary="Echo.", run=echo, describe=describe, check=check),
        ActionMethod(name="brief", summary="Echo, for half a second.", run=echo, seconds=0.5),
    )
