"""The providers of this plugin; a plugin cannot implement its own hook."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from stringd.plugin import Fault, Runtime
from stringd_runs.model_provider import ModelProvider
from stringd_runs.providers import anthropic, scripted
from stringd_runs.providers.model_server import ModelServer
from stringd_runs.providers.openai_compatible import openai_provider
from stringd_runs.providers.process_provider import Program, Programs, process_provider
from stringd_runs.runs_settings import RunsSettings, named_values

RESERVED = frozenset({"scripted", "openai-compatible", "anthropic", "process"})


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
    yield process_provider(_programs(runtime, settings))
    for name, url in named_values("endpoints", settings.endpoints).items():
        if name in RESERVED:
            raise Fault(f"runs.endpoints has an entry called {name}, as another provider is")
        yield openai_provider(server(name, url, _key_variable(name)), name, is_custom=True)


def _programs(runtime: Runtime, settings: RunsSettings) -> Programs:
    found: dict[str, Program] = {}
    for key, entries in (("programs", settings.programs), ("json_programs", settings.json_programs)):
        for name, command in named_values(key, entries).items():
            if name in found:
                raise Fault(f"two programs are called {name}, in runs.programs and runs.json_programs")
            found[name] = Program(command=_words(name, command), speaks_json=key == "json_programs")
    return Programs(runtime=runtime, programs=found, variables=settings.program_variables)


def _words(name: str, command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise Fault(f"the command of the program {name} cannot be read: {error}") from None
    if not words or not words[0]:
        raise Fault(f"the command of the program {name} cannot be read: it is empty")
    return words


def _bearer(key: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {key}"}


def _key_variable(name: str) -> str:
    return "".join(it if it.isalnum() else "_" for it in name.upper()) + "_API_KEY"
