"""Static checks of an app's documents and templates, which run nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from stringd.plugin import Package, Refusal
from stringd.plugin.actions import (
    TEMPLATE_SUFFIXES,
    TEMPLATES,
    ActionMethod,
    check_template,
    find_placeholders,
    flaws_of_calls,
    parameters_in,
    placeholder_names,
    secret_names,
)
from stringd.plugin.documents import (
    CALL,
    CLI,
    Action,
    Diagnostic,
    DiagnosticCode,
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
from stringd_app.declaration_checks import VARIABLE, check_modifiers, check_parameters, check_url
from stringd_app.entry_document import is_name, named_entry, read_entry
from stringd_app.unproved_values import unproved

Methods: TypeAlias = Callable[[], Collection[ActionMethod]]


class TemplateText(Struct, frozen=True, kw_only=True):
    """A template of an app: its text and role, and the number of lines above it in its file."""

    text: str
    role: str
    subject: str = ""
    above: int = 0

    def in_file(self, found: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return diagnostics of the template by the lines of its file."""
        return [replace(it, line=self.above + it.line) for it in found]


class CheckedFile(Struct, frozen=True, kw_only=True):
    """What is wrong with a document or template file, and the templates in it, which are not checked yet."""

    diagnostics: tuple[Diagnostic, ...] = ()
    templates: tuple[TemplateText, ...] = ()


def check_file(path: Path, root: Path, methods: Methods = tuple) -> list[Diagnostic]:
    """Return the diagnostics of a document or template in the order of its lines; `root` is the app."""
    checked = check_text(path, root, methods)
    found = list(checked.diagnostics)
    for it in checked.templates:
        found += it.in_file(check_template(it.text, it.role, it.subject))
    return sorted(found, key=lambda it: it.line)


def check_text(path: Path, root: Path, methods: Methods = tuple) -> CheckedFile:
    """Return the diagnostics of a document or template file that need no worker process.

    `methods` is called only for a document whose actions plugins carry out.
    """
    try:
        if path.name.endswith(TEMPLATE_SUFFIXES):
            template = TemplateText(text=read_text(path, path.name), role="response.j2")
            return CheckedFile(templates=(template,))
        return _check_document(path, root, methods)
    except Refusal as refusal:
        unreadable = Diagnostic(DiagnosticCode.DOCUMENT_UNREADABLE, 1, {"reason": refusal.message})
        return CheckedFile(diagnostics=(unreadable,))


def _check_document(path: Path, root: Path, methods: Methods) -> CheckedFile:
    page = _page(path, root)
    document = read_sheet(page.source)
    calls = [it for it in document.actions.actions.values() if it.method == CALL]
    found = (
        *page.diagnostics,
        *_check_name(document),
        *_check_variables(document),
        *_check_default(document, root),
        *(it for action in document.actions.actions.values() for it in _check_action(action, document, root)),
        *(it for action in document.actions.actions.values() for it in unproved(action)),
        *(flaws_of_calls(calls, root, methods()) if calls else ()),
        *_check_links(document, path, root),
    )
    return CheckedFile(
        diagnostics=tuple(sorted(found, key=lambda it: it.line)), templates=tuple(_template_texts(document))
    )


def _template_texts(document: ParsedDocument) -> Iterator[TemplateText]:
    for fence in document.parsed.fences:
        if fence.role:
            subject = f"act.{fence.id}.{fence.role}"
            yield TemplateText(text=fence.text, role=fence.role, subject=subject, above=fence.first + 1)


def _page(path: Path, root: Path) -> Page:
    package = Package("app", root)

    def read(target: str, author: Origin) -> Linked:
        found = locate(target, Path(author), package)
        return Linked(origin=found.path, block=found.block, text=read_if_there(found.path, target))

    return file_page(path, read_text(path, path.name), read)


def _check_name(document: ParsedDocument) -> Iterator[Diagnostic]:
    name = document.parsed.frontmatter.get("name")
    if name is not None and not is_name(str(name)):
        yield Diagnostic(DiagnosticCode.FRONTMATTER_NAME, 1, {"name": str(name), "usage": "app:name"})


