"""Inspection of installed plugins, and of plugins in files and directories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from stringd.api.additions import TopicTypeHelp
from stringd.config import Config
from stringd.extensions.discovery import Candidate, installed_plugins
from stringd.extensions.inspection import Inspection, inspect_plugins, plugins_at

__all__ = [
    "Candidate",
    "Inspection",
    "added_records",
    "inspect_plugin",
    "installed_plugins",
    "plugins_at",
    "topic_types",
]

Record = TypeVar("Record")


def added_records(record: type[Record], config: Config) -> Sequence[Record]:
    """Return the records of a type that the plugins of a configuration return from hooks of other plugins."""
    # Importing the runtime is slow.
    from stringd.server.app import make_runtime

    return make_runtime(config).added(record)


def topic_types(config: Config) -> Mapping[str, TopicTypeHelp]:
    """Return the topic types of the plugins of a configuration by name, without a daemon."""
    # Importing the loader is slow.
    from stringd.extensions.registration import load_plugins

    return load_plugins(config).catalogue.topic_types


def inspect_plugin(path: Path, config: Config) -> list[Inspection]:
    """Report on each plugin of a Python file or a distribution's directory, loaded with those of `config`."""
    # Importing the runtime is slow.
    from stringd.server.app import make_runtime

    runtime = make_runtime(config)
    return inspect_plugins(plugins_at(path), config, runtime, runtime.plugins.settings)
