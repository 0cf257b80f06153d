"""The actions of a document as data: what its `act.ID` fences declare, read but not run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from stringd.documents.syntax.action_reader import CLI, HTTP_METHODS, Action, Reader, flaw_of
from stringd.documents.syntax.blocks import Flaw
from stringd.documents.syntax.parameters import Parameter
from stringd.documents.syntax.parser import Fence
from stringd.text.listing import listed

__all__ = ["CLI", "HTTP_METHODS", "Action", "ActionBook", "Parameter", "hint", "parse_actions"]

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionBook:
    """A page's actions in their order, the templates by action and role, and what could not be read."""

    actions: Mapping[str, Action]
    templates: Mapping[tuple[str, str], str]
    warnings: tuple[Flaw, ...]


def parse_actions(fences: Iterable[Fence]) -> ActionBook:
    """Read the fences of a page. No fence is an error: what fits nothing becomes a warning."""
    actions: dict[str, Action] = {}
    templates: dict[tuple[str, str], Fence] = {}
    warnings: list[Flaw] = []
    for fence in fences:
        if fence.role is not None:
            _add(templates, (fence.id, fence.role), fence, fence, warnings)
        elif action := Reader(fence, warnings).action():
            _add(actions, fence.id, action, fence, warnings)
    orphans = (it for it in templates.values() if it.id not in actions)
    warnings.extend(flaw_of(it, f"act.{it.id}.{it.role} belongs to no action") for it in orphans)
    return ActionBook(
        actions=actions,
        templates={place: it.text for place, it in templates.items() if it.id in actions},
        warnings=tuple(sorted(warnings, key=lambda it: it.line)),
    )


def hint(actions: Iterable[Action]) -> str | None:
    """Return the line that tells how to call the actions, each with what it requires; None without any."""
    calls = listed([*map(_call, actions)], "/act lists them", between=" | ")
    return f"[actions] {calls}" if calls else None


def _call(action: Action) -> str:
    flags = (f"--{it.name} <{it.type}>" for it in action.parameters if it.required)
    return " ".join((f"/act.{action.id}", *flags))


def _add(known: dict[Key, Value], key: Key, value: Value, fence: Fence, warnings: list[Flaw]) -> None:
    if key in known:
        role = f".{fence.role}" if fence.role else ""
        warnings.append(flaw_of(fence, f"act.{fence.id}{role} exists already"))
    else:
        known[key] = value
