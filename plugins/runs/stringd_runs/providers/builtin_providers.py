"""The providers of this plugin; a plugin cannot implement its own hook."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Runtime
from stringd_runs.model_provider import ModelProvider
from stringd_runs.providers import scripted


def builtin_providers(runtime: Runtime) -> Iterable[ModelProvider]:
    """Return the providers of this plugin."""
    return (scripted.PROVIDER,)
