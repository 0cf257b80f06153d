"""What this plugin adds to stringd."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Hook, Runtime, hookimpl
from stringd_runs.model_provider import ModelProvider
from stringd_runs.model_provider import stringd_model_providers as model_providers_hook
from stringd_runs.providers.builtin_providers import builtin_providers


@hookimpl
def stringd_hooks() -> Iterable[Hook]:
    """Add the hooks with which other plugins extend runs."""
    return (Hook(what="provider", record=ModelProvider, spec=model_providers_hook),)


@hookimpl
def stringd_model_providers(runtime: Runtime) -> Iterable[ModelProvider]:
    """Add the providers that need no other plugin."""
    return builtin_providers(runtime)
