"""Which values of a call hold a secret, known before anything is made of them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from stringd.actions.arguments.values import Value, as_text
from stringd.text.value_search import SHORTEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """The parameters that take a `$NAME` unless they are given something else, and the values of all secrets.

    What is given in the place of a key is one too.
    """

    names: Collection[str] = ()
    secrets: Collection[str] = ()

    def taints(self, name: str, value: Value | None) -> bool:
        """Whether the value of a parameter, or of a variable, holds a secret."""
        if value is None:
            return False
        return name in self.names or self.is_in(as_text(value).encode())

    def is_in(self, data: bytes) -> bool:
        """Whether a text holds a secret; a short one stands in many that have nothing to do with it."""
        secrets = (it.encode() for it in self.secrets if it)
        return any(it == data or (len(it) >= SHORTEST and it in data) for it in secrets)
