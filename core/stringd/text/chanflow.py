"""ChanFlow: blocks of several channels in one text, and the answers to the `string` ones (seed 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from stringd.contracts.replies import Edit, Kind, Reply
from stringd.text.command_line import without_controls
from stringd.text.diff import numbered_diff, summarize

MARK = "𝒞"
_OPENING = re.compile(rf'<{MARK}=(?P<channel>[\w-]+)(?P<rest>[\s:](?:"[^"\n]*"|[^>\n])*)?>')
_ATTRIBUTES = re.compile(r'(?:\s+[\w-]+=(?:"[^"]*"|[^\s"]*))+\s*$')
_OWN_OPENING_LINE = re.compile(rf"^[ \t]*<{MARK}=string[:>\s]", re.MULTILINE)
_CLOSING = f"</{MARK}>"
_FORGEABLE = re.compile(rf"<(/?){MARK}")
_CHANNEL = "string"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A `string` block: the topic as written and the command, or None where the block never closes."""

    topic: str
    command: str | None


def parse_blocks(text: str) -> Iterator[Block]:
    """Find the blocks to execute, in order.

    What stands inside another channel's block, or inside an answer that someone quotes, is that
    block's text and is never executed. Only a block of ours that runs into the next one of ours
    counts as unclosed: executing it would swallow the other.
    """
    position = 0
    while opening := _OPENING.search(text, position):
        start, end = opening.end(), text.find(_CLOSING, opening.end())
        if _is_command(opening):
            next_own = _OWN_OPENING_LINE.search(text, start, end if end >= 0 else len(text))
            start, end = (next_own.start(), -1) if next_own else (start, end)
            command = None if end < 0 else text[start:end].strip()
            yield Block(topic=(opening["rest"] or "").removeprefix(":").strip(), command=command)
        position = start if end < 0 else end + len(_CLOSING)


def _is_command(opening: re.Match[str]) -> bool:
    return opening["channel"] == _CHANNEL and not _ATTRIBUTES.search(opening["rest"] or "")


def encode_answer(topic: str, reply: Reply, at: datetime) -> str:
    """Return the block that answers one command."""
    mode = " mode=edit" if reply.edit_mode else ""
    tag = f'<{MARK}=string:{_safe_topic(topic)} time="{at.isoformat(timespec="minutes")}"{mode}>'
    return f"{tag}\n{_FORGEABLE.sub(_disarm, _payload(reply))}\n{_CLOSING}"


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
    summary = edit.summary or summarize(edit.before, edit.after)
    return f"✓ {edit.path} — {summary}\n{numbered_diff(edit.before, edit.after)}".rstrip("\n")
