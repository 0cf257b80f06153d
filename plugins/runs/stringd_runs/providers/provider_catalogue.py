"""All providers of a daemon by id, and the models that agents name as `provider/model`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

from stringd.plugin import Runtime, User
from stringd.plugin.text import nearest
from stringd_runs.model_provider import (
    Model,
    ModelCall,
    ModelProvider,
    ProviderEvent,
    ProviderFailed,
)
from stringd_runs.providers.builtin_providers import builtin_providers
from stringd_runs.providers.model_stream import stream_model


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenModel:
    """A model that an agent may call, with the agent's options for its provider."""

    provider: ModelProvider
    model: str
    options: Mapping[str, Any]
    context_window: int | None = None

    @property
    def name(self) -> str:
        """The model as agents name it."""
        return f"{self.provider.name}/{self.model}"

    def stream(self, call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
        """Stream a call, as `stream_model` does."""
        return stream_model(self.provider, call)


class ProviderCatalogue:
    """The providers that plugins have added."""

    def __init__(self, runtime: Runtime) -> None:
        found = (*runtime.added(ModelProvider), *builtin_providers(runtime))
        self._providers = {it.name: it for it in found}

    def choose(self, name: str, user: User, provider_options: Mapping[str, Any]) -> ChosenModel:
        """Return the model that `provider/model` names, ready to be called.

        `provider_options` are those of the agent for all providers. Raises `ProviderFailed` if there is no
        such provider, if it lacks its key, or if the model cannot work with these options.
        """
        provider_name, slash, model = name.partition("/")
        if not slash or not model:
            raise ProviderFailed(f"a model is named as provider/model, not {name}")
        provider = self._provider(provider_name)
        options = provider_options.get(provider_name, {})
        if not isinstance(options, Mapping):
            raise ProviderFailed(f"providerOptions.{provider_name} must be a mapping")
        if not provider.is_configured(user):
            raise ProviderFailed(f"{provider_name} is not configured: {provider.key_hint}")
        provider.check(model, options)
        known = self._known_models(provider).get(model)
        return ChosenModel(
            provider=provider,
            model=model,
            options=options,
            context_window=known.context_window if known else None,
        )

    def _provider(self, name: str) -> ModelProvider:
        if name in self._providers:
            return self._providers[name]
        similar = nearest(name, self._providers)
        hint = f"did you mean {similar}?" if similar else f"there are {', '.join(sorted(self._providers))}"
        raise ProviderFailed(f"there is no provider {name}: {hint}")

    def _known_models(self, provider: ModelProvider) -> Mapping[str, Model]:
        return {it.id: it for it in provider.models}
