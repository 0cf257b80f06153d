"""Find the installed plugins, and select those that the configuration asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from stringd.config import Config
from stringd.errors import Fault

GROUP = "stringd.plugins"
OWN_DISTRIBUTION = "stringd"
UNNAMED = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plugin that a distribution offers; it is not imported yet."""

    name: str
    distribution: str
    version: str
    entry_point: EntryPoint

    @property
    def built_in(self) -> bool:
        """Whether it comes with stringd itself."""
        return self.distribution == OWN_DISTRIBUTION

    def __str__(self) -> str:
        return f"{self.name} ({self.distribution} {self.version})"


def installed_plugins() -> tuple[Candidate, ...]:
    """List the installed plugins: built-in ones first, the others by distribution."""
    found = {_candidate(entry_point) for entry_point in entry_points(group=GROUP)}
    return tuple(sorted(found, key=lambda it: (not it.built_in, it.distribution, it.name)))


def select_plugins(candidates: Sequence[Candidate], config: Config) -> tuple[Candidate, ...]:
    """Select the plugins that the configuration asks for; an unknown name is a misuse."""
    known = {candidate.name for candidate in candidates}
    for name in (*(config.plugins or ()), *config.without):
        if name not in known:
            listing = ", ".join(sorted(known))
            raise Fault(f"unknown plugin: {name} (installed: {listing})", exit_code=2)
    return tuple(candidate for candidate in candidates if _wanted(candidate, config))


def _wanted(candidate: Candidate, config: Config) -> bool:
    if candidate.name in config.without:
        return False
    return config.plugins is None or candidate.built_in or candidate.name in config.plugins


def _candidate(entry_point: EntryPoint) -> Candidate:
    distribution = entry_point.dist
    return Candidate(
        name=entry_point.name,
        distribution=(distribution.name or UNNAMED).lower() if distribution else UNNAMED,
        version=(distribution.version or UNNAMED) if distribution else UNNAMED,
        entry_point=entry_point,
    )
