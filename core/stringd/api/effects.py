"""What commands are about to do outside of stringd, and guards that may refuse it.

A command announces each effect with `permit` just before it: the text that will run, or the file that will
be written. So a guard knows more than the command line says: the action that runs when a page is opened, or
the file that an edit of a page with includes changes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TypeAlias

from msgspec import field

from stringd.frozen_record import FrozenRecord


class ShellRun(FrozenRecord, frozen=True, kw_only=True):
    """A shell is about to evaluate a text in a directory.

    `values` are those of the variables that the topic adds to the environment; secrets in them are masked.
    """

    text: str
    directory: Path
    values: Mapping[str, str] = field(default_factory=dict)


class TypedInput(FrozenRecord, frozen=True, kw_only=True):
    """A running program is about to be sent a text or keys, as they are shown: secrets are masked."""

    text: str


class FileChange(FrozenRecord, frozen=True, kw_only=True):
    """The file at a real path is about to be written or removed."""

    path: Path


Effect: TypeAlias = ShellRun | TypedInput | FileChange
EffectGuard: TypeAlias = Callable[[Effect], Awaitable[None]]
"""Returns if a command may have an effect, and raises `Refusal` if not; it may take long."""

_guards: ContextVar[tuple[EffectGuard, ...]] = ContextVar("guards", default=())


@contextmanager
def guarded(guard: EffectGuard) -> Iterator[None]:
    """Have a guard asked about all effects of what runs in this context, after the guards around it."""
    token = _guards.set((*_guards.get(), guard))
    try:
        yield
    finally:
        _guards.reset(token)


async def permit(effect: Effect) -> None:
    """Return if all guards permit an effect, and raise the `Refusal` of the first that does not."""
    for guard in _guards.get():
        await guard(effect)
