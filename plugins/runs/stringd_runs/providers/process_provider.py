"""The provider `process`: programs of this machine that answer instead of a model."""

from __future__ import annotations

import os
import shlex
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from typing import Any

from msgspec import Struct

from stringd.plugin import Refusal, Runtime
from stringd.plugin.effects import ShellRun
from stringd.plugin.processes import kept_environment
from stringd_runs.model_provider import (
    CredentialType,
    Model,
    ModelCall,
    ModelProvider,
    ProviderEvent,
    ProviderFailed,
)
from stringd_runs.providers.program_answers import (
    JsonLines,
    PlainText,
    json_prompt,
    plain_prompt,
)
from stringd_runs.providers.program_stream import program_stream
from stringd_runs.runs_settings import ProgramCommand, RunsSettings


class Programs(Struct, frozen=True, kw_only=True):
    """All programs of the settings, and the variables of the daemon that they get."""

    runtime: Runtime
    programs: Mapping[str, ProgramCommand]
    variables: tuple[str, ...]

    def check(self, model: str, options: Mapping[str, Any]) -> None:
        """Raise `ProviderFailed` if there is no such program."""
        del options
        if model not in self.programs:
            raise ProviderFailed(f"process has no program {model}: name it in the setting runs.programs")

    async def stream(self, call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
        """Run a program for one call, if that is permitted."""
        self.check(call.model, call.provider_options)
        program = self.programs[call.model]
        await self._permit(program, call)
        decoder = JsonLines() if program.speaks_json else PlainText()
        prompt = json_prompt(call) if program.speaks_json else plain_prompt(call)
        output = program_stream(
            program.words,
            directory=call.user.home,
            environment=self._environment(call),
            given=prompt.encode(errors="surrogatepass"),
        )
        async with aclosing(output) as pieces:
            async for piece in pieces:
                for it in _understood(call, decoder.feed(piece)):
                    yield it
        for it in _understood(call, decoder.finish()):
            yield it

    async def _permit(self, program: ProgramCommand, call: ModelCall) -> None:
        effect = ShellRun(text=shlex.join(program.words), directory=call.user.home)
        purpose = f"the agent {call.agent} asks process/{call.model}"
        try:
            await self.runtime.permit(effect, user=call.user, topic=f"run:{call.run_id}", purpose=purpose)
        except Refusal as refusal:
            raise ProviderFailed(f"process/{call.model} was not run: {refusal}") from refusal

    def _environment(self, call: ModelCall) -> Mapping[str, str]:
        named = {it: os.environ[it] for it in self.variables if it in os.environ}
        return {**kept_environment(self.runtime), "HOME": str(call.user.home), **named}


def process_provider(runtime: Runtime, settings: RunsSettings) -> ModelProvider:
    """Return the provider of the programs that the settings name."""
    commands = settings.read_programs()
    programs = Programs(runtime=runtime, programs=commands, variables=settings.program_variables)
    return ModelProvider(
        name="process",
        title="Programs",
        stream=programs.stream,
        models=[Model(id=it) for it in commands],
        credential_type=CredentialType.NONE,
        check=programs.check,
    )


def _understood(call: ModelCall, events: Iterable[ProviderEvent]) -> Iterable[ProviderEvent]:
    try:
        return list(events)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise ProviderFailed(f"process/{call.model} has printed what cannot be understood") from error
