"""From what was typed behind an action's name to the values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stringd.actions.environment import Environment
from stringd.actions.values import Value
from stringd.contracts.sessions import Session
from stringd.documents.actions import Action, Parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of an action: the values that were given, or that the author set.

    An optional parameter that has neither is not among them; `missing` are the required ones without.
    """

    values: Mapping[str, Value]
    missing: tuple[Parameter, ...] = ()
    is_bare: bool = False
    wants_help: bool = False


def read_call(action: Action, typed: str, session: Session, environment: Environment) -> Call:
    """Return the call that was typed, or refuse what does not fit what the action declares."""
    raise NotImplementedError
