"""Convert variables, `@name`s and links to JSON and back, each with the number of its provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from stringd.api.provenance import Attributed, Author, Provenance
from stringd.api.sessions import State
from stringd.api.zones import Zone

_NAMED = ("variables", "values", "links")
_SOURCES = "sources"
# Earlier versions stored no provenance, only which values came from public services.
_UNTRUSTED = "from_strangers"
_UNKNOWN = Provenance(author=Author.UNKNOWN, zone=Zone.PRIVATE)
_STRANGE = Provenance(author=Author.UNKNOWN, zone=Zone.PUBLIC)


def plain_names(state: State) -> dict[str, Any]:
    """Return a state's named values and their provenances as JSON."""
    numbers: dict[Provenance, int] = {}
    named = {kind: _numbered(getattr(state, kind), numbers) for kind in _NAMED}
    return {**named, _SOURCES: [_plain(it) for it in numbers]}


def read_names(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named values of a stored state; without a stored provenance it is unknown."""
    if _SOURCES not in plain:
        return {kind: _unattributed(plain, kind) for kind in _NAMED}
    sources = [_provenance(it) for it in plain[_SOURCES]]
    return {
        kind: {name: _attributed(value, sources[number]) for name, (value, number) in plain[kind].items()}
        for kind in _NAMED
    }


def _numbered(
    named: Mapping[str, Attributed[Any]], numbers: dict[Provenance, int]
) -> dict[str, tuple[Any, int]]:
    return {name: (it.value, numbers.setdefault(it.provenance, len(numbers))) for name, it in named.items()}


def _unattributed(plain: Mapping[str, Any], kind: str) -> dict[str, Attributed[Any]]:
    strange = frozenset(plain.get(_UNTRUSTED, ()))
    return {
        name: _attributed(value, _STRANGE if name in strange else _UNKNOWN)
        for name, value in plain.get(kind, {}).items()
    }


def _attributed(value: str | list[str], provenance: Provenance) -> Attributed[str | tuple[str, ...]]:
    return Attributed(value=tuple(value) if isinstance(value, list) else value, provenance=provenance)


def _plain(it: Provenance) -> dict[str, Any]:
    return asdict(it)


def _provenance(plain: Mapping[str, Any]) -> Provenance:
    return Provenance(**{**plain, "author": Author(plain["author"]), "zone": Zone(plain["zone"])})
