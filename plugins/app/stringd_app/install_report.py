"""What `/install` reports of an app: what its actions run, which hosts they talk to, and its flaws."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from stringd.plugin import Invocation, Refusal
from stringd.plugin.actions import ActionMethod, analyse_command
from stringd.plugin.documents import CALL, CLI, Action, Diagnostic, read_if_there, read_sheet, read_text
from stringd.plugin.files import real_path
from stringd.plugin.text import counted, printable
from stringd.plugin.workers import READING
from stringd_app.app_sources import SourceApp
from stringd_app.entry_document import app_texts

_HOST = re.compile(r"https?://(?P<host>[^\s/?#'\"`;|&<>()\\]+)", re.IGNORECASE)
_END_OF_HOST = re.compile(r"[/?#]")
_MOST_LINES = 20
_MOST_FILES = 500
_LONGEST = 120


async def app_lines(
    directory: Path, made: SourceApp | None, missing: Sequence[str], invocation: Invocation
) -> list[str]:
    """Return the lines that describe an installed app, each part shortened to what is readable.

    A plugin that `made` the app knows more of it. `missing` are the files that its pages name and that its
    web site does not have.
    """
    files = await READING.run(app_texts, directory)
    actions = await READING.run(_actions, files[:_MOST_FILES])
    flaws = await _flaws(files[:_MOST_FILES], directory, invocation)
    commands = [f"act.{it.id}: {_in_line(it.target)}" for it in actions if it.method == CLI]
    hosts = await READING.run(_hosts, actions, directory)
    notes: Sequence[str] = ()
    if made:
        commands = [*map(printable, made.runs), *commands]
        hosts = [*dict.fromkeys((*map(printable, made.hosts), *hosts))]
        notes = [*map(printable, made.notes)]
    left = len(files) - _MOST_FILES
    return [
        *_part(f"runs: {counted(len(commands), 'command')}", commands),
        *_part("talks to:", hosts),
        *notes[:_MOST_LINES],
        *_part("missing on the site:", [*map(printable, missing)]),
        *_part(f"warnings: {len(flaws)}", flaws),
        *([f"not checked: {counted(left, 'file')}, see stringd check"] if left > 0 else []),
    ]


def _part(heading: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield heading
    yield from (f"- {it}" for it in lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        yield f"- … and {len(lines) - _MOST_LINES} more"


def _actions(files: Iterable[Path]) -> list[Action]:
    """Return the actions of all documents that can be read."""
    return [it for file in files if file.suffix == ".md" for it in _actions_of(file)]


def _actions_of(file: Path) -> Iterable[Action]:
    try:
        return read_sheet(read_text(file, file.name)).actions.actions.values()
    except Refusal:
        return ()


def _in_line(command: str) -> str:
    """Return the beginning of a command in one line."""
    text = printable(" ".join(command.split()))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _hosts(actions: Iterable[Action], directory: Path) -> list[str]:
    """Return each host that a URL, a command or a program of the app names."""
    found = dict.fromkeys(host for it in actions for host in _hosts_of(it, directory))
    return [printable(it.rpartition("@")[2]) for it in found]


def _hosts_of(action: Action, directory: Path) -> Iterator[str]:
    if action.method == CALL:
        # The plugin knows them; the source of the app tells which.
        return
    if action.method != CLI:
        first = _HOST.match(action.target)
        # A URL may begin with a `$NAME` that holds its host.
        yield first["host"] if first else _END_OF_HOST.split(action.target)[0]
        return
    files = analyse_command(action.target, action.parameters).files
    for text in (action.target, *(_program_text(directory, it) for it in files)):
        yield from (it["host"] for it in _HOST.finditer(text))


def _program_text(directory: Path, name: str) -> str:
    """Return the text of a program of the app; empty if it is none."""
    path = real_path(directory / name)
    try:
        return (read_if_there(path, name) or "") if path.is_relative_to(directory) else ""
    except Refusal:
        return ""


async def _flaws(files: Sequence[Path], directory: Path, invocation: Invocation) -> list[str]:
    """Return what `stringd check` finds; templates are compiled in the worker processes of the daemon."""
    # These imports load Jinja2, which the daemon does not need at startup.
    from stringd.plugin.actions import check_template_in
    from stringd_app.app_checks import check_text

    session, workers = invocation.session, invocation.runtime.template_workers
    owner = f"{session.user.id}:{session.name}"
    methods = partial(invocation.runtime.added, ActionMethod)
    flaws = []
    for file in files:
        checked = await READING.run(check_text, file, directory, methods)
        found = list(checked.diagnostics)
        for it in checked.templates:
            found += it.in_file(await check_template_in(workers, owner, it.text, it.role, it.subject))
        in_order = sorted(found, key=lambda it: it.line)
        flaws += [_flaw(file.relative_to(directory), it) for it in in_order]
    return flaws


def _flaw(file: Path, diagnostic: Diagnostic) -> str:
    where = f"{file}:{diagnostic.line}: {diagnostic.message}"
    return f"{printable(where)}\n  {printable(diagnostic.remedy)}"
