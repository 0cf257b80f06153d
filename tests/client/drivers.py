"""Drives both clients through the same calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import anyio

from stringd.client import AsyncClient, Client

if TYPE_CHECKING:
    from collections.abc import Callable

# A method's name with its arguments, or something to do between two calls.
Step: TypeAlias = "tuple[Any, ...] | Callable[[], object]"


class Talk(Protocol):
    """Makes one client, goes through the steps, and returns what the calls returned."""

    def __call__(self, port: int | None, *steps: Step, **options: Any) -> list[Any]: ...


def talk_blocking(port: int | None, *steps: Step, **options: Any) -> list[Any]:
    answers = []
    with Client(port=port, **options) as client:
        for step in steps:
            if isinstance(step, tuple):
                answers.append(getattr(client, step[0])(*step[1:]))
            else:
                step()
    return answers


def talk_async(port: int | None, *steps: Step, **options: Any) -> list[Any]:
    async def run_prompt() -> list[Any]:
        answers = []
        async with AsyncClient(port=port, **options) as client:
            for step in steps:
                if isinstance(step, tuple):
                    answers.append(await getattr(client, step[0])(*step[1:]))
                else:
                    step()
        return answers

    return anyio.run(run_prompt)
