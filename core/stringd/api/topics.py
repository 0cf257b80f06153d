"""Kinds of topic."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias

from stringd.api.checks import check_async, check_context, check_optional_text, check_topic_type
from stringd.api.commands import Invocation
from stringd.api.replies import Reply
from stringd.api.runtime import Runtime
from stringd.api.sessions import Session, Topic


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicContext:
    """What a topic is opened with."""

    session: Session
    runtime: Runtime


OpenTopic: TypeAlias = Callable[[TopicContext], AbstractAsyncContextManager[Topic]]
PlainText: TypeAlias = Callable[[Invocation], Awaitable[Reply]]


@asynccontextmanager
async def keep_nothing(_: TopicContext) -> AsyncIterator[Topic]:
    """Open a topic that has nothing to set up and nothing to clean up."""
    yield Topic()


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicType:
    """A kind of topic.

    `open` is entered at the topic's first command and left when the topic ends, both in one task.
    `plain_text`, where given, takes every text that doesn't start with `//`. `opens_urls` means that
    `string URL` opens web pages in topics of this type.

    `trust_hint` says how a document of the network becomes the user's own by this type, and `secrets_hint`
    in which topics the `$NAME`s of files that belong to no package are set; both are for messages.
    """

    name: str
    summary: str
    open: OpenTopic = keep_nothing
    documents: bool = False
    takes_config: bool = False
    opens_urls: bool = False
    plain_text: PlainText | None = None
    trust_hint: str = ""
    secrets_hint: str = ""

    @property
    def slash(self) -> str:
        """How commands begin in such a topic."""
        return "//" if self.plain_text else "/"

    def __post_init__(self) -> None:
        check_topic_type(self.name)
        check_optional_text(f"topic type {self.name}", self.trust_hint, self.secrets_hint)
        check_context(f"open of topic type {self.name}", self.open, takes=1)
        if self.plain_text is not None:
            check_async(f"plain_text of topic type {self.name}", self.plain_text, takes=1)
