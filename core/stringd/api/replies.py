"""The reply of a command, whatever the transport; the codes of errors are in `stringd.errors`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum, auto

from stringd.api.checks import check_optional_text
from stringd.api.sessions import Location
from stringd.errors import Refusal


class Kind(Enum):
    """What a reply is made of; encoders choose their form by it."""

    CONFIRMATION = auto()
    PAGE = auto()
    OUTPUT = auto()
    ERROR = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A text before and after a command changed it, for transports that show the difference."""

    path: str
    before: str
    after: str
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A command's answer: a system line, content, and what went wrong if something did."""

    kind: Kind
    system: str = ""
    content: str | None = None
    code: str | None = None
    context: tuple[str, ...] = ()
    edit: Edit | None = None
    edit_mode: bool = False

    def __post_init__(self) -> None:
        check_optional_text("reply", self.system, self.content, self.code, *self.context)

    @property
    def ok(self) -> bool:
        """Whether the command succeeded."""
        return self.code is None

    def below(self, lines: Iterable[str]) -> Reply:
        """Return the reply with lines above its content that say something of it."""
        content = (self.content,) if self.content else ()
        return replace(self, content="\n".join((*lines, *content)) or self.content)

    @classmethod
    def confirmation(cls, system: str, *, edit: Edit | None = None) -> Reply:
        """Answer with a status line alone."""
        return cls(kind=Kind.CONFIRMATION, system=system, edit=edit, edit_mode=edit is not None)

    @classmethod
    def page(cls, system: str, content: str, *, edit_mode: bool = False) -> Reply:
        """Answer with something to read; the system line is its heading."""
        return cls(kind=Kind.PAGE, system=system, content=content, edit_mode=edit_mode)

    @classmethod
    def output(cls, system: str, content: str, *, code: str | None = None) -> Reply:
        """Answer with a program's output; the system line says what the output does not."""
        return cls(kind=Kind.OUTPUT, system=system, content=content, code=code)

    @classmethod
    def error(cls, code: str, message: str, *context: str) -> Reply:
        """Refuse: a code, a message, and lines that help to retry."""
        return cls(kind=Kind.ERROR, system=message, code=code, context=context)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command left behind: how it is shown, its reply, and where the topic was then."""

    label: str
    reply: Reply
    document: Location | None

    def failed(self, refusal: Refusal, document: Location | None) -> Outcome:
        """Return what is left when the command succeeded, but what it changed could not be kept."""
        reply = Reply.error(refusal.code, refusal.message, *refusal.context)
        return Outcome(label=self.label, reply=reply, document=document)
