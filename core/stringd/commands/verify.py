"""`/verify`: show the stored text of a block."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import read_file, read_request
from stringd.commands.edited_part import stored_lines
from stringd.commands.large_edits import addresses_large_part, large_lines
from stringd.commands.path_hints import with_nearest_path
from stringd.errors import ErrorCode, Refusal
from stringd.workers.threads import READING


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """Show the block's stored lines."""
    request = await read_request(invocation, VERIFY)
    if request.target.lines or not request.addresses_part:
        raise Refusal(
            ErrorCode.INVALID_TARGET, f"No block is named: {request.shown}", f"Usage: {VERIFY.usage}"
        )
    if addresses_large_part(request):
        lines: Mapping[int, str] = await large_lines(invocation, request)
    else:
        text = await read_file(invocation, request)
        lines = await READING.run(stored_lines, request, text)
    return Reply.page(f"Verified {request.shown}", "\n".join(lines.values()))


VERIFY = Command(
    name="verify",
    summary="Show a block as it is stored.",
    group="Editing",
    usage="/verify path#block",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
