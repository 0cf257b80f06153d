"""What a topic gives to the actions of its documents: secrets, a package, actions coded in Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from stringd.actions.declared import DeclaredVariable, declared_variables
from stringd.actions.values import Value
from stringd.contracts.commands import Invocation
from stringd.contracts.sessions import Session
from stringd.contracts.zones import Zone
from stringd.documents.actions import HTTP_METHODS, Action
from stringd.documents.forms import CONFIRM, CONFIRMING, origin_of
from stringd.documents.page import Page
from stringd.text.masking import mask_beginning, mask_values

# Where a file that belongs to no app is given `$NAME`s.
ANY_APP = "a topic app:name"


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
    """What the actions of the current document may use; a document from the network is not trusted.

    `keeper` is the topic in which its `$NAME`s are set, where that is not this one. What `learns` the topic's
    variables gets them by its own text, and not only where a call passes them on.
    """

    secrets: Mapping[str, str] = field(default_factory=dict)
    package: Path | None = None
    functions: Mapping[str, ActionFunction] = field(default_factory=dict)
    declared: tuple[DeclaredVariable, ...] = ()
    trusted: bool = True
    learns: bool = True
    keeper: str = ""

    def actions_of(self, page: Page) -> Mapping[str, Action]:
        """Return the actions of a page by name: those coded in Python, and those that it defines."""
        coded = {name: it.action for name, it in self.functions.items()}
        own = page.sheet.actions.actions
        if page.zone is Zone.PRIVATE and not self.trusted:
            own = {name: _confirmable(it, page) for name, it in own.items()}
        return {**coded, **own}

    @property
    def secret_values(self) -> frozenset[str]:
        """What its `$NAME`s hold that does not stand in a document for everyone to read."""
        declared = ((it, self.secrets.get(it.name)) for it in self.declared)
        public = {it.name for it, value in declared if not it.secret or value == it.default}
        return frozenset(value for name, value in self.secrets.items() if name not in public)

    def hidden(self, text: str) -> str:
        """Return a text with every secret in it replaced by its name, also where it is encoded."""
        return mask_values(text, self._names)

    def hidden_beginning(self, text: str, most: int) -> str:
        """Return how a text begins, with no part of a secret in it."""
        return mask_beginning(text, self._names, most)

    @property
    def _names(self) -> Mapping[str, str]:
        """The secrets, each with the name that stands in its place."""
        public = {it.name for it in self.declared if not it.secret}
        return {value: f"${name}" for name, value in self.secrets.items() if name not in public}


FunctionRun: TypeAlias = Callable[[Mapping[str, Value], Environment, Session], Awaitable[object]]


Provide: TypeAlias = Callable[[Invocation], Environment]
"""The method `environment` of a package that has something to give to its actions, or of a topic."""


def environment_of(invocation: Invocation, page: Page) -> Environment:
    """Return what a page's actions may use: what its package gives or, for other files, the topic."""
    given = _given(invocation, page)
    own = {it.name: it for it in declared_variables(page.sheet.parsed.frontmatter)}
    if not own and not given.declared:
        return given
    declared = (*own.values(), *(it for it in given.declared if it.name not in own))
    defaults = {it.name: it.default for it in declared if it.default}
    return replace(given, declared=declared, secrets={**defaults, **given.secrets})


def _confirmable(action: Action, page: Page) -> Action:
    """Let an action be confirmed that may be sent to another site than its page's, as forms can."""
    is_own = origin_of(action.target) == origin_of(page.uri)
    if is_own or action.method not in HTTP_METHODS or any(it.name == CONFIRM for it in action.parameters):
        return action
    return replace(action, parameters=(*action.parameters, CONFIRMING))


def _given(invocation: Invocation, page: Page) -> Environment:
    if page.path is None:
        # A public page could get hold of them by being opened.
        return Environment(trusted=False, learns=page.zone > Zone.PUBLIC)
    # Not by isinstance: asking a protocol takes longer than all else that is done here, at every page.
    provide: Provide | None = getattr(page.package or invocation.topic, "environment", None)
    return provide(invocation) if provide else Environment(keeper=ANY_APP)
