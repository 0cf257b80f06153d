"""What fills the journal: an interceptor of all commands, and events about them."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from stringd.plugin import (
    CommandEnded,
    ErrorCode,
    Event,
    EventFilter,
    Invocation,
    Proceed,
    Published,
    Reply,
    Runtime,
    SessionEnded,
    UserRemoved,
)
from stringd.plugin.events import current_output
from stringd_console.topic_pages.exchange import is_short, kept_reply
from stringd_console.topic_pages.journal import Journal, all_journals, journal_of

ENDS = frozenset({SessionEnded.kind, UserRemoved.kind})
_COMMANDS = frozenset({CommandEnded.kind})
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


def begin_journal(runtime: Runtime) -> None:
    """Have the journal kept if there is an operator, who could read it."""
    journal_of(runtime).is_kept = runtime.questions.operator_state != "none"


def forget_ended(event: Event) -> None:
    """Make the journal forget a topic or a user that is gone."""
    # An observer is not told by which daemon; there is one in a process.
    for journal in all_journals():
        journal.apply(Published(None, event))


async def catch_up(runtime: Runtime, user_id: str, topic: str) -> Journal:
    """Return the journal with what the kept events say about the commands of a topic."""
    journal = journal_of(runtime)
    wanted = EventFilter(user_id=user_id, topic=topic, kinds=_COMMANDS)
    with runtime.events.watch(wanted, after=journal.seen(user_id, topic)) as events, suppress(TimeoutError):
        async with asyncio.timeout(_CATCH_UP_SECONDS):
            async for published in events:
                journal.apply(published)
    return journal
