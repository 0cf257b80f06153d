"""The reply to a command, independent of the transport."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from msgspec.structs import replace

from stringd.api.checks import check_optional_text
from stringd.api.outputs import PrintedText
from stringd.api.sessions import Location
from stringd.errors import Refusal
from stringd.frozen_record import FrozenRecord


class Kind(Enum):
    """The kinds of replies, which determine how they are encoded."""

    CONFIRMATION = auto()
    PAGE = auto()
    OUTPUT = auto()
    ERROR = auto()


class Overflow(Enum):
    """What becomes of a reply's content that is longer than an answer may be."""

    PARTS = auto()
    """It is shown part by part, with an outline of its headings."""
    LINES = auto()
    """It is shown part by part, as suits what is not Markdown: it has no headings."""
    HEAD_AND_TAIL = auto()
    """Its middle is left out, as suits what programs print."""
    HANDLED = auto()
    """Nothing: the command has seen to it. What is longer all the same is shown as `PARTS`."""


class Edit(FrozenRecord, frozen=True, kw_only=True):
    """A text before and after an edit, for transports that show a diff of at most `longest` characters."""

    path: str
    before: str
    after: str
    summary: str | None = None
    longest: int = 50_000


class Reply(FrozenRecord, frozen=True, kw_only=True):
    """The reply to a command: a system line, content, and an error code if it failed."""

    kind: Kind
    system: str = ""
    content: str | None = None
    code: str | None = None
    context: tuple[str, ...] = ()
    edit: Edit | None = None
    edit_mode: bool = False
    overflow: Overflow = Overflow.PARTS
    whole: tuple[str | PrintedText, ...] = ()
    """The whole text in sections, if the content is only its beginning and end."""

    def __post_init__(self) -> None:
        check_optional_text("reply", self.system, self.content, self.code, *self.context)

    @property
    def ok(self) -> bool:
        """Whether the command succeeded."""
        return self.code is None

    def below(self, lines: Iterable[str]) -> Reply:
        """Return the reply with these lines above its content."""
        above = tuple(lines)
        content = (self.content,) if self.content else ()
        whole = (*(f"{it}\n" for it in above), *self.whole) if self.whole else ()
        return replace(self, content="\n".join((*above, *content)) or self.content, whole=whole)

    @classmethod
    def confirmation(cls, system: str, *, edit: Edit | None = None) -> Reply:
        """Create a reply that is only a system line."""
        return cls(kind=Kind.CONFIRMATION, system=system, edit=edit, edit_mode=edit is not None)

    @classmethod
    def page(
        cls, system: str, content: str, *, edit_mode: bool = False, overflow: Overflow = Overflow.PARTS
    ) -> Reply:
        """Create a reply with content below a system line."""
        return cls(kind=Kind.PAGE, system=system, content=content, edit_mode=edit_mode, overflow=overflow)

    @classmethod
    def output(cls, system: str, content: str, *, code: str | None = None) -> Reply:
        """Create a reply with the output of a program below its status line."""
        overflow = Overflow.HEAD_AND_TAIL
        return cls(kind=Kind.OUTPUT, system=system, content=content, code=code, overflow=overflow)

    @classmethod
    def error(cls, code: str, message: str, *context: str) -> Reply:
        """Create an error reply with a code, a message, and lines that help to retry."""
        overflow = Overflow.HEAD_AND_TAIL
        return cls(kind=Kind.ERROR, system=message, code=code, context=context, overflow=overflow)


class Outcome(FrozenRecord, frozen=True, kw_only=True):
    """The outcome of a command: its label, its reply, and the topic's location afterwards."""

    label: str
    reply: Reply
    document: Location | None

    def failed(self, refusal: Refusal, document: Location | None) -> Outcome:
        """Return the outcome of a command that succeeded, but whose changes could not be stored."""
        reply = Reply.error(refusal.code, refusal.message, *refusal.context)
        return Outcome(label=self.label, reply=reply, document=document)
