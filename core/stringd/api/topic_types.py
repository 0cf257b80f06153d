"""Topic types: the kinds of topics that plugins add."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TypeAlias

from stringd.api.checks import (
    check_async,
    check_context,
    check_optional_text,
    check_sync,
    check_topic_type,
)
from stringd.api.commands import Invocation
from stringd.api.replies import Reply
from stringd.api.runtime import Runtime
from stringd.api.sessions import Session, Topic
from stringd.api.users import User
from stringd.frozen_record import FrozenRecord


class TopicContext(FrozenRecord, frozen=True, kw_only=True):
    """The session and the runtime for which a topic is opened."""

    session: Session
    runtime: Runtime


OpenTopic: TypeAlias = Callable[[TopicContext], AbstractAsyncContextManager[Topic]]
PlainText: TypeAlias = Callable[[Invocation], Awaitable[Reply]]

TopicNames: TypeAlias = Callable[[User, Runtime], Iterable[str]]


@asynccontextmanager
async def keep_nothing(_: TopicContext) -> AsyncIterator[Topic]:
    """Open a topic without any setup or cleanup."""
    yield Topic()


class TopicType(FrozenRecord, frozen=True, kw_only=True):
    """A topic type.

    The context `open` is entered at the topic's first command and exited when the topic ends, in one task.
    `plain_text`, if given, handles every text that doesn't start with `//`. `opens_urls` means that
    `string URL` opens web pages in topics of this type.

    `names` returns the topics of this type that are there for a user to open, for `/help`, without the type;
    it runs in a thread.

    `trust_hint` says how a document from the network becomes the user's own by this type, and `secrets_hint`
    in which topics the `$NAME`s of files that belong to no package are set; both are for messages.

    `brief` says in a few lines what an agent must know to use such topics, for `/help --brief`.
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
    names: TopicNames | None = None
    brief: str = ""

    @property
    def slash(self) -> str:
        """The prefix of commands in topics of this type: `/` or `//`."""
        return "//" if self.plain_text else "/"

    def __post_init__(self) -> None:
        check_topic_type(self.name)
        check_optional_text(f"topic type {self.name}", self.trust_hint, self.secrets_hint, self.brief)
        check_context(f"open of topic type {self.name}", self.open, takes=1, of=Topic)
        if self.names is not None:
            check_sync(f"names of topic type {self.name}", self.names, takes=2)
        if self.plain_text is not None:
            check_async(f"plain_text of topic type {self.name}", self.plain_text, takes=1)
