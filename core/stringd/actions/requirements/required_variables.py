"""The variables that a page and its actions require, and the hints on how to set the missing ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from stringd.actions.environment.action_environment import Environment, unset_variable_refusal
from stringd.actions.requirements.used_secrets import used_secrets
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.files.open_directory import open_folder

_SETUP_FILE = re.compile(r"requirements?\.(?:md|txt)", re.IGNORECASE)


def missing_variable_hints(page: Page, environment: Environment) -> Iterator[str]:
    """Yield a line for each required `$NAME` or `{name}` that is not set, and one for the setup page."""
    missing = _missing(environment)
    for name in missing:
        yield f'[!] Missing required env: ${name} — /set ${name} = "..."'
    if missing:
        yield from (f"[!] {it}" for it in setup_hint(page))
    for name in page.sheet.parsed.declarations.required:
        if name not in environment.variables.all:
            yield f'[!] Missing variable: {{{name}}} — /set {{{name}}} = "..."'


def missing_for(action: Action, page: Page, environment: Environment) -> tuple[str, ...]:
    """Return the required `$NAME`s that an action uses and that are not set."""
    return tuple(used_secrets(action, _missing(environment), environment, page))


def require_variables(action: Action, page: Page, environment: Environment) -> None:
    """Refuse with `ENV_REQUIRED` when a required `$NAME` that the action uses is not set."""
    missing = next(iter(missing_for(action, page, environment)), None)
    if missing is not None:
        raise unset_variable_refusal(missing, environment, *setup_hint(page))


def setup_hint(page: Page) -> tuple[str, ...]:
    """Return the line that links the page's requirements file: a declared one, or one in its directory."""
    directives = page.sheet.parsed.directives
    declared = next((it.target for it in directives if it.kind == "requirements"), None)
    target = declared or _file_beside(page)
    return (f"Setup: /open {target}",) if target else ()


def _missing(environment: Environment) -> tuple[str, ...]:
    required = (it.name for it in environment.declared if it.required)
    return tuple(it for it in required if not environment.secrets.get(it))


def _file_beside(page: Page) -> str | None:
    if page.path is None:
        return None
    names: list[str] = []
    with suppress(OSError), open_folder(page.path.parent) as folder, folder.entries() as entries:
        names = sorted(it.name for it in entries if _SETUP_FILE.fullmatch(it.name))
    return next((it for it in names if it != page.path.name), None)
