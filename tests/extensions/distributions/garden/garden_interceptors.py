"""A fence that refuses forbidden commands, and a gardener that holds slow ones until a "go on"."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from stringd.plugin import Interceptor, Invocation, Proceed, Refusal, Reply, hookimpl

PATIENCE = 20.0


async def refuse_forbidden(invocation: Invocation, proceed: Proceed) -> Reply:
    if "trespass" in invocation.line.text:
        raise Refusal("TRESPASS", "Nobody climbs the fence.")
    if "forbidden" in invocation.line.text:
        return Reply.error("FENCED", "The fence is closed.", "Ask the gardener.")
    return await proceed(invocation)


class Gardener:
    """Holds commands until another one tells it to go on."""

    def __init__(self) -> None:
        self._go_on = asyncio.Event()

    async def hold(self, invocation: Invocation, proceed: Proceed) -> Reply:
        if "slowly" in invocation.line.text:
            await asyncio.wait_for(self._go_on.wait(), PATIENCE)
        elif "go on" in invocation.line.text:
            self._go_on.set()
        return await proceed(invocation)


@hookimpl
def stringd_interceptors() -> Iterable[Interceptor]:
    return [
        Interceptor(name="fence", run=refuse_forbidden),
        Interceptor(name="gardener", run=Gardener().hold),
    ]
