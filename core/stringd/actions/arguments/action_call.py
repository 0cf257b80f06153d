"""Parse the arguments of an action call into typed parameter values."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from stringd.actions.arguments.argument_reader import ArgumentReader
from stringd.actions.arguments.argument_words import assign_words
from stringd.actions.arguments.call_body import read_body, split_body
from stringd.actions.arguments.schema import expectation, usage_of
from stringd.actions.environment.action_environment import Environment
from stringd.actions.values.typed_values import Value
from stringd.api.provenance import Attributed
from stringd.api.sessions import NamedValue, Session
from stringd.documents.syntax.actions import Action, Parameter
from stringd.documents.syntax.forms import CONFIRM
from stringd.errors import ErrorCode, Refusal
from stringd.text.action_words import split_words


class Call(Struct, frozen=True, kw_only=True):
    """One call of an action: its arguments, with defaults for those that were not given.

    `values` omits parameters without an argument or default; the required ones among them are `missing`.
    `given` are the parameters that the caller named. `references` are the remembered values that were used,
    by the typed reference. `secrets` are the `$NAME`s whose values the parameters get when a form is sent, by
    parameter. `confirmed` lifts the restrictions on documents that are not the user's own.
    """

    action: Action
    values: Mapping[str, Value]
    missing: tuple[Parameter, ...] = ()
    is_bare: bool = False
    wants_help: bool = False
    given: frozenset[str] = frozenset()
    references: Mapping[str, Attributed[NamedValue]] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    confirmed: bool = False

    def require_all(self) -> None:
        """Refuse a call with missing required parameters."""
        if self.missing:
            missing = ", ".join(
                f"{it.name}: expected {expectation(it)}, received nothing" for it in self.missing
            )
            raise Refusal(ErrorCode.INVALID_PARAMS, missing, f"Usage: {usage_of(self.action)}")


def read_call(action: Action, typed: str, session: Session, environment: Environment) -> Call:
    """Parse the typed arguments, or refuse those that do not match the action's declaration."""
    typed, body = split_body(typed, action)
    words = split_words(typed, secret=action.takes_secrets)
    given = assign_words(words, action)
    if given.wants_help:
        return Call(action=action, values={}, wants_help=True)
    reader = ArgumentReader(action, session, environment, read_body(body, action))
    by_name = {it.name: reader.argument(it, given) for it in action.parameters}
    values = {name: value for name, value in by_name.items() if value is not None}
    confirmed = any(it.confirms for it in action.parameters) and values.pop(CONFIRM, False) is True
    nothing = (None, "", ()) if action.form else (None,)
    missing = tuple(it for it in action.parameters if it.required and values.get(it.name) in nothing)
    return Call(
        action=action,
        values=values,
        missing=missing,
        is_bare=not words and not body,
        given=given.given.union(reader.body),
        references=reader.references,
        secrets=reader.secrets,
        confirmed=confirmed,
    )
