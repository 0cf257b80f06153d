"""A plugin for the tests: commands that wait, fail, leave traces and open documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from stringd.plugin import (
    Command,
    Document,
    Invocation,
    Loaded,
    Loader,
    Place,
    Refusal,
    Renderer,
    Reply,
    User,
    hookimpl,
)


async def nap(invocation: Invocation) -> Reply:
    await asyncio.sleep(float(invocation.line.arguments))
    return Reply.confirmation("Napped")


async def record(invocation: Invocation) -> Reply:
    with (invocation.session.user.home / "record.txt").open("a", encoding="utf-8") as file:
        file.write(f"{invocation.line.arguments}\n")
    return Reply.confirmation("Recorded")


async def crash(_: Invocation) -> Reply:
    raise RuntimeError("a secret that no client may read")


async def leave(_: Invocation) -> Reply:
    raise SystemExit(3)


async def refuse(invocation: Invocation) -> Reply:
    code, _, message = invocation.line.arguments.partition(" ")
    raise Refusal(code, message, "context: a line that helps")


async def visit(invocation: Invocation) -> Reply:
    session = invocation.session
    document = await invocation.daemon.load(invocation.line.arguments, session.user)
    place = Place(uri=document.uri, title=document.title)
    before = (session.state.document,) if session.state.document else ()
    session.remember(replace(session.state, document=place, history=session.state.history + before))
    return Reply.page(f"Opened {document.uri}", document.text)


async def body(invocation: Invocation) -> Reply:
    return Reply.page("Body", invocation.line.body or "")


async def load_probe(uri: str, _: User) -> Loaded:
    name = uri.removeprefix("probe:")
    return Loaded(uri=uri, media_type="text/x-probe; charset=utf-8", body=name.encode())


def render_probe(loaded: Loaded) -> Document:
    name = loaded.body.decode()
    return Document(uri=loaded.uri, title=f"Probe {name}", text=f"# Probe {name}")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    functions = (nap, record, crash, leave, refuse, visit)
    plain = [
        Command(name=it.__name__, summary=it.__name__, usage=f"/{it.__name__}", run=it) for it in functions
    ]
    return [*plain, Command(name="body", summary="body", usage="/body", run=body, takes_body=True)]


@hookimpl
def stringd_loaders() -> Iterable[Loader]:
    return [Loader(schemes=("probe",), load=load_probe)]


@hookimpl
def stringd_renderers() -> Iterable[Renderer]:
    return [Renderer(media_types=("text/x-probe",), render=render_probe)]
