"""Shorten answers to the limit of the topic; store the rest, and name the command that shows it."""

from __future__ import annotations

from msgspec.structs import replace

from stringd.api.commands import Invocation
from stringd.api.outputs import KeptOutput, PiecedOutput
from stringd.api.replies import Kind, Overflow, Reply
from stringd.errors import StorageFailed
from stringd.events.output_feed import current_output
from stringd.long_answers.kept_text import KeptText
from stringd.long_answers.output_words import OutputWords
from stringd.long_answers.pieced_text import PiecedText
from stringd.long_answers.printed_pieces import stored_pieces
from stringd.sessions.answer_limit import may_exceed
from stringd.text.escaping import visible
from stringd.text.head_and_tail import Gap, dropped_from, limited, middle_of
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
    if reply.whole and (excerpt := await _excerpt_of_whole(invocation, reply, most)) is not None:
        return _with_text(reply, excerpt)
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
    is_printed = reply.overflow is Overflow.HEAD_AND_TAIL
    is_plain = is_printed or reply.overflow is Overflow.LINES
    output = KeptOutput(label=invocation.label, text=text, is_plain=is_plain, is_printed=is_printed)
    return _with_text(reply, await _shown(invocation, output, most))


async def _shown(invocation: Invocation, output: KeptOutput, most: int) -> str:
    """Store an answer, and return the part that is shown first."""
    session = invocation.session
    try:
        number = await invocation.runtime.outputs.keep(session, output)
    except StorageFailed as failure:
        return _excerpt(output.text, most, f"they can't be kept: {failure}")
    kept = KeptText(words=_words(invocation, number), output=output)
    if not output.is_printed:
        return await READING.run(lambda: kept.parts(most).view(1))
    return await READING.run(lambda: _excerpt(output.text, most, kept))


def _excerpt(text: str, most: int, way: KeptText | str) -> str:
    """Return the head and the tail of a text, with a line between them about the rest."""
    gap = middle_of(text, most - _NOTE)
    how = way if isinstance(way, str) else way.words.ways(way.parts(most).count, gap.lines)
    if lost := dropped_from(text[gap.first - 1 : gap.last]):
        how = f"{how}; {lost} in the middle are lost"
    return _around_gap(text[: gap.first], gap, how, text[gap.last :])


async def _excerpt_of_whole(invocation: Invocation, reply: Reply, most: int) -> str | None:
    """Store a text that is not in memory, and return what is shown of it; None if that fails."""
    session, outputs = invocation.session, invocation.runtime.outputs
    pieces = stored_pieces(reply.whole, current_output().secret_names())
    printed = [it for it in reply.whole if not isinstance(it, str)]
    lost = " and ".join(it.lost for it in printed if it.lost)
    try:
        number = await outputs.keep_pieces(session, invocation.label, pieces)
        output = await outputs.find(session, number)
        if not isinstance(output, PiecedOutput):
            return None
        kept = PiecedText(words=_words(invocation, number), output=output, outputs=outputs)
        return await _excerpt_of_pieces(kept, most, lost)
    except StorageFailed:
        return None
    finally:
        for it in printed:
            it.close()


async def _excerpt_of_pieces(kept: PiecedText, most: int, lost: str) -> str:
    """Return the head and the tail of a stored text, or all of it if it fits."""
    characters, half = kept.output.characters, (most - _NOTE) // 2
    if characters <= most:
        return await kept.between(0, characters)
    head, tail = await kept.between(0, half), await kept.between(characters - half - 1, characters)
    first = head.rfind("\n", half // 2) + 1
    # The line end before a position makes it the beginning of a line.
    last = tail.find("\n", 0, half // 2) + 1
    head, tail = head[: first or half], tail[last or 1 :]
    lines = (head.count("\n") + 1, kept.output.lines - 1 - tail.count("\n")) if first and last else None
    gap = Gap(first=len(head), last=characters - len(tail), lines=lines)
    how = kept.words.ways(kept.part_count(most), lines)
    return _around_gap(head, gap, f"{how}; {lost} in the middle are lost" if lost else how, tail)


def _around_gap(head: str, gap: Gap, how: str, tail: str) -> str:
    count = f"{gap.last - gap.first:,} characters"
    if gap.lines:
        count = f"{gap.lines[1] - gap.lines[0] + 1:,} lines, {count}"
    newline = "\n"
    return f"{head.removesuffix(newline)}\n[... {count} left out — {how} ...]\n{tail}"


def _words(invocation: Invocation, number: int) -> OutputWords:
    return OutputWords(number=number, label=invocation.label, slash=invocation.session.slash)


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
