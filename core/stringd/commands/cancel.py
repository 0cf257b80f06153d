"""`/cancel`: cancel the running command of the topic."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation
from stringd.api.replies import Reply
from stringd.errors import ErrorCode, Refusal


async def run(invocation: Invocation) -> Reply:
    """Cancel the running command and wait until it has ended."""
    cancelled = await invocation.session.cancel()
    if cancelled is None:
        raise Refusal(ErrorCode.NOT_FOUND, "Nothing runs in this topic.")
    return Reply.confirmation(f"Cancelled: {cancelled}")


CANCEL = Command(
    name="cancel",
    summary="Cancel what runs in this topic.",
    group="Programs",
    usage="/cancel",
    run=run,
    takes_arguments=False,
    urgent=True,
)
