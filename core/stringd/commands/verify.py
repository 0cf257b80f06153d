"""`/verify`: a block as it is stored."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit import stored_lines
from stringd.commands.file_edits import read_request, view
from stringd.errors import Refusal
from stringd.workers.threads import READING


async def _verify(invocation: Invocation) -> Reply:
    request = await read_request(invocation, VERIFY)
    if request.target.lines or not request.means_part:
        raise Refusal("INVALID_TARGET", f"No block is named: {request.shown}", f"Usage: {VERIFY.usage}")
    text = await view(invocation, request)
    lines = await READING.run(stored_lines, request, text)
    return Reply.page(f"Verified {request.shown}", "\n".join(lines.values()))


VERIFY = Command(
    name="verify",
    summary="Show a block as it is stored.",
    usage="/verify path#block",
    run=_verify,
    topic_types=TopicGroup.DOCUMENTS,
)
