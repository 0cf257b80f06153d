"""What a page's actions need before they can run, and where it says how to get it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from stringd.actions.action_environment import Environment
from stringd.documents.pages.page import Page
from stringd.errors import Refusal
from stringd.files.open_directory import open_folder

_SETUP_FILE = re.compile(r"requirements?\.(?:md|txt)", re.IGNORECASE)


def missing_hints(page: Page, environment: Environment) -> Iterator[str]:
    """Yield a line for each `$NAME` that has to be set first, and one for the page that tells how."""
    missing = list(_missing(environment))
    for name in missing:
        yield f'[!] Missing required env: ${name} — /set ${name} = "..."'
    if missing:
        yield from (f"[!] {it}" for it in setup_pointer(page))


def require_variables(page: Page, environment: Environment) -> None:
    """Refuse with `ENV_REQUIRED` when a `$NAME` is not set that the document says it needs."""
    missing = next(_missing(environment), None)
    if missing is not None:
        raise unset_secret(missing, environment, *setup_pointer(page))


def unset_secret(name: str, environment: Environment, *context: str) -> Refusal:
    """Return the refusal of an action that needs a `$NAME` which is not set."""
    told = next((it.description for it in environment.declared if it.name == name), "")
    message = f"${name} is not set: {told}" if told else f"${name} is not set."
    return Refusal("ENV_REQUIRED", message, _how_to_set(name, environment), *context)


def _how_to_set(name: str, environment: Environment) -> str:
    if not environment.trusted:
        return "Documents from the network are given none: /install URL, then /open app:name"
    where = f" in {environment.lifetime}" if environment.lifetime else ""
    return f'Set it: /set ${name} = "..."{where}'


def setup_pointer(page: Page) -> tuple[str, ...]:
    """Return the line that leads to the page's requirements: those that it names, or that lie beside it."""
    directives = page.sheet.parsed.directives
    target = next((it.target for it in directives if it.kind == "requirements"), None) or _beside(page)
    return (f"Setup: /open {target}",) if target else ()


def _missing(environment: Environment) -> Iterator[str]:
    return (it.name for it in environment.declared if it.required and not environment.secrets.get(it.name))


def _beside(page: Page) -> str | None:
    if page.path is None:
        return None
    names: list[str] = []
    with suppress(OSError), open_folder(page.path.parent) as folder, folder.entries() as entries:
        names = sorted(it.name for it in entries if _SETUP_FILE.fullmatch(it.name))
    return next((it for it in names if it != page.path.name), None)
