"""Which of the `$NAME`s that a document declares an action uses, as far as its texts tell."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from stringd.actions.environment.action_environment import Environment
from stringd.actions.values.secret_taint import secret_names
from stringd.documents.pages.page import Page
from stringd.documents.paths.file_failures import LIMIT
from stringd.documents.paths.resolving import inside
from stringd.documents.paths.text_files import read_text
from stringd.documents.syntax.actions import CALL, CLI, Action
from stringd.errors import Refusal

_EXECUTABLE = 0o111
_IN_SHELL = re.compile(r"\$\{?[!#]?(?P<name>[A-Za-z_]\w*)", re.ASCII)


def used_secrets(action: Action, names: Sequence[str], environment: Environment, page: Page) -> Iterator[str]:
    """Yield those of the declared names that an action uses.

    Actions coded in Python, plugins, and programs of the app that are no readable text, may use all of them.
    """
    if action.id in environment.functions or action.method == CALL:
        yield from names
    elif action.method == CLI:
        folder = environment.package or (page.path and page.path.parent)
        programs = _programs(action, folder) if names and folder else ()
        in_command = {found["name"] for found in _IN_SHELL.finditer(action.target)}
        yield from (it for it in names if it in in_command or any(_mentions(text, it) for text in programs))
    else:
        texts = (action.target, action.body or "", *(text for _, text in action.headers))
        in_request = {name for text in texts for name in secret_names(text)}
        yield from (it for it in names if it in in_request)


def _programs(action: Action, folder: Path) -> Sequence[str | None]:
    """Return the texts of the app's files in a command, with None for a program that is no readable text."""
    # The daemon starts sooner without the analysis of command lines.
    from stringd.actions.shell.analysed_command import analyse_command

    files = analyse_command(action.target, action.parameters).files
    return [_text_of(it, folder) for it in files]


def _text_of(path: str, folder: Path) -> str | None:
    try:
        return read_text(inside(folder, path), path)
    except Refusal:
        return None if _may_be_program(folder / path) else ""


def _may_be_program(file: Path) -> bool:
    """Return whether a file that can't be read as text may run: a long script, or a binary program."""
    try:
        status = file.stat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and (status.st_size > LIMIT or bool(status.st_mode & _EXECUTABLE))


def _mentions(text: str | None, name: str) -> bool:
    return text is None or re.search(rf"\b{re.escape(name)}\b", text) is not None
