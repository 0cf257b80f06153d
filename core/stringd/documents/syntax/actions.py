"""The actions of a document, as its `act.ID` fences declare them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct

from stringd.documents.syntax.action_reader import CALL, CLI, HTTP_METHODS, Action, ActionReader
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.parameters import Parameter
from stringd.documents.syntax.parser import Fence
from stringd.text.formatting import listed

__all__ = ["CALL", "CLI", "HTTP_METHODS", "Action", "ActionBook", "Parameter", "call_hint", "parse_actions"]

Key = TypeVar("Key")
Value = TypeVar("Value")


class ActionBook(Struct, frozen=True, kw_only=True):
    """The actions of a page in their order, their templates by action and role, and the diagnostics."""

    actions: Mapping[str, Action]
    templates: Mapping[tuple[str, str], str]
    diagnostics: tuple[Diagnostic, ...] = ()


def parse_actions(fences: Iterable[Fence]) -> ActionBook:
    """Read the fences of a page; what can't be read becomes a diagnostic."""
    actions: dict[str, Action] = {}
    templates: dict[tuple[str, str], Fence] = {}
    diagnostics: list[Diagnostic] = []
    for fence in fences:
        if fence.role is not None:
            _add(templates, (fence.id, fence.role), fence, fence, diagnostics)
        elif action := ActionReader(fence, diagnostics).action():
            _add(actions, fence.id, action, fence, diagnostics)
    orphans = (it for it in templates.values() if it.id not in actions)
    diagnostics.extend(_orphan(it) for it in orphans)
    return ActionBook(
        actions=actions,
        templates={key: it.text for key, it in templates.items() if it.id in actions},
        diagnostics=tuple(sorted(diagnostics, key=lambda it: it.line)),
    )


def call_hint(actions: Iterable[Action]) -> str | None:
    """Return the line that lists the calls of the actions with their required flags; None without actions."""
    calls = listed([*map(_call, actions)], "/act lists them", between=" | ")
    return f"[actions] {calls}" if calls else None


def _call(action: Action) -> str:
    flags = (f"--{it.name} <{it.type}>" for it in action.parameters if it.required)
    return " ".join((f"/act.{action.id}", *flags))


def _add(
    known: dict[Key, Value], key: Key, value: Value, fence: Fence, diagnostics: list[Diagnostic]
) -> None:
    if key in known:
        name = f"{fence.id}.{fence.role}" if fence.role else fence.id
        diagnostics.append(Diagnostic(DiagnosticCode.ACTION_REPEATED, fence.first + 1, {"name": name}))
    else:
        known[key] = value


def _orphan(fence: Fence) -> Diagnostic:
    arguments = {"id": fence.id, "role": fence.role or ""}
    return Diagnostic(DiagnosticCode.TEMPLATE_ORPHANED, fence.first + 1, arguments)
