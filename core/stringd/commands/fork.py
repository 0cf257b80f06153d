"""`/fork`: copy this topic's state to a new topic."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.errors import ErrorCode, Refusal


async def run(invocation: Invocation) -> Reply:
    """Create the named topic with this topic's state."""
    wanted, session, runtime = invocation.line.arguments, invocation.session, invocation.runtime
    if not wanted:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "No name for the new topic.", f"Usage: {FORK.usage}")
    name = runtime.topic_name(wanted if ":" in wanted else f"{session.name.type}:{wanted}")
    if name.type != session.name.type:
        raise Refusal(
            ErrorCode.INVALID_TARGET,
            f"A {session.name.type} topic can only be forked to its own type, not {name}.",
        )
    await runtime.fork(session, name)
    return Reply.confirmation(f"Forked: {name}")


FORK = Command(
    name="fork",
    summary="Begin a new topic with a copy of this one's state.",
    group="Topics",
    usage="/fork name",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
