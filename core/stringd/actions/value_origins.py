"""What a reply says about values that came from the network: which, and from where."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.actions.arguments.values import shown
from stringd.actions.shared_variables import Shared
from stringd.api.provenance import Attributed, Provenance
from stringd.api.sessions import NamedValue
from stringd.documents.syntax.actions import Action
from stringd.documents.syntax.forms import CONFIRM
from stringd.errors import Refusal
from stringd.text.printable import printable

_SHOWN = 80
_SHOWN_SOURCE = 200


def source_of(it: Provenance) -> str:
    """Return who has brought a value, in a few words."""
    return _cut(printable(str(it)), _SHOWN_SOURCE)


def told_of(used: Mapping[str, Attributed[NamedValue]], shared: Shared) -> list[str]:
    """Return a line for each of the values that has come from elsewhere in the network than the document."""
    foreign = ((typed, it) for typed, it in used.items() if shared.is_foreign(it.provenance))
    return [f"[!] {_assigned(typed, it)} came from {source_of(it.provenance)}" for typed, it in foreign]


def was_kept(name: str, document: Provenance) -> str:
    """Return the line that tells of a variable that a document may not replace."""
    return f"[!] {{{name}}} stays as you set it; {source_of(document)} has another value for it"


def untaken(action: Action, taken: Mapping[str, Attributed[str]]) -> Refusal:
    """Return the refusal of an action that would take what the network has brought, unasked."""
    told = " and ".join(
        f"{_assigned(f'{{{name}}}', it)} from {source_of(it.provenance)}" for name, it in taken.items()
    )
    confirm = any(it.name == CONFIRM for it in action.parameters)
    first = next(iter(taken))
    return Refusal(
        "NOT_TRUSTED",
        f"act.{action.id} would use {told}, and nobody has chosen that for it.",
        *([f"--{CONFIRM} uses it."] if confirm else []),
        f'Or set it yourself: /set {{{first}}} = "..."',
    )


def _assigned(name: str, it: Attributed[NamedValue]) -> str:
    value = _cut(printable(shown(it.value)), _SHOWN).replace("\\", "\\\\").replace('"', '\\"')
    return f'{name} = "{value}"'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
