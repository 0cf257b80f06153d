"""Which of the `$NAME`s that a document declares an action uses, as far as its texts tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from stringd.actions.environment.action_environment import Environment
from stringd.actions.values.secret_taint import secret_names
from stringd.documents.paths.resolving import inside
from stringd.documents.paths.text_files import read_if_there
from stringd.documents.syntax.actions import CALL, CLI, Action
from stringd.errors import Refusal

_IN_SHELL = re.compile(r"\$\{?[!#]?(?P<name>[A-Za-z_]\w*)", re.ASCII)


def used_secrets(action: Action, names: Sequence[str], environment: Environment) -> Iterator[str]:
    """Yield those of the declared names that an action uses.

    Actions coded in Python, plugins, and programs of the app whose text can't be read, may use all of them.
    """
    if action.id in environment.functions or action.method == CALL:
        yield from names
    elif action.method == CLI:
        programs = _programs(action, environment.package) if names else ()
        in_command = {found["name"] for found in _IN_SHELL.finditer(action.target)}
        yield from (it for it in names if it in in_command or any(_mentions(text, it) for text in programs))
    else:
        texts = (action.target, action.body or "", *(text for _, text in action.headers))
        in_request = {name for text in texts for name in secret_names(text)}
        yield from (it for it in names if it in in_request)


def _programs(action: Action, package: Path | None) -> Sequence[str | None]:
    """Return the texts of the app's files in a command, with None for one that can't be read."""
    # The daemon starts sooner without the analysis of command lines.
    from stringd.actions.shell.analysed_command import analyse_command

    files = analyse_command(action.target, action.parameters).files
    return [_text_of(it, package) for it in files]


def _text_of(path: str, package: Path | None) -> str | None:
    try:
        return None if package is None else read_if_there(inside(package, path), path)
    except Refusal:
        return None


def _mentions(text: str | None, name: str) -> bool:
    return text is None or re.search(rf"\b{re.escape(name)}\b", text) is not None
