"""Prompts that plugins offer to agents and people: texts to begin a conversation with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from stringd.api.checks import check_async, check_word
from stringd.api.users import User
from stringd.frozen_record import FrozenRecord


class PromptArgument(FrozenRecord, frozen=True, kw_only=True):
    """An argument of a prompt."""

    name: str
    summary: str = ""
    required: bool = False


class Prompt(FrozenRecord, frozen=True, kw_only=True):
    """A prompt of a user: its name is unique within its source."""

    name: str
    summary: str = ""
    arguments: tuple[PromptArgument, ...] = ()


ListPrompts: TypeAlias = Callable[[User], Awaitable[Sequence[Prompt]]]
WritePrompt: TypeAlias = Callable[[User, Prompt, Mapping[str, str]], Awaitable[str]]


class PromptSource(FrozenRecord, frozen=True, kw_only=True):
    """Where prompts of one kind come from; clients see them as `source.name`.

    `listed` returns the prompts that a user has now, and `write` the text of one of them. Its arguments are
    complete and known; it may raise a `Refusal`.
    """

    name: str
    listed: ListPrompts
    write: WritePrompt

    def __post_init__(self) -> None:
        check_word("prompt source", self.name)
        check_async(f"listed of prompt source {self.name}", self.listed, takes=1)
        check_async(f"write of prompt source {self.name}", self.write, takes=3)
