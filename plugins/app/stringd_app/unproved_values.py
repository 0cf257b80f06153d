"""Refusal of apps whose command lines might evaluate a value of a call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.actions import analyse_command
from stringd.plugin.documents import CLI, Action, Diagnostic, DiagnosticCode, read_sheet, read_text
from stringd.plugin.text import counted

_SHOWN = 20


def unproved(action: Action) -> Iterator[Diagnostic]:
    """Yield the places in a command line whose values are not proved to stay data."""
    if action.method != CLI:
        return
    for it in analyse_command(action.target, action.parameters).findings:
        arguments = {"reason": it.message, "remedy": it.remedy}
        # The command begins on the line below that of its fence.
        line = action.line + 1 + it.line
        yield Diagnostic(DiagnosticCode.VALUE_UNPROVED, line, arguments, subject=f"act.{action.id}")


def refuse_unproved(directory: Path) -> None:
    """Refuse to install an app that has such places."""
    found = [(file, it) for file in sorted(directory.rglob("*.md")) for it in _unproved_in(file)]
    if not found:
        return
    places = counted(len(found), "place")
    lines = [f"{file.relative_to(directory)}:{it.line}: {it.message}. {it.remedy}" for file, it in found]
    more = [f"… and {len(lines) - _SHOWN} more; stringd check lists all."] if len(lines) > _SHOWN else []
    message = (
        f"It can't be proved that the values of this app's actions stay data: {places}, nothing is installed."
    )
    raise Refusal(ErrorCode.INVALID_TARGET, message, *lines[:_SHOWN], *more)


def _unproved_in(file: Path) -> Iterator[Diagnostic]:
    try:
        document = read_sheet(read_text(file, file.name))
    except Refusal:
        # A file that can't be read can't be opened either.
        return
    for action in document.actions.actions.values():
        yield from unproved(action)
