"""What models cost, by their prices for a million tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from stringd_runs.agent_events import Usage

_MILLION = 1_000_000


class Price(Struct, frozen=True, kw_only=True):
    """The price of a model, in dollars for a million tokens."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        """Return what tokens cost, in dollars."""
        return (usage.prompt_tokens * self.input + usage.completion_tokens * self.output) / _MILLION


def price_of(cost: Mapping[str, Any] | None) -> Price | None:
    """Return the price that the `cost` of a model states; None if it states none."""
    if not cost or not all(_is_price(cost.get(name)) for name in ("input", "output")):
        return None
    return Price(input=float(cost["input"]), output=float(cost["output"]))


def read_price(text: str) -> Price | None:
    """Return the price that `INPUT/OUTPUT` states; None if it states none."""
    try:
        numbers = [float(it) for it in text.split("/")]
    except ValueError:
        return None
    if len(numbers) != 2 or not all(map(_is_price, numbers)):
        return None
    return Price(input=numbers[0], output=numbers[1])


def cost_per_token(pricing: Any) -> Mapping[str, float] | None:
    """Return the `cost` of a model from the prices for single tokens that some servers list with it."""
    if not isinstance(pricing, Mapping):
        return None
    try:
        cost = {
            name: float(pricing[key]) * _MILLION
            for name, key in (("input", "prompt"), ("output", "completion"))
        }
    except (KeyError, TypeError, ValueError):
        return None
    return cost if all(map(_is_price, cost.values())) else None


def _is_price(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value >= 0
