"""Calls of models for tests of providers, and what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path
from typing import Any

from stringd.plugin import User
from stringd_runs.agent_events import Text
from stringd_runs.model_provider import ModelCall, ProviderEvent, UserMessage

MOST_SECONDS = 20
USER = User(id="ann", home=Path("/home/ann"), created_at="2026-11-18T09:30:00Z")


def model_call(text: str, **fields: Any) -> ModelCall:
    """Return a call with one text of a user, unless there are other messages."""
    messages = fields.pop("messages", (UserMessage(text=text),))
    defaults = {"model": "m", "system": "", "user": USER, "run_id": "r", "agent": "writer"}
    return ModelCall(messages=messages, **{**defaults, **fields})


def collect(
    stream: AsyncGenerator[ProviderEvent, None], on_event: Callable[[ProviderEvent], None] = lambda _: None
) -> list[Any]:
    """Return all events of a stream; `on_event` gets them one by one, also if the stream fails."""
    events = []

    async def read() -> None:
        async for it in stream:
            on_event(it)
            events.append(it)

    asyncio.run(asyncio.wait_for(read(), MOST_SECONDS))
    return events


def text_of(events: Iterable[Any]) -> str:
    """Return the text in events."""
    return "".join(it.text for it in events if isinstance(it, Text))
