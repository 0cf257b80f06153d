"""Find the installed plugins, and select those that the configuration asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from stringd.config import Config, is_plugin_file
from stringd.errors import Fault
from stringd.extensions.plugin_files import PluginFile

GROUP = "stringd.plugins"
# With these, plugins declare what they add, so that they are found without being imported.
SUBCOMMANDS, HOOKS = "stringd.subcommands", "stringd.hooks"
OWN_DISTRIBUTION = "stringd"
UNNAMED = "unknown"
_HIDDEN = ("_", ".")


class Source(Protocol):
    """The source from which a plugin's object is imported."""

    def load(self) -> object:
        """Import the plugin and return its object."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A plugin of a distribution or a file that has not been imported yet.

    The distribution of a single-file plugin is its path, without a version. `subcommands` and `hooks` are
    those that it declares with further entry points.
    """

    name: str
    distribution: str
    version: str
    entry_point: Source
    subcommands: frozenset[str] = frozenset()
    hooks: frozenset[str] = frozenset()

    @property
    def built_in(self) -> bool:
        """Whether the plugin is part of stringd."""
        return self.distribution == OWN_DISTRIBUTION

    def is_named_in(self, config: Config) -> bool:
        """Whether the configuration names this plugin or the path of its file."""
        return config.plugins is not None and not {self.name, self.distribution}.isdisjoint(config.plugins)

    def __str__(self) -> str:
        return f"{self.name} ({' '.join(filter(None, (self.distribution, self.version)))})"


def available_plugins(config: Config) -> tuple[Candidate, ...]:
    """List the installed plugins, then the single files that the configuration names."""
    return *installed_plugins(), *map(plugin_from_file, _plugin_files(config))


def installed_plugins() -> tuple[Candidate, ...]:
    """List installed plugins in a fixed order: built-ins first, then by distribution."""
    points = entry_points()
    subcommands, hooks = points.select(group=SUBCOMMANDS), points.select(group=HOOKS)
    found = {plugin_from_entry_point(it, subcommands, hooks) for it in points.select(group=GROUP)}
    return tuple(sorted(found, key=lambda it: (not it.built_in, it.distribution, it.name)))


def select_plugins(candidates: Sequence[Candidate], config: Config) -> tuple[Candidate, ...]:
    """Return the selected plugins; raise a `Fault` for an unknown name."""
    known = {candidate.name for candidate in candidates}
    for name in (*(config.plugins or ()), *config.without):
        if name not in known and not is_plugin_file(name):
            listing = ", ".join(sorted(known))
            raise Fault(f"unknown plugin: {name} (installed: {listing})", exit_code=2)
    return tuple(candidate for candidate in candidates if _is_selected(candidate, config))


def plugin_from_file(path: Path) -> Candidate:
    """Return a single-file plugin, named after its file."""
    return Candidate(name=path.stem, distribution=str(path), version="", entry_point=PluginFile(path))


def plugin_from_entry_point(
    entry_point: EntryPoint, subcommands: Iterable[EntryPoint], hooks: Iterable[EntryPoint]
) -> Candidate:
    """Return the plugin of an entry point, with the subcommands and hooks declared for its object."""
    name, version = _release(entry_point.dist) if entry_point.dist else (UNNAMED, UNNAMED)
    return Candidate(
        name=entry_point.name,
        distribution=name,
        version=version,
        entry_point=entry_point,
        subcommands=_names_of(entry_point.value, subcommands),
        hooks=_names_of(entry_point.value, hooks),
    )


def _names_of(value: str, points: Iterable[EntryPoint]) -> frozenset[str]:
    return frozenset(it.name for it in points if it.value == value)


@lru_cache(maxsize=1)
def _release(distribution: Distribution) -> tuple[str, str]:
    """Return a distribution's name and version; reading its metadata takes time, for it has the README."""
    metadata = distribution.metadata
    return (metadata["Name"] or UNNAMED).lower(), metadata["Version"] or UNNAMED


def _plugin_files(config: Config) -> Iterable[Path]:
    named = [Path(word) for word in config.plugins or () if is_plugin_file(word)]
    for path in named:
        if not path.is_file():
            raise Fault(f"no such plugin file: {path}", exit_code=2)
    return dict.fromkeys((*named, *_files_in(config.plugins_dir)))


def _files_in(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    if not folder.is_dir():
        raise Fault(f"no such directory of plugins: {folder}", exit_code=2)
    return sorted(it for it in folder.glob("*.py") if it.is_file() and not it.name.startswith(_HIDDEN))


def _is_selected(candidate: Candidate, config: Config) -> bool:
    if candidate.name in config.without:
        return False
    if isinstance(candidate.entry_point, PluginFile):
        return True
    return config.plugins is None or candidate.built_in or candidate.name in config.plugins
