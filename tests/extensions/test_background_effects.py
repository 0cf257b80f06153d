"""Effects of plugins outside of commands, which interceptors permit or refuse."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from stringd.plugin import BackgroundEffect, Interceptor, Invocation, Proceed, Refusal, Reply, Runtime, User
from stringd.plugin.effects import ShellRun
from stringd.runtime.background_effects import permit_in_background

USER = User(id="ann", home=Path("/home/ann"), created_at="2026-11-18T09:30:00Z")
ASKED = BackgroundEffect(
    effect=ShellRun(text="true", directory=Path("/")),
    user=USER,
    topic="file:main",
    purpose="a test",
    runtime=cast(Runtime, None),
)


async def pass_on(invocation: Invocation, proceed: Proceed) -> Reply:
    return await proceed(invocation)


def interceptor(
    name: str, permit: Callable[[BackgroundEffect], Awaitable[None]] | None = None
) -> Interceptor:
    return Interceptor(name=name, run=pass_on, permit=permit)


def noting(seen: list[BackgroundEffect]) -> Callable[[BackgroundEffect], Awaitable[None]]:
    async def permit(asked: BackgroundEffect) -> None:
        seen.append(asked)

    return permit


async def refuse(asked: BackgroundEffect) -> None:
    raise Refusal("DENIED", f"Not for {asked.purpose}.")


async def fail(_: BackgroundEffect) -> None:
    raise ValueError("sk-secret")


def test_all_interceptors_that_want_to_be_asked_are_asked_in_order() -> None:
    seen: list[BackgroundEffect] = []
    asyncio.run(
        permit_in_background(
            [interceptor("a", noting(seen)), interceptor("b"), interceptor("c", noting(seen))], ASKED
        )
    )
    assert seen == [ASKED, ASKED]


def test_the_first_refusal_counts() -> None:
    seen: list[BackgroundEffect] = []
    with pytest.raises(Refusal, match=r"Not for a test\."):
        asyncio.run(permit_in_background([interceptor("a", refuse), interceptor("b", noting(seen))], ASKED))
    assert seen == []


def test_an_interceptor_that_fails_refuses(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with pytest.raises(Refusal, match="The interceptor broken failed, so nothing was done"):
        asyncio.run(permit_in_background([interceptor("broken", fail)], ASKED))
    assert "interceptor broken failed" in caplog.text


@pytest.mark.parametrize("permit", ["text", lambda _: None, pass_on])
def test_permit_is_a_coroutine_function_of_one_argument(permit: Any) -> None:
    with pytest.raises(TypeError, match="`permit` of interceptor a"):
        interceptor("a", permit)
