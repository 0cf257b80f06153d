"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import CliCommand, Hook, hookimpl
from stringd_runs.model_provider import ModelProvider
from stringd_runs.model_provider import stringd_model_providers as model_providers_hook
from stringd_runs.run_programs.run_command import RUN
from stringd_runs.run_programs.runs_command import RUNS


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hooks with which other plugins extend runs."""
    return (Hook(what="provider", record=ModelProvider, spec=model_providers_hook),)


@hookimpl
def stringd_cli() -> Iterable[CliCommand]:
    """Add `stringd run` and `stringd runs`."""
    return (RUN, RUNS)
