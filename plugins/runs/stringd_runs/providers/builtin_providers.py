"""The providers of this plugin; a plugin cannot implement its own hook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stringd.plugin import Runtime
from stringd_runs.model_provider import ModelProvider
from stringd_runs.providers import anthropic, scripted
from stringd_runs.providers.model_server import ModelServer
from stringd_runs.providers.openai_compatible import openai_provider
from stringd_runs.providers.process_provider import process_provider
from stringd_runs.runs_settings import RunsSettings


def builtin_providers(runtime: Runtime) -> Iterable[ModelProvider]:
    """Return the providers of this plugin, and those of the servers that the settings name."""
    settings = runtime.settings(RunsSettings)

    def server(name: str, url: str, key_variable: str) -> ModelServer:
        headers = anthropic.key_headers if name == "anthropic" else _bearer
        return ModelServer(
            name=name, url=url, key_variable=key_variable, key_headers=headers, runtime=runtime
        )

    yield scripted.PROVIDER
    yield openai_provider(
        server("openai-compatible", settings.openai_url, "OPENAI_API_KEY"), "OpenAI-compatible"
    )
    yield anthropic.anthropic_provider(server("anthropic", settings.anthropic_url, "ANTHROPIC_API_KEY"))
    yield process_provider(runtime, settings)
    for name, url in settings.read_endpoints().items():
        yield openai_provider(server(name, url, _key_variable(name)), name, is_custom=True)


def _bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"}


def _key_variable(name: str) -> str:
    return "".join(it if it.isalnum() else "_" for it in name.upper()) + "_API_KEY"
