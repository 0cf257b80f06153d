"""A plugin for the tests that uses its persistent storage."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from stringd.plugin import Command, Invocation, PluginStorage, Reply, Runtime, Service, hookimpl

NAME = "vault"


async def put(invocation: Invocation) -> Reply:
    key, _, text = invocation.line.arguments.partition(" ")
    await own(invocation).set(key, json.loads(text))
    return Reply.confirmation("Put")


async def fetch(invocation: Invocation) -> Reply:
    return answer(await own(invocation).get(invocation.line.arguments, "nothing"))


async def erase(invocation: Invocation) -> Reply:
    return answer(await own(invocation).delete(invocation.line.arguments))


async def entries(invocation: Invocation) -> Reply:
    return answer(await own(invocation).items(invocation.line.arguments))


async def folder(invocation: Invocation) -> Reply:
    (own(invocation).folder / "note.txt").write_text("secret", encoding="utf-8")
    return Reply.confirmation(str(own(invocation).folder))


async def transfer(invocation: Invocation) -> Reply:
    """Move one from a to b, slowly; with `fail`, fail in the middle."""
    async with own(invocation).transaction() as accounts:
        first, second = await accounts.get("a", 0), await accounts.get("b", 0)
        await accounts.set("a", first - 1)
        await asyncio.sleep(0.01)
        if invocation.line.arguments == "fail":
            raise RuntimeError("in the middle")
        await accounts.set("b", second + 1)
        assert (await accounts.items("b"))["b"] == second + 1
    return Reply.confirmation("Moved")


async def increase(invocation: Invocation) -> Reply:
    """Increase a value by one in each of a number of tasks."""

    async def once() -> None:
        async with own(invocation).transaction() as counts:
            await counts.set("n", await counts.get("n", 0) + 1)

    await asyncio.gather(*(once() for _ in range(int(invocation.line.arguments))))
    return answer(await own(invocation).get("n"))


async def key(invocation: Invocation) -> Reply:
    """Show a secret, which no other plugin should do."""
    secrets, name = invocation.runtime.secrets, invocation.line.arguments
    return Reply.confirmation(secrets.find(name, plugin=NAME, user_id=invocation.session.user.id) or "none")


async def misuse(invocation: Invocation) -> Reply:
    storage: Any = own(invocation)
    match invocation.line.arguments:
        case "nested":
            async with storage.transaction():
                await storage.set("x", 1)
        case "over":
            async with storage.transaction() as changes:
                pass
            await changes.set("x", 1)
        case "json":
            await storage.set("x", {1, 2})
        case "key":
            await storage.set("", 1)
        case "long":
            await storage.set("k" * 1025, 1)
        case "large":
            await storage.set("x", "x" * 1024 * 1024)
        case "stranger":
            invocation.runtime.storage("valt")
    return Reply.confirmation("Done")


def own(invocation: Invocation) -> PluginStorage:
    return invocation.runtime.storage(NAME)


def answer(value: object) -> Reply:
    return Reply.confirmation(json.dumps(value, default=dict))


@hookimpl
def stringd_commands() -> Iterable[Command]:
    functions = (put, fetch, erase, entries, folder, transfer, increase, key, misuse)
    return [
        Command(name=it.__name__, summary=it.__name__, usage=f"/{it.__name__}", run=it) for it in functions
    ]


@hookimpl
def stringd_services(runtime: Runtime) -> Iterable[Service]:
    storage = runtime.storage(NAME)

    async def count_starts() -> None:
        await storage.set("starts", await storage.get("starts", 0) + 1)

    return [Service(name="counter", run=count_starts)]