def _check_variables(document: ParsedDocument) -> Iterator[Diagnostic]:
    for it in document.parsed.declarations.secrets:
        if not VARIABLE.fullmatch(it.name):
            yield Diagnostic(DiagnosticCode.FRONTMATTER_VARIABLE, 1, {"name": it.name})


def _check_default(document: ParsedDocument, root: Path) -> Iterator[Diagnostic]:
    name, actions = document.parsed.frontmatter.get("default"), document.actions.actions
    if not isinstance(name, str) or not name:
        return
    if name not in actions:
        # Python files in the directory may define actions too.
        if not any(root.glob("*.py")):
            known = ", ".join(actions) or "none is defined here"
            yield Diagnostic(DiagnosticCode.DEFAULT_UNKNOWN, 1, {"name": name, "known": known})
    elif missing := [it.name for it in actions[name].parameters if it.required and it.default is None]:
        arguments = {"name": name, "missing": ", ".join(missing)}
        yield Diagnostic(DiagnosticCode.DEFAULT_NEEDS_VALUES, 1, arguments)


def _check_action(action: Action, document: ParsedDocument, root: Path) -> Iterator[Diagnostic]:
    yield from check_parameters(action)
    yield from check_modifiers(action)
    if action.method == CLI:
        yield from _check_command(action, document, root)
    elif action.method != CALL:
        yield from check_url(action)
        yield from _check_request(action, document, root)


def _check_command(action: Action, document: ParsedDocument, root: Path) -> Iterator[Diagnostic]:
    names = {it.name for it in action.parameters}
    used = {slot.name for slot in find_placeholders(action.target, names)}
    used |= {name for text, role in _templates(action, document, root) for name in parameters_in(text, role)}
    for name in sorted(names - used):
        yield Diagnostic(
            DiagnosticCode.PARAMETER_UNUSED, action.line, {"name": name}, subject=f"act.{action.id}"
        )


def _templates(action: Action, document: ParsedDocument, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts and roles of an action's templates."""
    for (name, role), text in document.actions.templates.items():
        if name == action.id:
            yield text, role
    for suffix in TEMPLATE_SUFFIXES:
        path = root / TEMPLATES / f"{action.id}{suffix}"
        with suppress(Refusal):
            yield read_if_there(path, path.name) or "", "response.j2"


def _declared(document: ParsedDocument, root: Path) -> set[str]:
    """Return the `$NAME`s that a document or the entry document of its app declares."""
    declared = {it.name for it in document.parsed.declarations.secrets}
    with suppress(Refusal):
        entry = read_entry(named_entry(root))
        declared |= {it.name for it in entry.parsed.declarations.secrets}
    return declared


def _check_request(action: Action, document: ParsedDocument, root: Path) -> Iterator[Diagnostic]:
    subject = f"act.{action.id}"
    texts = (action.target, action.body or "", *(text for _, text in action.headers))
    declared = _declared(document, root)
    for name in dict.fromkeys(it for text in texts for it in secret_names(text) if it not in declared):
        yield Diagnostic(DiagnosticCode.SECRET_UNDECLARED, action.line, {"name": name}, subject)
    names = {it.name for it in action.parameters}
    for name in dict.fromkeys(it for text in texts for it in placeholder_names(text) if it not in names):
        if similar := nearest(name, names):
            arguments = {"name": name, "nearest": similar}
            yield Diagnostic(DiagnosticCode.PLACEHOLDER_UNKNOWN, action.line, arguments, subject)


def _check_links(document: ParsedDocument, path: Path, root: Path) -> Iterator[Diagnostic]:
    for link in document.parsed.links:
        target = unquote(link.target.partition("#")[0])
        if not target or is_uri(target) or target.startswith(("/", "~", "@", "{", "file:")):
            continue
        found = (path.parent / target).resolve()
        if not (found.is_relative_to(root) and found.exists()):
            line = document.parsed.lines.number_of(link.label_start) + 1
            yield Diagnostic(DiagnosticCode.LINK_BROKEN, line, {"target": link.target})
