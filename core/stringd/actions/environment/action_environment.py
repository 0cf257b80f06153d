"""The environment of a document's actions: secrets, variables, a package and actions coded in Python."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field, structs

from stringd.actions.environment.topic_variables import (
    NOTHING_AVAILABLE,
    AvailableVariables,
    available_variables,
    variables_used_by,
)
from stringd.actions.templates.template_run import Template
from stringd.actions.values.typed_values import Value
from stringd.api.commands import Invocation
from stringd.api.sessions import Session
from stringd.api.zones import Zone
from stringd.documents.pages.page import Page
from stringd.documents.paths.resolving import inside
from stringd.documents.paths.text_files import read_if_there
from stringd.documents.syntax.actions import HTTP_METHODS, Action
from stringd.documents.syntax.declared_variables import (
    DeclaredVariable,
)
from stringd.documents.syntax.forms import CONFIRM, CONFIRMING
from stringd.errors import ErrorCode, Refusal
from stringd.text.masking import mask_beginning, mask_values
from stringd.text.web_urls import origin_of

TEMPLATES = "templates"
TEMPLATE_SUFFIXES = (".md.j2", ".jinja")
_USES_FOREIGN = "Use what another document has brought"


class ActionFunction(Struct, frozen=True, kw_only=True):
    """An action coded in Python: its declaration, and the coroutine function that runs it.

    `run` returns a text or a value that JSON can encode. It raises `Refusal` to refuse.
    """

    action: Action
    run: FunctionRun
    summary: str = ""


class Environment(Struct, frozen=True, kw_only=True):
    """What the actions of the current document may use; a document from the network is not trusted.

    `secrets_topic` is the topic in which its `$NAME`s are set, unless that is the current one. `exports` are
    the variables that programs get in their environment once a template has set them. `trust_hint` says how
    a document that is not trusted becomes the user's own. The limit of a `Loader` does not hold for requests
    of the person's `own` files, which were not installed from the network.
    """

    secrets: Mapping[str, str] = field(default_factory=dict)
    package: Path | None = None
    functions: Mapping[str, ActionFunction] = field(default_factory=dict)
    declared: tuple[DeclaredVariable, ...] = ()
    trusted: bool = True
    own: bool = True
    secrets_topic: str = ""
    trust_hint: str = ""
    variables: AvailableVariables = NOTHING_AVAILABLE
    exports: frozenset[str] = frozenset()

    def actions_of(self, page: Page) -> Mapping[str, Action]:
        """Return the actions of a page by name: those coded in Python and those in its text."""
        coded = {name: it.action for name, it in self.functions.items()}
        own = page.sheet.actions.actions
        withheld = self.variables.withheld
        if withheld or (page.zone is Zone.PRIVATE and not self.trusted):
            own = {name: self._confirmable(it, page) for name, it in own.items()}
        return {**coded, **own}

    @property
    def secret_values(self) -> frozenset[str]:
        """The values of its `$NAME`s, without those that a document declares in plain text."""
        declared = ((it, self.secrets.get(it.name)) for it in self.declared)
        public = {it.name for it, value in declared if not it.secret or value == it.default}
        return frozenset(value for name, value in self.secrets.items() if name not in public)

    def template_of(self, action: str, page: Page) -> Template | None:
        """Return the template of an action and its role, from the page or else from its package."""
        for role in ("response.j2", "response"):
            if (action, role) in page.sheet.actions.templates:
                return page.sheet.actions.templates[action, role], role
        package = self.package
        for suffix in TEMPLATE_SUFFIXES if package else ():
            assert package is not None
            text = read_if_there(inside(package, f"{TEMPLATES}/{action}{suffix}"), action)
            if text is not None:
                return text, "response.j2"
        return None

    def mask(self, text: str) -> str:
        """Return the text with every secret replaced by its name, in any encoding of it."""
        return mask_values(text, self.secret_names)

    def mask_beginning(self, text: str, limit: int) -> str:
        """Return the beginning of the text, with no part of a secret in it."""
        return mask_beginning(text, self.secret_names, limit)

    @property
    def secret_names(self) -> Mapping[str, str]:
        """The name that replaces each secret, by its value."""
        public = {it.name for it in self.declared if not it.secret}
        return {value: f"${name}" for name, value in self.secrets.items() if name not in public}

    def _confirmable(self, action: Action, page: Page) -> Action:
        """Add `--confirm` to an action that exceeds what its document may do without confirmation."""
        foreign = variables_used_by(action, self.template_of(action.id, page), self.variables.withheld)
        reasons = [CONFIRMING.description] if not self.trusted and _leaves_site(action, page) else []
        reasons += [_USES_FOREIGN] if foreign else []
        if not reasons or any(it.name == CONFIRM for it in action.parameters):
            return action
        confirming = structs.replace(CONFIRMING, description=", and ".join(reasons))
        return replace(action, parameters=(*action.parameters, confirming))


FunctionRun: TypeAlias = Callable[[Mapping[str, Value], Environment, Session], Awaitable[object]]


Provide: TypeAlias = Callable[[Invocation], Environment]
"""The optional method `environment` of a package or a topic."""


def environment_of(invocation: Invocation, page: Page) -> Environment:
    """Return what a page's actions may use: the environment of its package, or else of its topic."""
    declarations = page.sheet.parsed.declarations
    base = _base_environment(invocation, page)
    variables = available_variables(page, invocation.session.state.variables)
    # Most documents declare nothing, and are opened in topics without variables.
    if variables is not base.variables or declarations.exported:
        base = structs.replace(base, variables=variables, exports=base.exports | declarations.exported)
    own = {it.name: it for it in declarations.secrets}
    if not own and not base.declared:
        return base
    declared = (*own.values(), *(it for it in base.declared if it.name not in own))
    defaults = {it.name: it.default for it in declared if it.default}
    return structs.replace(base, declared=declared, secrets={**defaults, **base.secrets})


def _leaves_site(action: Action, page: Page) -> bool:
    """Return whether an action of a private page leads to another site."""
    is_own = origin_of(action.target) == origin_of(page.uri)
    return page.zone is Zone.PRIVATE and action.method in HTTP_METHODS and not is_own


def is_given_environment(invocation: Invocation, page: Page) -> bool:
    """Whether the package or the topic of a page may add to what the page offers."""
    return page.path is not None and _provided(invocation, page) is not None


def _provided(invocation: Invocation, page: Page) -> Provide | None:
    # An isinstance check against a protocol would dominate the cost of `environment_of`.
    provide: Provide | None = getattr(page.package or invocation.topic, "environment", None)
    return provide


def _base_environment(invocation: Invocation, page: Page) -> Environment:
    if page.path is None:
        return Environment(trusted=False, own=False, trust_hint=invocation.runtime.trust_hint)
    provide = _provided(invocation, page)
    return provide(invocation) if provide else Environment(secrets_topic=invocation.runtime.secrets_hint)


def unset_variable_refusal(name: str, environment: Environment, *context: str) -> Refusal:
    """Return the refusal of an action that needs a `$NAME` which is not set."""
    description = next((it.description for it in environment.declared if it.name == name), "")
    message = f"${name} is not set: {description}" if description else f"${name} is not set."
    return Refusal(ErrorCode.ENV_REQUIRED, message, _how_to_set(name, environment), *context)


def _how_to_set(name: str, environment: Environment) -> str:
    if not environment.trusted:
        hint = f": {environment.trust_hint}" if environment.trust_hint else "."
        return f"Documents from the network are given none{hint}"
    where = f" in {environment.secrets_topic}" if environment.secrets_topic else ""
    return f'Set it: /set ${name} = "..."{where}'
