"""The variables that a document declares: the `$NAME`s it needs and the `{names}` it exports to programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from stringd.text.web_urls import origin_of

_BRACED = re.compile(r"\{(?P<name>[\w-]+)\}")
_FALSE = frozenset({"false", "no", "off"})


class DeclaredVariable(Struct, frozen=True, kw_only=True):
    """A `$NAME` that a document needs, or has a default for."""

    name: str
    description: str = ""
    required: bool = True
    secret: bool = True
    default: str = ""
    site: str | None = None
    """The origin to which forms of web pages may send it."""


class Declarations(Struct, frozen=True, kw_only=True):
    """What a document declares: its `$NAME`s, the variables that it requires, and those that it exports.

    `json_as_markdown` is whether answers in JSON are shown as Markdown where no template shows them.
    """

    secrets: tuple[DeclaredVariable, ...] = ()
    required: tuple[str, ...] = ()
    exported: frozenset[str] = frozenset()
    json_as_markdown: bool = False


NOTHING_DECLARED = Declarations()


def read_declarations(frontmatter: Mapping[str, Any]) -> Declarations:
    """Return what a document with this frontmatter declares."""
    if not frontmatter:
        return NOTHING_DECLARED
    return Declarations(
        secrets=declared_variables(frontmatter),
        required=required_names(frontmatter),
        exported=exported_names(frontmatter),
        json_as_markdown=frontmatter.get("answers") == "markdown",
    )


def declared_variables(frontmatter: Mapping[str, Any]) -> tuple[DeclaredVariable, ...]:
    """Return the declared `$NAME`s, each once; an `env:` entry takes precedence over a `requires:` entry."""
    entries = (*_entries(frontmatter.get("env")), *_entries(frontmatter.get("requires")))
    found: dict[str, DeclaredVariable] = {}
    for entry in entries:
        found.setdefault(entry.name, entry)
    return tuple(found.values())


def required_names(frontmatter: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the variables of the topic that `requires:` names, as `{name}`."""
    entries = frontmatter.get("requires", ())
    names = map(_braced, entries if isinstance(entries, list) else [entries])
    return tuple(dict.fromkeys(filter(None, names)))


def exported_names(frontmatter: Mapping[str, Any]) -> frozenset[str]:
    """Return the variables that programs get in their environment once the document's templates set them."""
    exported = frontmatter.get("export", ())
    names = exported if isinstance(exported, list) else [exported]
    return frozenset(it.strip().strip("{}") for it in names if isinstance(it, str))


def _entries(value: object) -> Iterator[DeclaredVariable]:
    """Read a name, a list of names or of mappings with a `name`, or a mapping of names."""
    if isinstance(value, Mapping):
        value = [{"name": name, **_properties(entry)} for name, entry in value.items()]
    for entry in value if isinstance(value, list) else [value]:
        properties = entry if isinstance(entry, Mapping) else {"name": entry}
        name = properties.get("name")
        if isinstance(name, str) and name.strip("$ ") and _braced(name) is None:
            default = str(properties.get("default", ""))
            yield DeclaredVariable(
                name=name.strip().removeprefix("$"),
                description=str(properties.get("description", "")).strip(),
                required=not default and _is_true(properties.get("required")),
                secret=_is_true(properties.get("secret")),
                default=default,
                site=origin_of(str(properties.get("site", ""))),
            )


def _braced(entry: object) -> str | None:
    """Return the name in `{name}`, which YAML reads as a mapping unless it is in quotes."""
    if isinstance(entry, Mapping) and [it or None for it in entry.values()] == [None]:
        return str(next(iter(entry)))
    found = _BRACED.fullmatch(entry.strip()) if isinstance(entry, str) else None
    return found["name"] if found else None


def _properties(entry: object) -> Mapping[str, Any]:
    return entry if isinstance(entry, Mapping) else {"description": entry or ""}


def _is_true(value: object) -> bool:
    return str(value).strip().lower() not in _FALSE
