"""The records of the manifest: requirements with tests, and requirements that cannot be tested yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One clause that a test must prove; `source` is the page that has it, with an anchor or without."""

    id: str
    source: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One clause without a test, and why."""

    id: str
    source: str
    text: str
    reason: str


def requirements(source: str, *clauses: tuple[str, str]) -> tuple[Requirement, ...]:
    """The clauses of one page or section, given as pairs of id and text."""
    return tuple(Requirement(id=name, source=source, text=text) for name, text in clauses)


def gaps(source: str, *clauses: tuple[str, str, str]) -> tuple[Gap, ...]:
    """The untested clauses of one page or section, given as triples of id, text and reason."""
    return tuple(Gap(id=name, source=source, text=text, reason=reason) for name, text, reason in clauses)
