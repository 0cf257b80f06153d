"""Commands, and the interceptors and observers of their execution."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import TypeAlias

from msgspec.structs import replace

from stringd.api.checks import (
    check_async,
    check_names,
    check_optional_text,
    check_sync,
    check_word,
    check_words,
)
from stringd.api.effects import Effect
from stringd.api.questions import Answer, Question
from stringd.api.replies import Reply
from stringd.api.runtime import Disconnected, Runtime
from stringd.api.sessions import Session, Topic
from stringd.api.users import User
from stringd.frozen_record import FrozenRecord


class TopicGroup(Enum):
    """Groups of topic types that can be given in place of their names."""

    ALL = auto()
    DOCUMENTS = auto()


class CommandLine(FrozenRecord, frozen=True, kw_only=True):
    """A command as sent: its word, the unparsed rest of the first line, and the lines below as its body.

    `blank_lines` is what ends a body with blank lines, which the other fields leave out.
    """

    text: str
    word: str = ""
    arguments: str = ""
    body: str | None = None
    blank_lines: str = ""

    @property
    def full_body(self) -> str | None:
        """The body with the blank lines at its end, but without the last line end."""
        return self.body and self.body + self.blank_lines


class Invocation(FrozenRecord, frozen=True, kw_only=True):
    """One run of a command: the command line, and the topic in which it runs.

    `arrived` is the time of arrival by `time.monotonic`: its sender cannot have known replies of the topic
    from after that. `disconnected` returns when the client has gone; None if that cannot be detected.
    `request_id` is the client's id for the request, if it has one. `label` is the command's first line, with
    secrets masked; `shown` is all of its text, or as much of it as can be shown with secrets masked.
    """

    line: CommandLine
    session: Session
    topic: Topic
    runtime: Runtime
    arrived: float
    disconnected: Disconnected | None = None
    request_id: str | None = None
    label: str = ""
    shown: str = ""

    async def ask(self, question: Question) -> Answer:
        """Ask on behalf of this command, its topic and user; see `Questions.ask`."""
        session = self.session
        asked = replace(
            question, user_id=session.user.id, topic=str(session.name), request_id=self.request_id
        )
        return await self.runtime.questions.ask(asked, disconnected=self.disconnected)


Run: TypeAlias = Callable[[Invocation], Awaitable[Reply]]
Mask: TypeAlias = Callable[[str], str]


class Command(FrozenRecord, frozen=True, kw_only=True):
    """A command that agents may send.

    A command that takes no arguments or no body is never run with any. One that `takes_members` also runs
    for `/name.member`, whatever the member, and explains its members itself. `mask` hides secrets in the
    command's text wherever that is shown: in the reply's label, in logs and to observers. An `urgent`
    command does not wait for its turn: it runs immediately, concurrently with the running command; a function
    tells for each command line.
    `group` says in a word what the command is for: `/help` lists those of one group together.
    """

    name: str
    summary: str
    usage: str
    run: Run
    topic_types: frozenset[str] | TopicGroup = TopicGroup.ALL
    takes_arguments: bool = True
    takes_body: bool = False
    takes_members: bool = False
    mask: Mask | None = None
    urgent: bool | Callable[[CommandLine], bool] = False
    group: str = ""

    def __post_init__(self) -> None:
        check_word("command", self.name)
        check_optional_text(f"command /{self.name}", self.summary, self.usage, self.group)
        check_async(f"command /{self.name}", self.run, takes=1)
        if self.mask is not None:
            check_sync(f"mask of command /{self.name}", self.mask, takes=1)
        if not isinstance(self.urgent, bool):
            check_sync(f"`urgent` of command /{self.name}", self.urgent, takes=1)
        if isinstance(self.topic_types, TopicGroup):
            return
        if not isinstance(self.topic_types, frozenset):
            raise TypeError(
                f"command /{self.name} needs a frozenset of topic types, not {self.topic_types!r}"
            )
        check_words(f"topic types of command /{self.name}", self.topic_types)

    def is_urgent(self, line: CommandLine) -> bool:
        """Whether a command line does not wait for its turn."""
        return self.urgent if isinstance(self.urgent, bool) else self.urgent(line)

    def explained(self, title: str = Topic.help_title, slash: str = "/") -> Reply:
        """Return the reply to `/help` for this command, in a topic whose commands begin with `slash`."""
        usage = re.sub(rf"^/(?={re.escape(self.name)}\b)", slash, self.usage, flags=re.MULTILINE)
        return Reply.page(title, f"{usage}\n\n{self.summary}")


class BackgroundEffect(FrozenRecord, frozen=True, kw_only=True):
    """An effect that a plugin is about to have outside of commands, on behalf of a user.

    `topic` is the full name of the topic that it belongs to; `purpose` says on one line what it is for.
    """

    effect: Effect
    user: User
    topic: str
    purpose: str
    runtime: Runtime


Proceed: TypeAlias = Callable[[Invocation], Awaitable[Reply]]
Intercept: TypeAlias = Callable[[Invocation, Proceed], Awaitable[Reply]]
Concerns: TypeAlias = Callable[[Invocation], bool]
PermitEffect: TypeAlias = Callable[[BackgroundEffect], Awaitable[None]]


class Interceptor(FrozenRecord, frozen=True, kw_only=True):
    """Wraps every command: it may refuse, delay or change the command, and change its reply.

    `run` returns a reply: its own, or the result of `await proceed(invocation)`, which runs the next
    interceptor or finally the command. Exceptions of the command become replies: `proceed` only raises if the
    command is cancelled. It sees a command before the interceptors named in `before`, and the reply after
    them; those named in `after` wrap it. Unknown names are ignored; otherwise the one whose plugin was loaded
    first is the outermost. A command whose interceptor fails is refused.

    `concerns`, if given, tells at once whether `run` is called for a command that has passed the interceptors
    around this one; else the command goes on to the next.

    `permit` is asked about effects outside of commands: it returns if one is permitted, or raises `Refusal`.
    """

    name: str
    run: Intercept
    concerns: Concerns | None = None
    permit: PermitEffect | None = None
    before: frozenset[str] = frozenset()
    after: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_word("interceptor", self.name)
        check_async(f"interceptor {self.name}", self.run, takes=2)
        if self.concerns is not None:
            check_sync(f"`concerns` of interceptor {self.name}", self.concerns, takes=1)
        if self.permit is not None:
            check_async(f"`permit` of interceptor {self.name}", self.permit, takes=1)
        check_names(f"`before` of interceptor {self.name}", self.before)
        check_names(f"`after` of interceptor {self.name}", self.after)
