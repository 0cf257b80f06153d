"""What a topic gives to the actions of its documents: secrets, a package, actions coded in Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from stringd.actions.declared import DeclaredVariable, declared_variables
from stringd.actions.values import Value
from stringd.contracts.commands import Invocation
from stringd.contracts.sessions import Session
from stringd.documents.actions import Action
from stringd.documents.page import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionFunction:
    """An action coded in Python: what it declares, and what is run with the values of a call.

    What `run` returns is text, or anything that JSON can hold. It refuses by raising `Refusal`.
    """

    action: Action
    run: FunctionRun
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What the actions of the current document may use; a document from the network is not trusted."""

    secrets: Mapping[str, str] = field(default_factory=dict)
    package: Path | None = None
    functions: Mapping[str, ActionFunction] = field(default_factory=dict)
    declared: tuple[DeclaredVariable, ...] = ()
    trusted: bool = True


FunctionRun: TypeAlias = Callable[[Mapping[str, Value], Environment, Session], Awaitable[object]]


@runtime_checkable
class ProvidesEnvironment(Protocol):
    """A package that has something to give to the actions of its documents, or a topic to those of files."""

    def environment(self, invocation: Invocation) -> Environment:
        """Return what the current document's actions may use."""


def environment_of(invocation: Invocation, page: Page) -> Environment:
    """Return what a page's actions may use: what its package gives or, for other files, the topic."""
    given = _given(invocation, page)
    own = {it.name: it for it in declared_variables(page.sheet.parsed.frontmatter)}
    others = (it for it in given.declared if it.name not in own)
    return replace(given, declared=(*own.values(), *others))


def _given(invocation: Invocation, page: Page) -> Environment:
    if page.path is None:
        return Environment(trusted=False)
    provider: object = page.package or invocation.topic
    return provider.environment(invocation) if isinstance(provider, ProvidesEnvironment) else Environment()
