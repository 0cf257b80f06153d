"""A plugin for tests: commands that wait, fail, record calls and open documents."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from stringd.plugin import (
    Command,
    Document,
    Invocation,
    LoadedBytes,
    Loader,
    LoadRequest,
    Location,
    Refusal,
    Renderer,
    Reply,
    hookimpl,
)


async def nap(invocation: Invocation) -> Reply:
    await asyncio.sleep(float(invocation.line.arguments))
    return Reply.confirmation("Napped")


async def record(invocation: Invocation) -> Reply:
    return _note(invocation, invocation.line.arguments)


async def crash(_: Invocation) -> Reply:
    raise RuntimeError("a secret that no client may read")


async def stumble(_: Invocation) -> Reply:
    raise KeyboardInterrupt


async def leave(_: Invocation) -> Reply:
    raise SystemExit(3)


async def refuse(invocation: Invocation) -> Reply:
    code, _, message = invocation.line.arguments.partition(" ")
    raise Refusal(code, message, "context: a line that helps")


async def visit(invocation: Invocation) -> Reply:
    session = invocation.session
    wanted = LoadRequest(uri=invocation.line.arguments, session=session, topic=invocation.topic)
    document = await invocation.runtime.load(wanted)
    place = Location(uri=document.uri, title=document.title)
    before = (session.state.document,) if session.state.document else ()
    session.remember(replace(session.state, document=place, history=session.state.history + before))
    return Reply.page(f"Opened {document.uri}", document.text)


async def stubborn(invocation: Invocation) -> Reply:
    """Run for a number of seconds, and ignore cancellation."""
    deadline = asyncio.get_running_loop().time() + float(invocation.line.arguments)
    while asyncio.get_running_loop().time() < deadline:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.05)
    return _note(invocation, "stubborn")


async def tidy(invocation: Invocation) -> Reply:
    """Wait for the cancellation, then clean up for a number of seconds."""
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(float(invocation.line.arguments))
        _note(invocation, "tidied")
    return Reply.confirmation("Nobody came")


async def nest(invocation: Invocation) -> Reply:
    """Run another command, in the topic that is named first."""
    topic, _, cmd = invocation.line.arguments.partition(" ")
    runtime = invocation.runtime
    outcome = await runtime.execute(invocation.session.user.id, runtime.topic_name(topic), cmd)
    return outcome.reply


async def spoil(invocation: Invocation) -> Reply:
    """Give back something that is no proper reply, or state."""
    wrong: Any = 5
    if invocation.line.arguments == "reply":
        return Reply.error("X", "m", wrong)
    if invocation.line.arguments == "history":
        invocation.session.remember(replace(invocation.session.state, history=(wrong,)))
    invocation.session.remember(wrong)
    return Reply.confirmation("Spoiled")


async def body(invocation: Invocation) -> Reply:
    return Reply.page("Body", invocation.line.body or "")


def _note(invocation: Invocation, text: str) -> Reply:
    with (invocation.session.user.home / "record.txt").open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")
    return Reply.confirmation("Recorded")


async def load_probe(wanted: LoadRequest) -> LoadedBytes:
    name = wanted.uri.removeprefix("probe:")
    return LoadedBytes(uri=wanted.uri, media_type="text/x-probe; charset=utf-8", body=name.encode())


def render_probe(loaded: LoadedBytes) -> Document:
    name = loaded.body.decode()
    return Document(uri=loaded.uri, title=f"Probe {name}", text=f"# Probe {name}")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    functions = (nap, record, crash, stumble, leave, refuse, visit, stubborn, tidy, nest, spoil)
    plain = [
        Command(name=it.__name__, summary=it.__name__, usage=f"/{it.__name__}", run=it) for it in functions
    ]
    return [
        *plain,
        Command(name="body", summary="body", usage="/body", run=body, takes_body=True),
        Command(name="peek", summary="peek", usage="/peek", run=nap, urgent=True),
    ]


@hookimpl
def stringd_loaders() -> Iterable[Loader]:
    return [Loader(schemes=("probe",), load=load_probe)]


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    return [Renderer(media_types=("text/x-probe",), render=render_probe)]
