"""Looks an app over without running it: each warning with its line and its remedy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from stringd.plugin import Package
from stringd.plugin.actions import (
    declared_variables,
    find_placeholders,
    placeholder_names,
    secret_names,
    template_flaws,
)
from stringd.plugin.documents import (
    CLI,
    Action,
    Linked,
    Origin,
    Page,
    ParsedDocument,
    file_page,
    is_uri,
    locate,
    read_if_there,
    read_sheet,
    read_text,
)
from stringd.plugin.text import nearest
from stringd_app.declarations import VARIABLE, unmeant_parameters, unmeant_places, unmeant_url
from stringd_app.entries import is_name
from stringd_app.findings import Finding
from stringd_app.proving import unproved
from stringd_app.remedies import remedy_of


def check_document(path: Path, root: Path) -> list[Finding]:
    """Return the warnings about a document, by its lines; its app's directory is `root`."""
    page = _page(path, root)
    sheet = read_sheet(page.source)
    findings = [
        *(Finding(line=it.line, message=it.message, remedy=remedy_of(it.message)) for it in page.flaws),
        *_name(sheet),
        *_variables(sheet),
        *_default(sheet, root),
        *_templates(sheet),
        *(it for action in sheet.actions.actions.values() for it in _action(action, sheet)),
        *(it for action in sheet.actions.actions.values() for it in unproved(action)),
        *_links(sheet, path, root),
    ]
    return sorted(findings, key=lambda it: it.line)


def check_template(path: Path) -> list[Finding]:
    """Return the warnings about a file of `templates/`."""
    flaws = template_flaws(read_text(path, path.name), "response.j2")
    return [Finding(line=it.line, message=it.message, remedy=_TEMPLATE) for it in flaws]


_TEMPLATE = "Correct the template; the reference of actions shows both languages."


def _page(path: Path, root: Path) -> Page:
    package = Package("app", root)

    def read(target: str, author: Origin) -> Linked:
        found = locate(target, Path(author), package)
        return Linked(origin=found.path, block=found.block, text=read_if_there(found.path, target))

    return file_page(path, read_text(path, path.name), read)


def _name(sheet: ParsedDocument) -> Iterator[Finding]:
    name = sheet.parsed.frontmatter.get("name")
    if name is not None and not is_name(str(name)):
        remedy = "Use letters, digits, _ and -; `title:` takes any text."
        yield Finding(line=1, message=f"name: {name} can't be typed as app:name", remedy=remedy)


def _variables(sheet: ParsedDocument) -> Iterator[Finding]:
    for it in declared_variables(sheet.parsed.frontmatter):
        if not VARIABLE.fullmatch(it.name):
            message = f"${it.name} can't be set, so that no action ever runs"
            yield Finding(line=1, message=message, remedy="A $NAME is letters, digits and _.")


def _default(sheet: ParsedDocument, root: Path) -> Iterator[Finding]:
    name, actions = sheet.parsed.frontmatter.get("default"), sheet.actions.actions
    if not isinstance(name, str) or not name:
        return
    if name not in actions:
        # Beside code there may be actions that are coded.
        if not any(root.glob("*.py")):
            known = ", ".join(actions) or "none is defined here"
            message = f"default: {name} is no action of this page"
            yield Finding(line=1, message=message, remedy=f"Name one of: {known}.")
    elif missing := [it.name for it in actions[name].parameters if it.required and it.default is None]:
        message = f"default: {name} never runs by itself: it requires {', '.join(missing)}"
        yield Finding(line=1, message=message, remedy="Give these parameters defaults, or remove `default:`.")


def _templates(sheet: ParsedDocument) -> Iterator[Finding]:
    for fence in sheet.parsed.fences:
        for flaw in template_flaws(fence.text, fence.role) if fence.role else ():
            message = f"act.{fence.id}.{fence.role}: {flaw.message}"
            yield Finding(line=fence.first + 1 + flaw.line, message=message, remedy=_TEMPLATE)


def _action(action: Action, sheet: ParsedDocument) -> Iterator[Finding]:
    check = _command if action.method == CLI else _request
    for message, remedy in (*unmeant_parameters(action), *unmeant_places(action), *check(action, sheet)):
        yield Finding(line=action.line, message=f"act.{action.id}: {message}", remedy=remedy)


def _command(action: Action, _: ParsedDocument) -> Iterator[tuple[str, str]]:
    names = {it.name for it in action.parameters}
    used = {slot.name for slot in find_placeholders(action.target, names)}
    for name in sorted(names - used):
        yield f"{name} is declared, but the command has no {{{name}}}", f"Write {{{name}}} where it belongs."


def _request(action: Action, sheet: ParsedDocument) -> Iterator[tuple[str, str]]:
    yield from unmeant_url(action)
    texts = (action.target, action.body or "", *(text for _, text in action.headers))
    declared = {it.name for it in declared_variables(sheet.parsed.frontmatter)}
    for name in dict.fromkeys(it for text in texts for it in secret_names(text) if it not in declared):
        yield (
            f"${name} is declared nowhere",
            f"Add it to `requires:` or `env:`, or write \\${name} for the text.",
        )
    names = {it.name for it in action.parameters}
    for name in dict.fromkeys(it for text in texts for it in placeholder_names(text) if it not in names):
        if meant := nearest(name, names):
            yield f"{{{name}}} is no parameter", f"Did you mean {{{meant}}}? Else it is the topic's variable."


def _links(sheet: ParsedDocument, path: Path, root: Path) -> Iterator[Finding]:
    for link in sheet.parsed.links:
        target = unquote(link.target.partition("#")[0])
        if not target or is_uri(target) or target.startswith(("/", "~", "@", "{", "file:")):
            continue
        found = (path.parent / target).resolve()
        if not (found.is_relative_to(root) and found.exists()):
            line = sheet.parsed.lines.number_of(link.label_start) + 1
            remedy = "Let it lead to a file of the app, relative to this page."
            yield Finding(line=line, message=f"{link.target} leads nowhere", remedy=remedy)
