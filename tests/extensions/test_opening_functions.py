"""Which functions topic types take as `open`, by what they are annotated to return."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self, TypeVar

import pytest

from stringd.plugin import Topic, TopicType

T = TypeVar("T")


class Base:
    """A class whose subclasses may be context managers."""


class Opened(Topic):
    """A topic that opens and closes itself."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""


class Kept(Topic):
    """A topic that does not."""


Manager = AbstractAsyncContextManager[Topic]
RIGHT = [
    Manager,
    Manager | AbstractAsyncContextManager[Kept],
    T | Kept,
    Base,
    Base | Kept,
    Opened,
    object,
    Any,
]
WRONG = [Topic, Kept, Topic | Kept, Topic | None, None, str, list[Manager]]


def topic_type(returned: object) -> TopicType:
    """Return a topic type whose function is annotated to return this."""

    def opened(context: object) -> Any:
        raise NotImplementedError

    opened.__annotations__["return"] = returned
    return TopicType(name="x", summary="A test.", open=opened)


@pytest.mark.parametrize("returned", RIGHT, ids=str)
def test_what_may_be_a_context_manager_is_taken(returned: object) -> None:
    assert topic_type(returned).name == "x"


@pytest.mark.parametrize("returned", WRONG, ids=str)
def test_what_can_not_be_one_is_refused(returned: object) -> None:
    with pytest.raises(TypeError, match="needs an async context manager"):
        topic_type(returned)
