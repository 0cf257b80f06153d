"""How questions end: with an answer, with their topic, user or daemon, or when their asker leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from stringd.api.events import DaemonStopping, Event, SessionEnded, UserRemoved
from stringd.api.questions import Answer, Question
from stringd.api.runtime import Disconnected
from stringd.errors import ErrorCode, Unanswered

END_REASONS: Mapping[str, str] = {
    SessionEnded.kind: "its topic has ended",
    UserRemoved.kind: "its user was removed",
    DaemonStopping.kind: "stringd is shutting down",
}


def ends_with(question: Question, event: Event) -> bool:
    """Return whether an event of the `END_REASONS` ends a question."""
    match event:
        case SessionEnded():
            return (question.user_id, question.topic) == (event.user_id, event.topic)
        case UserRemoved():
            return question.user_id == event.user_id
    return True


async def outcome_of(
    outcome: asyncio.Future[Answer | Unanswered], disconnected: Disconnected | None
) -> Answer | Unanswered:
    """Wait for the outcome, or for the asker's client to disconnect."""
    leaving = asyncio.ensure_future(disconnected()) if disconnected else None
    events: set[asyncio.Future[Any]] = {outcome, leaving} if leaving else {outcome}
    try:
        # Unlike `await`, this leaves the outcome alone when the asking task is cancelled.
        await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
    finally:
        if leaving:
            leaving.cancel()
    if outcome.done():
        return outcome.result()
    return Unanswered(ErrorCode.QUESTION_WITHDRAWN, "The client that waited for the answer has disconnected.")
