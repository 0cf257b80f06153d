"""ChanFlow: parses `string` blocks and encodes their answers; see docs/reference/chanflow.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from stringd.api.replies import Edit, Kind, Reply
from stringd.text.command_line import trimmed
from stringd.text.diff import compare
from stringd.text.escaping import visible, without_controls

MARK = "𝒞"
# Bounded, so that a malformed tag costs no more than its own length. A `>` in an attribute's value may end
# the tag early, which does no harm: blocks with attributes are skipped as a whole.
_OPENING = re.compile(rf"<{MARK}=(?P<channel>[\w-]{{1,64}})(?P<rest>[\s:][^>\n]{{0,1000}})?>")
_ATTRIBUTE = re.compile(r"\s[\w-]+=")
_OWN_OPENING_LINE = re.compile(rf"^[ \t]*<{MARK}=string[:>\s]", re.MULTILINE)
_CLOSING = f"</{MARK}>"
_FORGEABLE = re.compile(rf"<(/?){MARK}")
_CHANNEL = "string"


class Block(Struct, frozen=True, kw_only=True):
    """A `string` block: the topic as written and the command, or None where the block never closes."""

    topic: str
    command: str | None


def parse_blocks(text: str) -> Iterator[Block]:
    """Find the blocks to execute, in order.

    The content of another channel's block, or of a quoted answer, is never executed. A `string` block
    counts as unclosed if another one begins before its closing tag: executing it would swallow the other.
    """
    position, end = 0, 0
    while opening := _OPENING.search(text, position):
        start = opening.end()
        if 0 <= end < start:
            end = text.find(_CLOSING, start)
        resume = start if end < 0 else end + len(_CLOSING)
        if _is_command(opening):
            next_string_block = _OWN_OPENING_LINE.search(text, start, end) if end >= 0 else None
            closed = end >= 0 and next_string_block is None
            yield Block(
                topic=(opening["rest"] or "").removeprefix(":").strip(),
                command=trimmed(text[start:end]) if closed else None,
            )
            resume = next_string_block.start() if next_string_block else resume
        position = resume


def _is_command(opening: re.Match[str]) -> bool:
    return opening["channel"] == _CHANNEL and not _ATTRIBUTE.search(opening["rest"] or "")


def encode_answer(topic: str, reply: Reply, at: datetime) -> str:
    """Return the block that answers one command."""
    mode = " mode=edit" if reply.edit_mode else ""
    tag = f'<{MARK}=string:{_safe_topic(topic)} time="{at.isoformat(timespec="minutes")}"{mode}>'
    return f"{tag}\n{_FORGEABLE.sub(_disarm, visible(_payload(reply)))}\n{_CLOSING}"


def _safe_topic(topic: str) -> str:
    return re.sub(r'[<>"\s]', "", without_controls(topic))


def _disarm(match: re.Match[str]) -> str:
    return f"<\\{match[1]}{MARK}"


def _payload(reply: Reply) -> str:
    if reply.kind is Kind.ERROR:
        context = (f"  {line}" for text in reply.context for line in text.splitlines())
        return "\n".join((f"✗ {reply.code}: {reply.system}", *context))
    if reply.edit is not None:
        return _feedback(reply.edit)
    if reply.kind is Kind.OUTPUT:
        failed = "" if reply.ok else f"✗ {reply.code}: "
        return f"{failed}{reply.system}\n---\n{reply.content}"
    return f"✓ {reply.system}" if reply.content is None else reply.content


def _feedback(edit: Edit) -> str:
    difference = compare(edit.before, edit.after, edit.longest)
    return f"✓ {edit.path} — {edit.summary or difference.summary}\n{difference.rows}".rstrip("\n")
