"""Shorten answers to the limit of the topic; store the rest, and name the command that shows it."""

from __future__ import annotations

from dataclasses import replace

from stringd.api.commands import Invocation
from stringd.api.outputs import KeptOutput
from stringd.api.replies import Kind, Overflow, Reply
from stringd.errors import StorageFailed
from stringd.events.output_feed import current_output
from stringd.long_answers.kept_text import KeptText
from stringd.sessions.answer_limit import may_exceed
from stringd.text.escaping import visible
from stringd.text.head_and_tail import dropped_from, limited, middle_of
from stringd.text.masking import mask_values
from stringd.workers.threads import READING

LARGEST = 10 * 1024 * 1024
"""The most characters that are stored of one answer."""
# A longer one repeats what the caller has sent.
_LONGEST_SYSTEM = 5000
# What is said in place of what is left out.
_NOTE = 200
# What is said above and below the lines of a difference.
_AROUND_DIFFERENCE = 200


async def bounded(invocation: Invocation, reply: Reply, most: int) -> Reply:
    """Return a reply unchanged, or shortened to `most` characters if it is longer."""
    if not may_exceed(reply, most):
        return reply
    if reply.edit:
        reply = replace(reply, edit=replace(reply.edit, longest=most - _AROUND_DIFFERENCE))
    if reply.content is not None and len(reply.system) > _LONGEST_SYSTEM:
        reply = replace(reply, system=f"{reply.system[:_LONGEST_SYSTEM]}…")
    text = _text_of(reply)
    if len(text) <= most and len(visible(text)) <= most:
        return reply
    names = current_output().secret_names()
    text = await READING.run(lambda: limited(visible(mask_values(text, names)), LARGEST))
    if len(text) <= most:
        # What takes the place of secrets may be much shorter.
        return _with_text(reply, text)
    is_plain = reply.overflow is Overflow.HEAD_AND_TAIL
    shown = await _shown(invocation, KeptOutput(label=invocation.label, text=text, is_plain=is_plain), most)
    return _with_text(reply, shown)


async def _shown(invocation: Invocation, output: KeptOutput, most: int) -> str:
    """Store an answer, and return the part that is shown first."""
    session = invocation.session
    try:
        number = await invocation.runtime.outputs.keep(session, output)
    except StorageFailed as failure:
        return _excerpt(output.text, most, f"they can't be kept: {failure}")
    kept = KeptText(number=number, output=output, slash=session.slash)
    if not output.is_plain:
        return await READING.run(lambda: kept.parts(most).view(1))
    return await READING.run(lambda: _excerpt(output.text, most, kept))


def _excerpt(text: str, most: int, way: KeptText | str) -> str:
    """Return the head and the tail of a text, with a line between them about the rest."""
    gap = middle_of(text, most - _NOTE)
    count = f"{gap.last - gap.first:,} characters"
    if gap.lines:
        count = f"{gap.lines[1] - gap.lines[0] + 1:,} lines, {count}"
    how = way if isinstance(way, str) else way.ways(most, gap.lines)
    if lost := dropped_from(text[gap.first - 1 : gap.last]):
        how = f"{how}; {lost} in the middle are lost"
    head = text[: gap.first].removesuffix("\n")
    return f"{head}\n[... {count} left out — {how} ...]\n{text[gap.last :]}"


def _text_of(reply: Reply) -> str:
    if reply.kind is Kind.ERROR:
        return "\n".join((reply.system, *reply.context))
    return reply.system if reply.content is None else reply.content


def _with_text(reply: Reply, shown: str) -> Reply:
    if reply.kind is Kind.ERROR:
        message, *context = shown.split("\n", 1)
        return replace(reply, system=message, context=tuple(context))
    if reply.content is None:
        return replace(reply, system=shown)
    return replace(reply, content=shown)
