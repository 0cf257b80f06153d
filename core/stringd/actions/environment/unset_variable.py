"""The refusal of an action that needs a `$NAME` which is not set."""

from __future__ import annotations

from stringd.actions.environment.action_environment import Environment
from stringd.errors import ErrorCode, Refusal


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
