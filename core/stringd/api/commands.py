"""What a plugin adds to the language that agents speak."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import TypeAlias

from stringd.api.checks import (
    check_async,
    check_optional_text,
    check_order,
    check_sync,
    check_word,
    check_words,
)
from stringd.api.questions import Answer, Question
from stringd.api.replies import Reply
from stringd.api.runtime import Disconnected, Runtime
from stringd.api.sessions import Session, Topic


class TopicGroup(Enum):
    """Topic types that are meant without naming them."""

    ALL = auto()
    DOCUMENTS = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A command as it was sent: the word, the rest of the first line as typed, and the lines below."""

    text: str
    word: str = ""
    arguments: str = ""
    body: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One run of a command: what was sent, and the topic that it runs in.

    `arrived` is when it was sent, by `time.monotonic`: what a topic has answered since, its sender could
    not know. `disconnected` returns when nobody waits for the reply any more; None if that is unknown.
    `request_id` is what its sender calls it, if it has a name.
    """

    line: CommandLine
    session: Session
    topic: Topic
    runtime: Runtime
    arrived: float
    disconnected: Disconnected | None = None
    request_id: str | None = None

    async def ask(self, question: Question) -> Answer:
        """Ask on behalf of this command, its topic and user; see `Questions.ask`."""
        session = self.session
        asked = replace(
            question, user_id=session.user.id, topic=str(session.name), request_id=self.request_id
        )
        return await self.runtime.questions.ask(asked, disconnected=self.disconnected)


Run: TypeAlias = Callable[[Invocation], Awaitable[Reply]]
Mask: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A word that agents may send.

    One that takes no arguments or no body is never run with any. One that takes members is meant by
    `/name.member` too, whatever the member, and explains them itself. `mask` hides secrets in the
    command's text wherever it is shown: in the reply's label, in logs, to observers. An `urgent` one
    waits for no turn: it runs beside the command that its topic is busy with, however many wait.
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
    urgent: bool = False

    def __post_init__(self) -> None:
        check_word("command", self.name)
        check_optional_text(f"command /{self.name}", self.summary, self.usage)
        check_async(f"command /{self.name}", self.run, takes=1)
        if self.mask is not None:
            check_sync(f"mask of command /{self.name}", self.mask, takes=1)
        if isinstance(self.topic_types, TopicGroup):
            return
        if not isinstance(self.topic_types, frozenset):
            raise TypeError(
                f"command /{self.name} needs a frozenset of topic types, not {self.topic_types!r}"
            )
        check_words(f"topic types of command /{self.name}", self.topic_types)

    def explained(self) -> Reply:
        """Return the answer to `/help` with this command's name."""
        return Reply.page("String Commands", f"{self.usage}\n\n{self.summary}")


Proceed: TypeAlias = Callable[[Invocation], Awaitable[Reply]]
Around: TypeAlias = Callable[[Invocation, Proceed], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interceptor:
    """Runs around every command: it may refuse or delay the command, and change what it answers.

    `around` returns the reply: one of its own, or what `await proceed(invocation)` returns, which runs the
    next interceptor and at last the command. What the command raises is a reply too: `proceed` raises nothing
    unless the command is cancelled. The interceptor with the lowest `order` is the outermost; of the same
    order, the one whose plugin was loaded first.
    """

    name: str
    around: Around
    order: int = 0

    def __post_init__(self) -> None:
        check_word("interceptor", self.name)
        check_async(f"interceptor {self.name}", self.around, takes=2)
        check_order(f"interceptor {self.name}", self.order)
