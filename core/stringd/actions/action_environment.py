"""What a topic gives to the actions of its documents: secrets, a package, actions coded in Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from stringd.actions.arguments.values import Value
from stringd.actions.declared_variables import DeclaredVariable, declared_variables, exported_names
from stringd.actions.shared_variables import Shared, Template, shared_with, taken_by
from stringd.api.commands import Invocation
from stringd.api.sessions import Session
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.paths.package_links import inside
from stringd.documents.paths.text_files import read_if_there
from stringd.documents.syntax.actions import HTTP_METHODS, Action
from stringd.documents.syntax.forms import CONFIRM, CONFIRMING, origin_of
from stringd.text.masking import mask_beginning, mask_values

# Where a file that belongs to no app is given `$NAME`s.
ANY_APP = "a topic app:name"
TEMPLATES = "templates"
_TAKES = "Use what another document has brought"


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

    `keeper` is the topic in which its `$NAME`s are set, where that is not this one. `shared` are the topic's
    variables that they may use, and `exports` those that programs get once a template has set them.
    """

    secrets: Mapping[str, str] = field(default_factory=dict)
    package: Path | None = None
    functions: Mapping[str, ActionFunction] = field(default_factory=dict)
    declared: tuple[DeclaredVariable, ...] = ()
    trusted: bool = True
    lifetime: str = ""
    shared: Shared = field(default_factory=Shared)
    exports: frozenset[str] = frozenset()

    def actions_of(self, page: Page) -> Mapping[str, Action]:
        """Return the actions of a page by name: those coded in Python, and those that it defines."""
        coded = {name: it.action for name, it in self.functions.items()}
        own = page.sheet.actions.actions
        withheld = self.shared.withheld
        if withheld or (page.zone is Zone.PRIVATE and not self.trusted):
            own = {name: self._confirmable(it, page) for name, it in own.items()}
        return {**coded, **own}

    @property
    def secret_values(self) -> frozenset[str]:
        """What its `$NAME`s hold that does not stand in a document for everyone to read."""
        declared = ((it, self.secrets.get(it.name)) for it in self.declared)
        public = {it.name for it, value in declared if not it.secret or value == it.default}
        return frozenset(value for name, value in self.secrets.items() if name not in public)

    def template_of(self, action: str, page: Page) -> Template | None:
        """Return the template of an action and its role: the page's own, else that of its package."""
        for role in ("response.j2", "response"):
            if (action, role) in page.sheet.actions.templates:
                return page.sheet.actions.templates[action, role], role
        package = self.package
        text = read_if_there(inside(package, f"{TEMPLATES}/{action}.md.j2"), action) if package else None
        return None if text is None else (text, "response.j2")

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

    def _confirmable(self, action: Action, page: Page) -> Action:
        """Let an action be confirmed that goes farther, or takes more, than its document may by itself."""
        taken = taken_by(action, self.template_of(action.id, page), self.shared.withheld)
        reasons = [CONFIRMING.description] if not self.trusted and _leaves(action, page) else []
        reasons += [_TAKES] if taken else []
        if not reasons or any(it.name == CONFIRM for it in action.parameters):
            return action
        confirming = replace(CONFIRMING, description=", and ".join(reasons))
        return replace(action, parameters=(*action.parameters, confirming))


FunctionRun: TypeAlias = Callable[[Mapping[str, Value], Environment, Session], Awaitable[object]]


Provide: TypeAlias = Callable[[Invocation], Environment]
"""The method `environment` of a package that has something to give to its actions, or of a topic."""


def environment_of(invocation: Invocation, page: Page) -> Environment:
    """Return what a page's actions may use: what its package gives or, for other files, the topic."""
    frontmatter = page.sheet.parsed.frontmatter
    given = _given(invocation, page)
    shared = shared_with(page, invocation.session.state.variables)
    given = replace(given, shared=shared, exports=given.exports | exported_names(frontmatter))
    own = {it.name: it for it in declared_variables(frontmatter)}
    if not own and not given.declared:
        return given
    declared = (*own.values(), *(it for it in given.declared if it.name not in own))
    defaults = {it.name: it.default for it in declared if it.default}
    return replace(given, declared=declared, secrets={**defaults, **given.secrets})


def _leaves(action: Action, page: Page) -> bool:
    """Whether an action of a private page may be sent to another site than that, as forms can."""
    is_own = origin_of(action.target) == origin_of(page.uri)
    return page.zone is Zone.PRIVATE and action.method in HTTP_METHODS and not is_own


def _given(invocation: Invocation, page: Page) -> Environment:
    if page.path is None:
        return Environment(trusted=False)
    # Not by isinstance: asking a protocol takes longer than all else that is done here, at every page.
    provide: Provide | None = getattr(page.package or invocation.topic, "environment", None)
    return provide(invocation) if provide else Environment(lifetime=ANY_APP)
