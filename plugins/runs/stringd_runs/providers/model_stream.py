"""What all model calls have in common: retries, time limits, and checks of what providers stream."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, closing
from typing import Any

from msgspec import Struct

from stringd.plugin.text import counted
from stringd.plugin.workers import guarded_call, guarded_call_async
from stringd_runs.agent_events import Text, Thinking, ThinkingEnd, ThinkingStart, ToolCall, Usage
from stringd_runs.model_provider import (
    MOST_RETRIES,
    Finished,
    ModelCall,
    ModelProvider,
    ProviderEvent,
    ProviderFailed,
)
from stringd_runs.providers.provider_options import OptionReader
from stringd_runs.providers.stall_limit import StallLimit

LOG = logging.getLogger(__name__)
_DEFAULT_RETRIES = 2
_END: Any = object()


class StreamLimits(Struct, frozen=True, kw_only=True):
    """Time limits in seconds: until the first event, between two events, and before another attempt."""

    first: float = 300.0
    idle: float = 120.0
    retry_pause: float = 1.0
    longest_pause: float = 60.0


DEFAULT_LIMITS = StreamLimits()


async def stream_model(
    provider: ModelProvider, call: ModelCall, limits: StreamLimits = DEFAULT_LIMITS
) -> AsyncGenerator[ProviderEvent, None]:
    """Stream a call, with one `Finished` at the end; raise nothing but `ProviderFailed`.

    A transient failure is tried again, unless something of the answer has already arrived. Closing the
    iterator cancels the call.
    """
    retries = OptionReader("modelOptions", call.options).whole_number(
        "maxRetries", default=_DEFAULT_RETRIES, least=0, most=MOST_RETRIES
    )
    for attempt in range(1, retries + 2):
        has_begun = False
        try:
            async with aclosing(_checked(provider, call, limits)) as events:
                async for it in events:
                    has_begun = True
                    yield it
        except ProviderFailed as error:
            if has_begun or not error.is_transient or attempt > retries:
                raise _with_attempts(error, attempt) from error
            pause = _pause(error, attempt, limits)
            LOG.info("%s failed, trying again in %.1f s: %s", provider.name, pause, error)
        else:
            return
        await asyncio.sleep(pause)


def report_bug(provider: ModelProvider, error: Exception) -> ProviderFailed:
    """Log what the code of a provider has raised; return the failure, which tells no values."""
    LOG.error("the provider %s failed", provider.name, exc_info=error)
    return ProviderFailed(f"{provider.name} failed with {type(error).__name__}: see the log")


async def _checked(
    provider: ModelProvider, call: ModelCall, limits: StreamLimits
) -> AsyncGenerator[ProviderEvent, None]:
    """Stream one attempt up to its `Finished`, within the limits."""
    waited_for = "begun to answer"
    with closing(StallLimit(limits.first)) as limit:
        async with aclosing(_own_failures(provider, call)) as events:
            while True:
                try:
                    with limit:
                        event = await anext(events, None)
                except TimeoutError:
                    raise ProviderFailed(
                        f"{provider.name} has not {waited_for} for {limit.seconds:g} seconds",
                        is_transient=True,
                    ) from None
                if event is None:
                    raise ProviderFailed(f"the answer of {provider.name} has no end", is_transient=True)
                yield event
                if isinstance(event, Finished):
                    return
                limit.seconds, waited_for = limits.idle, "continued its answer"


async def _own_failures(provider: ModelProvider, call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
    """Stream what a provider streams, and make any failure of its code a `ProviderFailed`."""
    try:
        async with _closing(guarded_call(provider.stream, call)) as events:
            while (event := await guarded_call_async(anext, events, _END)) is not _END:
                if not _is_sound(event):
                    break
                yield event
            else:
                return
    except ProviderFailed:
        raise
    except Exception as error:
        raise report_bug(provider, error) from error
    raise ProviderFailed(f"{provider.name} has streamed a malformed event: {type(event).__name__}")


@asynccontextmanager
async def _closing(
    events: AsyncGenerator[ProviderEvent, None],
) -> AsyncIterator[AsyncGenerator[ProviderEvent, None]]:
    """Close what a provider streams at the end."""
    try:
        yield events
    finally:
        await guarded_call_async(events.aclose)


def _is_sound(event: object) -> bool:
    match event:
        case Text(text=str()) | Thinking(id=str(), text=str()):
            return True
        case ThinkingStart(id=str()) | ThinkingEnd(id=str()):
            return True
        case ToolCall(id=str(), name=str(), arguments=str()):
            return True
        case Finished(usage=Usage(prompt_tokens=int(), completion_tokens=int()), finish_reason=str()):
            return True
    return False


def _pause(error: ProviderFailed, attempt: int, limits: StreamLimits) -> float:
    """Return how long to wait before the next attempt; raise the failure if that is too long."""
    if error.retry_after is None:
        pause = limits.retry_pause * 2.0 ** (attempt - 1) * random.uniform(0.8, 1.2)  # noqa: S311
        return min(pause, limits.longest_pause)
    if error.retry_after > limits.longest_pause:
        raise ProviderFailed(f"{error}; it may be tried again in {error.retry_after:.0f} seconds") from error
    return error.retry_after


def _with_attempts(error: ProviderFailed, attempts: int) -> ProviderFailed:
    if attempts == 1:
        return error
    return ProviderFailed(f"{error} ({counted(attempts, 'attempt')})")
