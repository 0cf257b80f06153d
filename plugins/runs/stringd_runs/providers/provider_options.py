"""Options of a provider that strategies set, each with its type and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stringd.plugin.text import nearest
from stringd_runs.model_provider import ProviderFailed


def renamed_options(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the options that a table has other names for, under these names."""
    return {names[it]: value for it, value in options.items() if it in names}


class OptionReader:
    """Reads options by name; raises `ProviderFailed` for wrong values, and for names nobody has read."""

    def __init__(self, place: str, options: Mapping[str, Any]) -> None:
        self._place = place
        self._options = options
        self._known: set[str] = set()

    def text(self, name: str, *, default: str) -> str:
        """Return a text."""
        value = self.optional_text(name)
        return default if value is None else value

    def optional_text(self, name: str) -> str | None:
        """Return a text, or None if it is not set."""
        value = self._take(name, None)
        if value is not None and not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def whole_number(self, name: str, *, default: int, least: int, most: int) -> int:
        """Return a whole number within limits."""
        value = self._take(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most}")
        return value

    def number(self, name: str, *, default: float, least: float, most: float) -> float:
        """Return a number within limits."""
        value = self._take(name, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
            raise self._wrong(name, f"a number from {least:.15g} to {most:.15g}")
        return value

    def mapping(self, name: str) -> Mapping[str, Any]:
        """Return a mapping, which is empty if it is not set."""
        value = self._take(name, {})
        if not isinstance(value, Mapping):
            raise self._wrong(name, "a mapping")
        return value

    def refuse_others(self, *known: str) -> None:
        """Raise `ProviderFailed` if there is an option that is neither known nor has been read."""
        names = {*self._known, *known}
        for it in self._options:
            if it not in names:
                similar = nearest(it, sorted(names))
                hint = f"did you mean {similar}?" if similar else f"it takes {', '.join(sorted(names))}"
                raise ProviderFailed(f"{self._place} has no option {it}: {hint}")

    def _take(self, name: str, default: Any) -> Any:
        self._known.add(name)
        return self._options.get(name, default)

    def _wrong(self, name: str, expected: str) -> ProviderFailed:
        return ProviderFailed(f"{self._place}.{name} must be {expected}")
