"""What fills the journal: an interceptor of all commands, and events about them."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from stringd.plugin import (
    CommandEnded,
    ErrorCode,
    EventFilter,
    Invocation,
    Proceed,
    Reply,
    Runtime,
    SessionEnded,
    UserRemoved,
)
from stringd.plugin.events import current_output
from stringd_console.topic_pages.exchange import is_short, kept_reply
from stringd_console.topic_pages.journal import Journal, journal_of

_ENDS = frozenset({SessionEnded.kind, UserRemoved.kind})
_COMMANDS = frozenset({CommandEnded.kind})
_PAUSE_SECONDS = 0.2
_CATCH_UP_SECONDS = 0.01
_CANCELLED = Reply.error(ErrorCode.CANCELLED, "The command was cancelled.")


def is_recorded(invocation: Invocation) -> bool:
    """Tell whether a command is recorded."""
    return journal_of(invocation.runtime).is_kept


async def record(invocation: Invocation, proceed: Proceed) -> Reply:
    """Add a command and its reply to the journal."""
    journal, session = journal_of(invocation.runtime), invocation.session
    exchange = journal.begin(session.user.id, session.name.text, invocation.shown, invocation.request_id)
    reply = _CANCELLED
    try:
        reply = await proceed(invocation)
        return reply
    finally:
        # The daemon, too, masks long replies only: short ones are masked by whoever makes them.
        kept = reply if is_short(reply) else kept_reply(reply, current_output().secret_names())
        journal.end(exchange, kept)


async def follow_ends(runtime: Runtime) -> None:
    """Have the journal kept if there is an operator, without topics and users that are gone."""
    journal = journal_of(runtime)
    journal.is_kept = runtime.questions.operator_state != "none"
    while journal.is_kept:
        with runtime.events.watch(EventFilter(kinds=_ENDS)) as events:
            async for published in events:
                journal.apply(published)
        # It was too slow to read all of them, or the daemon stops.
        await asyncio.sleep(_PAUSE_SECONDS)


async def catch_up(runtime: Runtime, user_id: str, topic: str) -> Journal:
    """Return the journal with what the kept events say about the commands of a topic."""
    journal = journal_of(runtime)
    wanted = EventFilter(user_id=user_id, topic=topic, kinds=_COMMANDS)
    with runtime.events.watch(wanted, after=journal.seen(user_id, topic)) as events, suppress(TimeoutError):
        async with asyncio.timeout(_CATCH_UP_SECONDS):
            async for published in events:
                journal.apply(published)
    return journal
