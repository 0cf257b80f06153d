"""`/topics`: list the user's topics."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation
from stringd.api.replies import Reply
from stringd.api.sessions import SessionSummary
from stringd.api.users import User
from stringd.documents.paths.resolving import shown_location
from stringd.errors import ErrorCode, Refusal


async def run(invocation: Invocation) -> Reply:
    """List the user's topics, of one type or of all."""
    wanted = invocation.line.arguments.lower()
    if wanted.startswith("-") or len(wanted.split()) > 1:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD, f"/topics takes one topic type, not {wanted}", f"Usage: {TOPICS.usage}"
        )
    topics = invocation.runtime.sessions(invocation.session.user.id)
    listed = sorted((it for it in topics if wanted in ("", it.topic_type)), key=lambda it: it.topic)
    return Reply.page(
        "Topics", "\n".join(_line(topic, invocation.session.user) for topic in listed) or "(none)"
    )


def _line(topic: SessionSummary, user: User) -> str:
    return f"{topic.topic}  {shown_location(topic.document, user)}" if topic.document else topic.topic


TOPICS = Command(
    name="topics",
    summary="List your topics and where each is.",
    group="Topics",
    usage="/topics [type]",
    run=run,
)
