"""What a document says of variables: which `$NAME`s it needs, and which `{names}` programs should get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_NO = frozenset({"false", "no", "off"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredVariable:
    """A `$NAME` that a document says it needs, or has a value of its own for."""

    name: str
    description: str = ""
    required: bool = True
    secret: bool = True
    default: str = ""


def declared_variables(frontmatter: Mapping[str, Any]) -> tuple[DeclaredVariable, ...]:
    """Return what a document needs, each name once; an entry of `env:` says more than one of `requires:`."""
    if not frontmatter:
        return ()
    entries = (*_entries(frontmatter.get("env")), *_entries(frontmatter.get("requires")))
    found: dict[str, DeclaredVariable] = {}
    for entry in entries:
        found.setdefault(entry.name, entry)
    return tuple(found.values())


def exported_names(frontmatter: Mapping[str, Any]) -> frozenset[str]:
    """Return the variables that a document wants programs to have, once its templates have set them."""
    wanted = frontmatter.get("export", ())
    names = wanted if isinstance(wanted, list) else [wanted]
    return frozenset(it.strip().strip("{}") for it in names if isinstance(it, str))


def _entries(value: object) -> Iterator[DeclaredVariable]:
    """Read a name, a list of names or of maps with a `name`, or a map of names."""
    if isinstance(value, Mapping):
        value = [{"name": name, **_told(more)} for name, more in value.items()]
    for entry in value if isinstance(value, list) else [value]:
        told = entry if isinstance(entry, Mapping) else {"name": entry}
        name = told.get("name")
        if isinstance(name, str) and name.strip("$ "):
            default = str(told.get("default", ""))
            yield DeclaredVariable(
                name=name.strip().removeprefix("$"),
                description=str(told.get("description", "")).strip(),
                required=not default and _is_true(told.get("required")),
                secret=_is_true(told.get("secret")),
                default=default,
            )


def _told(more: object) -> Mapping[str, Any]:
    return more if isinstance(more, Mapping) else {"description": more or ""}


def _is_true(value: object) -> bool:
    return str(value).strip().lower() not in _NO
