"""Track which values of a call hold a secret, before anything is made of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from stringd.actions.values.typed_values import Value, as_text
from stringd.api.provenance import Attributed
from stringd.api.sessions import NamedValue
from stringd.documents.syntax.actions import CLI, Action
from stringd.text.value_search import SHORTEST

SECRET_REFERENCE = re.compile(r"(?<!\\)\$(?P<name>[A-Za-z_]\w*)", re.ASCII)
# The delimiters of a reference to a remembered value: `{name}` and `@name`.
_DELIMITERS = "{@}"


class Taint(Struct, frozen=True, kw_only=True):
    """The tainted parameter names, and the values of all secrets.

    A parameter is tainted when its default refers to a `$NAME`. An explicit value for it is treated as a
    secret too.
    """

    names: Collection[str] = ()
    secrets: Collection[str] = ()

    def taints(self, name: str, value: Value | None) -> bool:
        """Return whether the value of a parameter or variable holds a secret."""
        if value is None:
            return False
        return name in self.names or self.is_in(as_text(value).encode())

    def is_in(self, data: bytes) -> bool:
        """Return whether the data contains a secret; very short secrets only count if they are all of it."""
        secrets = (it.encode() for it in self.secrets if it)
        return any(it == data or (len(it) >= SHORTEST and it in data) for it in secrets)


def secret_names(text: str) -> Iterator[str]:
    """Yield the `$NAME`s in an author's text."""
    return (found["name"] for found in SECRET_REFERENCE.finditer(text))


def taint_of(
    action: Action, secrets: Collection[str], used: Mapping[str, Attributed[NamedValue]] | None = None
) -> Taint:
    """Return the taint of a call that refers to remembered values by the names in `used`."""
    from_defaults = {it.name for it in action.parameters if it.default and any(secret_names(it.default))}
    remembered = {name.strip(_DELIMITERS) for name, it in (used or {}).items() if it.provenance.holds_secret}
    # It is not recorded which parameter a remembered value went into, so all of them count.
    parameters = {it.name for it in action.parameters} if remembered else set()
    return Taint(names=from_defaults | remembered | parameters, secrets=secrets)


def may_leave_secret(
    action: Action, values: Mapping[str, Value], used: Mapping[str, Attributed[NamedValue]], taint: Taint
) -> bool:
    """Return whether the result of a call may contain a secret, through a command or template."""
    is_in_command = action.method == CLI and any(secret_names(action.target))
    named = ((name.strip(_DELIMITERS), it.value) for name, it in used.items())
    return is_in_command or any(taint.taints(name, value) for name, value in (*values.items(), *named))
