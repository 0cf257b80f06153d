"""An exchange: a command as it may be shown, and what a person needs of its reply."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from sys import getsizeof

from msgspec.structs import replace

from stringd.plugin import Edit, Output, Reply
from stringd.plugin.text import MASK, first_line, limited, mask_beginning

MOST_CHARACTERS = 64 * 1024
"""The most characters that are kept of a command or of a reply's content."""
MOST_PRINTED = 8 * 1024
_MOST_IN_LINE = 4_000
_MOST_LINES = 40
# Replies of this size are kept as they are.
_SHORT = 2_000
_RECORD_SIZE = 600
_NUMBERS = count(1)
_MOST_TYPED = 500
TYPING = "console-typing-"
"""How the ids of requests begin by which a person types into a program."""


class Exchange:
    """A command and its reply; times are in seconds since 1970.

    `reply` is None while the command runs. `label` is the first line as events show it in the end, which may
    be more of it, or less, than was known at the beginning. `printed` is the end of what it has printed while
    somebody watched, and `progress` how far it is, by what reports that. `typed` is what was typed into a
    program with this command and the ones after it.
    """

    # Every command pays for making one, so what only some have is set on demand.
    ended: float = 0.0
    reply: Reply | None = None
    label: str | None = None
    size: int = 0
    was_refused: bool = False
    printed: str = ""
    progress: Mapping[str, Output] = {}
    _seen: int = 0
    typed: str = ""

    def __init__(self, shown: str, request_id: str | None, begun: float) -> None:
        self.number = next(_NUMBERS)
        self.shown = shown
        self.request_id = request_id
        self.begun = begun

    @property
    def text(self) -> str:
        """The command as it may be shown."""
        if self.typed:
            return self.typed
        if self.label is None or first_line(self.shown) == self.label:
            return self.shown
        return self.label

    def print(self, output: Output, seq: int) -> None:
        """Add what it prints, and how far it is; an event that was added before changes nothing."""
        if seq <= self._seen:
            return
        self._seen = seq
        if output.text:
            self.printed = (self.printed + output.text)[-MOST_PRINTED:]
        if output.done is not None:
            self.progress = {**self.progress, output.source or "": output}

    def measure(self) -> int:
        """Return about how many bytes it takes in memory, and note it as its `size`."""
        if self._seen:
            self.printed, self.progress = "", {}
        reply = self.reply
        if reply is None or reply.edit or reply.context or not self.shown.isascii():
            self.size = _RECORD_SIZE + sum(map(getsizeof, (self.shown, *_texts(reply))))
        else:
            self.size = _RECORD_SIZE + len(self.shown) + len(reply.system) + len(reply.content or "")
        return self.size

    @property
    def is_typing(self) -> bool:
        """Whether it is one of the commands by which a person types into a program."""
        request_id, reply = self.request_id, self.reply
        return bool(request_id and request_id.startswith(TYPING) and reply and reply.ok)

    def take_over(self, later: Exchange) -> bool:
        """Make what is typed next, by `later`, a part of this; return whether that is possible."""
        if not self.is_typing:
            return False
        typed, keys = self.text, later.text.partition(" ")[2]
        if len(typed) + len(keys) > _MOST_TYPED:
            return False
        if keys.startswith('"') and typed.endswith('"'):
            typed, keys = typed[:-1], keys[1:]
        elif not (keys == MASK and typed.endswith(MASK)):
            keys = f" {keys}"
        else:
            keys = ""
        self.typed, self.ended, self.request_id = typed + keys, later.ended, later.request_id
        return True


def is_short(reply: Reply) -> bool:
    """Whether a reply can be kept as it is."""
    content = reply.content
    return (
        (content is None or len(content) <= _SHORT)
        and len(reply.system) <= _SHORT
        and not (reply.edit or reply.whole or reply.context)
    )


def kept_reply(reply: Reply, names: Mapping[str, str]) -> Reply:
    """Return what is kept of a reply: texts of bounded length, in which each secret is its name."""
    content = reply.content
    return replace(
        reply,
        system=_kept(reply.system, names, _MOST_IN_LINE),
        content=content if content is None else _kept(content, names, MOST_CHARACTERS),
        context=tuple(_kept(it, names, _MOST_IN_LINE) for it in reply.context[:_MOST_LINES]),
        edit=reply.edit and _kept_edit(reply.edit, names),
        whole=(),
    )


def _texts(reply: Reply | None) -> tuple[str, ...]:
    if reply is None:
        return ()
    edits = (reply.edit.before, reply.edit.after) if reply.edit else ()
    return (reply.system, reply.content or "", *reply.context, *edits)


def _kept(text: str, names: Mapping[str, str], most: int) -> str:
    return limited(mask_beginning(text, names, len(text)) if names else text, most)


def _kept_edit(edit: Edit, names: Mapping[str, str]) -> Edit | None:
    if len(edit.before) + len(edit.after) > MOST_CHARACTERS:
        return None
    before, after = (_kept(it, names, MOST_CHARACTERS) for it in (edit.before, edit.after))
    return replace(edit, before=before, after=after)
