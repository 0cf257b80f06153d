"""Refuses an app whose command lines might evaluate a value of a call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stringd.plugin import Refusal
from stringd.plugin.actions import analyse_command
from stringd.plugin.documents import CLI, Action, read_sheet, read_text
from stringd.plugin.text import counted
from stringd_app.findings import Finding

_SHOWN = 20


def unproved(action: Action) -> Iterator[Finding]:
    """Yield the places of which it can't be proved that their values stay data, by their lines."""
    if action.method != CLI:
        return
    for it in analyse_command(action.target, action.parameters).findings:
        message = f"act.{action.id}: {it.message}"
        # The command begins on the line below that of its fence.
        yield Finding(line=action.line + 1 + it.line, message=message, remedy=it.remedy)


def refuse_unproved(directory: Path) -> None:
    """Refuse an app that has such places; nothing of it runs."""
    found = [(file, it) for file in sorted(directory.rglob("*.md")) for it in _unproved_in(file)]
    if not found:
        return
    told = [f"{file.relative_to(directory)}:{it.line}: {it.message}. {it.remedy}" for file, it in found]
    more = [f"… and {len(told) - _SHOWN} more; stringd check lists all."] if len(told) > _SHOWN else []
    parts = counted(len(found), "place")
    message = (
        f"It can't be proved that the values of this app's actions stay data: {parts}, nothing is installed."
    )
    raise Refusal("INVALID_TARGET", message, *told[:_SHOWN], *more)


def _unproved_in(file: Path) -> Iterator[Finding]:
    try:
        sheet = read_sheet(read_text(file, file.name))
    except Refusal:
        # What can't be read can't be opened either.
        return
    for action in sheet.actions.actions.values():
        yield from unproved(action)
