"""Look up the action methods of plugins, and what they say of an action: its description and its flaws."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from stringd.actions.methods.action_method import ActionMethod
from stringd.api.runtime import Runtime
from stringd.documents.syntax.actions import CALL, Action
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import listed
from stringd.text.nearest import nearest
from stringd.workers.guarded_calls import call
from stringd.workers.threads import READING

log = logging.getLogger(__name__)

T = TypeVar("T")

_NONE = "none"


def method_of(name: str, runtime: Runtime) -> ActionMethod | None:
    """Return the action method of a plugin by its name."""
    return next((it for it in runtime.added(ActionMethod) if it.name == name), None)


def unknown_method_refusal(name: str, runtime: Runtime) -> Refusal:
    """Return the refusal of a call by a method that no loaded plugin has."""
    known = [it.name for it in runtime.added(ActionMethod)]
    suggestion = nearest(name, known)
    return Refusal(
        ErrorCode.INVALID_TARGET,
        f"No plugin carries out `CALL {name}`.",
        f"Load a plugin that does; these are loaded: {listed(known, 'stringd plugins lists them') or _NONE}",
        *([f"nearest: CALL {suggestion}"] if suggestion else []),
    )


async def description_of(action: Action, package: Path | None, runtime: Runtime) -> str:
    """Return what the method of an action adds to its schema; empty without one, or if it fails."""
    method = method_of(action.plugin_method, runtime) if action.method == CALL else None
    describe = method.describe if method else None
    if method is None or describe is None:
        return ""
    told = await READING.run(_contained, f"description of {method.name}", lambda: describe(action, package))
    return told if isinstance(told, str) else ""


async def call_flaws(
    actions: Mapping[str, Action], package: Path | None, runtime: Runtime
) -> Iterable[Diagnostic]:
    """Return the flaws of a page's actions as the methods of plugins see them."""
    calls = [it for it in actions.values() if it.method == CALL]
    if not calls:
        return ()
    return await READING.run(lambda: [*flaws_of_calls(calls, package, runtime.added(ActionMethod))])


def flaws_of_calls(
    actions: Iterable[Action], package: Path | None, methods: Collection[ActionMethod]
) -> Iterator[Diagnostic]:
    """Yield the flaws of those actions that plugins carry out, as their methods see them; it may block."""
    by_name = {it.name: it for it in methods}
    for action in actions:
        if action.method == CALL:
            yield from _flaws(action, package, by_name.get(action.plugin_method), by_name)


def _flaws(
    action: Action, package: Path | None, method: ActionMethod | None, known: Collection[str]
) -> Iterable[Diagnostic]:
    if method is None:
        arguments = {"method": action.plugin_method, "known": ", ".join(sorted(known)) or _NONE}
        subject = f"act.{action.id}"
        return [Diagnostic(DiagnosticCode.ACTION_CALL_UNKNOWN, action.line, arguments, subject=subject)]
    check = method.check
    if check is None:
        return []
    found = _contained(f"check of {method.name}", lambda: list(check(action, package))) or []
    return [it for it in found if isinstance(it, Diagnostic)]


def _contained(what: str, function: Callable[[], T]) -> T | None:
    """Return what a plugin's function returns; None if it fails, which is logged."""
    try:
        return call(function)
    except Exception:
        log.exception("the %s failed", what)
        return None
