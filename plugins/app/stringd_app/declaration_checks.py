"""Checks of declarations that are valid line by line, but can't work as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stringd.plugin.actions import expectation, find_placeholders, fits
from stringd.plugin.documents import Action, Diagnostic, DiagnosticCode, Parameter

VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WHOLE_URL = re.compile(r"https?://|\$[A-Za-z_]", re.IGNORECASE)
_MODIFIED = re.compile(r"(?<![{$])\{(?P<name>[^\W\d][\w-]*)(?:\[\d+\])?(?:\|[\w-]*)+\}")
# A default with one of these characters is evaluated only when the action is called.
_EVALUATED = frozenset("{<$@\\")


def check_parameters(action: Action) -> Iterator[Diagnostic]:
    """Yield the parameters whose constraints no value can meet, or not the default."""
    for it in action.parameters:
        if it.minimum is not None and it.maximum is not None and it.minimum > it.maximum:
            yield _about(action, DiagnosticCode.PARAMETER_BOUNDS, name=it.name)
        elif it.default and not _EVALUATED & set(it.default) and not fits(it, it.default):
            yield _misfit(action, it, it.default)


def _misfit(action: Action, parameter: Parameter, default: str) -> Diagnostic:
    return _about(
        action,
        DiagnosticCode.PARAMETER_DEFAULT,
        name=parameter.name,
        expected=expectation(parameter),
        default=default,
    )


def check_modifiers(action: Action) -> Iterator[Diagnostic]:
    """Yield the placeholders that are not replaced because of an unknown modifier."""
    names = {it.name for it in action.parameters}
    for text in (action.target, action.body or "", *(text for _, text in action.headers)):
        known = {slot.start for slot in find_placeholders(text, names)}
        for found in _MODIFIED.finditer(text):
            if found["name"] in names and found.start() not in known:
                yield _about(action, DiagnosticCode.PLACEHOLDER_MODIFIER, placeholder=found[0])


def check_url(action: Action) -> Iterator[Diagnostic]:
    """Yield the URL if no value can complete it: a parameter never fills in its beginning."""
    if not _WHOLE_URL.match(action.target):
        yield _about(action, DiagnosticCode.ACTION_URL, url=action.target)


def _about(action: Action, code: DiagnosticCode, **arguments: str) -> Diagnostic:
    return Diagnostic(code, action.line, arguments, subject=f"act.{action.id}")
