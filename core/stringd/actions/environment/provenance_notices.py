"""Notices and refusals about values that came from the network, naming each value and its provenance."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.environment.topic_variables import AvailableVariables
from stringd.actions.values.typed_values import display_value
from stringd.api.provenance import Attributed, Provenance
from stringd.api.sessions import NamedValue
from stringd.documents.syntax.actions import Action
from stringd.documents.syntax.forms import CONFIRM
from stringd.errors import ErrorCode, Refusal
from stringd.text.escaping import printable

_MAX_VALUE = 80
_MAX_PROVENANCE = 200


def describe_provenance(provenance: Provenance) -> str:
    """Return a short description of where a value came from."""
    return _shortened(printable(str(provenance)), _MAX_PROVENANCE)


def foreign_value_notices(
    used: Mapping[str, Attributed[NamedValue]], available: AvailableVariables
) -> list[str]:
    """Return a line for each value that came from another site than the document."""
    foreign = ((typed, it) for typed, it in used.items() if available.is_foreign(it.provenance))
    return [
        f"[!] {_assignment(typed, it)} came from {describe_provenance(it.provenance)}"
        for typed, it in foreign
    ]


def kept_variable_notice(name: str, provenance: Provenance) -> str:
    """Return the line about a variable that a document was not allowed to replace."""
    return f"[!] {{{name}}} stays as you set it; {describe_provenance(provenance)} has another value for it"


def unconfirmed_refusal(action: Action, foreign: Mapping[str, Attributed[str]]) -> Refusal:
    """Return the refusal of an action that would use foreign variables without confirmation."""
    values = " and ".join(
        f"{_assignment(f'{{{name}}}', it)} from {describe_provenance(it.provenance)}"
        for name, it in foreign.items()
    )
    can_confirm = any(it.name == CONFIRM for it in action.parameters)
    first = next(iter(foreign))
    return Refusal(
        ErrorCode.NOT_TRUSTED,
        f"act.{action.id} would use {values}, and you have not chosen that for it.",
        *([f"--{CONFIRM} uses it."] if can_confirm else []),
        f'Or set it yourself: /set {{{first}}} = "..."',
    )


def _assignment(name: str, it: Attributed[NamedValue]) -> str:
    value = _shortened(printable(display_value(it.value)), _MAX_VALUE)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name} = "{escaped}"'


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
