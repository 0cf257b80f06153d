"""An exchange: a command as it may be shown, and what a person needs of its reply."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from sys import getsizeof

from stringd.plugin import Edit, Output, Reply
from stringd.plugin.text import limited, mask_beginning

MOST_CHARACTERS = 64 * 1024
"""The most characters that are kept of a command or of a reply's content."""
MOST_PRINTED = 8 * 1024
_MOST_IN_LINE = 4_000
_MOST_LINES = 40
_RECORD_SIZE = 600


@dataclass(slots=True, eq=False)
class Exchange:
    """A command and its reply; times are in seconds since 1970.

    `reply` is None while the command runs, and `ended` then, too. `label` is the first line as events show
    it in the end, which may be more of it, or less, than was known at the beginning.
    """

    number: int
    shown: str
    request_id: str | None
    begun: float
    ended: float | None = None
    reply: Reply | None = None
    label: str | None = None
    size: int = 0
    was_refused: bool = False
    """Whether its reply is not known, because the command was refused at once."""
    printed: str = ""
    """The end of what it has printed while somebody watched; empty once it has ended."""
    progress: Mapping[str, Output] = field(default_factory=dict)
    """Its progress, by what reports it; likewise."""
    _seen: int = 0

    def measured(self) -> int:
        """Return about how many bytes it takes in memory, and note it as its `size`."""
        reply = self.reply
        texts = () if reply is None else (reply.system, reply.content or "", *reply.context)
        edits = () if reply is None or reply.edit is None else (reply.edit.before, reply.edit.after)
        self.size = _RECORD_SIZE + sum(map(getsizeof, (self.shown, *texts, *edits)))
        return self.size

    def print(self, output: Output, seq: int) -> None:
        """Add what it prints, and how far it is; an event that was added before changes nothing."""
        if seq <= self._seen:
            return
        self._seen = seq
        if output.text:
            self.printed = (self.printed + output.text)[-MOST_PRINTED:]
        if output.done is not None:
            self.progress = {**self.progress, output.source or "": output}

    def end(self, reply: Reply) -> None:
        """Note its reply."""
        self.reply, self.ended = reply, time.time()
        self.printed, self.progress = "", {}

    @property
    def text(self) -> str:
        """The command as it may be shown."""
        if self.label is None or self.shown.partition("\n")[0] == self.label:
            return self.shown
        return self.label


def kept_reply(reply: Reply, names: Mapping[str, str]) -> Reply:
    """Return what is kept of a reply: texts of bounded length, in which each secret is its name."""
    if not names and _is_short(reply):
        return reply
    content = reply.content
    return replace(
        reply,
        system=_kept(reply.system, names, _MOST_IN_LINE),
        content=content if content is None else _kept(content, names, MOST_CHARACTERS),
        context=tuple(_kept(it, names, _MOST_IN_LINE) for it in reply.context[:_MOST_LINES]),
        edit=reply.edit and _kept_edit(reply.edit, names),
        whole=(),
    )


def _is_short(reply: Reply) -> bool:
    return (
        not (reply.edit or reply.whole or reply.context)
        and len(reply.system) <= _MOST_IN_LINE
        and (reply.content is None or len(reply.content) <= MOST_CHARACTERS)
    )


def _kept(text: str, names: Mapping[str, str], most: int) -> str:
    return limited(mask_beginning(text, names, len(text)) if names else text, most)


def _kept_edit(edit: Edit, names: Mapping[str, str]) -> Edit | None:
    if len(edit.before) + len(edit.after) > MOST_CHARACTERS:
        return None
    before, after = (_kept(it, names, MOST_CHARACTERS) for it in (edit.before, edit.after))
    return replace(edit, before=before, after=after)
