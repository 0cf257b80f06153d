"""Tools that plugins offer to agents beside topics, whatever protocol an agent speaks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from stringd.api.checks import check_async, check_optional_text, check_word
from stringd.api.replies import Reply
from stringd.api.users import User
from stringd.frozen_record import FrozenRecord


class ToolCall(FrozenRecord, frozen=True, kw_only=True):
    """One call of a tool: the arguments as they were sent, and on whose behalf.

    `client` is what the program that calls says it is; `request_id` is in the events of the call.
    `disconnected` returns when the caller has gone or takes the call back.
    """

    user: User
    arguments: Mapping[str, Any]
    client: str = ""
    request_id: str | None = None
    disconnected: Callable[[], Awaitable[None]] | None = None


RunTool: TypeAlias = Callable[[ToolCall], Awaitable[Reply]]


class Tool(FrozenRecord, frozen=True, kw_only=True):
    """A tool: `parameters` is the JSON Schema of the arguments, an object, which `run` must check itself.

    Every agent pays for the description and the schema in each conversation: keep both short.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: RunTool

    def __post_init__(self) -> None:
        check_word("tool", self.name)
        check_optional_text(f"tool {self.name}", self.description)
        check_async(f"run of tool {self.name}", self.run, takes=1)
        if self.parameters.get("type") != "object":
            raise ValueError(f"tool {self.name} needs the schema of an object as its parameters")
