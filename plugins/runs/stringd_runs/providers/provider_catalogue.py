"""All providers of a daemon by id, and the models that agents name as `provider/model`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from stringd.plugin import Runtime, User
from stringd.plugin.text import nearest
from stringd.plugin.workers import guarded_call, guarded_call_async
from stringd_runs.messages.daemon_replies import ListedModel, ListedProvider
from stringd_runs.model_provider import (
    Model,
    ModelCall,
    ModelProvider,
    ProviderEvent,
    ProviderFailed,
)
from stringd_runs.prices import Price, price_of
from stringd_runs.providers.builtin_providers import builtin_providers
from stringd_runs.providers.model_stream import DEFAULT_LIMITS, StreamLimits, report_bug, stream_model
from stringd_runs.runs_settings import RunsSettings

LOG = logging.getLogger(__name__)
_CONFIGURED = "configured"
_LIST_SECONDS = 10.0


class ChosenModel(Struct, frozen=True, kw_only=True):
    """A model that an agent may call, with the agent's options for its provider."""

    provider: ModelProvider
    model: str
    options: Mapping[str, Any]
    limits: StreamLimits = DEFAULT_LIMITS
    context_window: int | None = None
    price: Price | None = None

    @property
    def name(self) -> str:
        """The model as agents name it."""
        return f"{self.provider.name}/{self.model}"

    def stream(self, call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
        """Stream a call, as `stream_model` does."""
        return stream_model(self.provider, call, self.limits)


class ProviderCatalogue:
    """The providers of this plugin and of others."""

    def __init__(self, runtime: Runtime) -> None:
        self._providers = {it.name: it for it in builtin_providers(runtime)}
        for it in runtime.added(ModelProvider):
            if self._providers.setdefault(it.name, it) is not it:
                LOG.warning("a plugin's provider %s is left out: stringd has one of this name", it.name)
        # Each user may have a key, which may have models, of their own.
        self._listed: dict[tuple[str, str], Sequence[Model]] = {}
        settings = runtime.settings(RunsSettings)
        self._prices = settings.read_prices()
        self._limits = StreamLimits(first=settings.first_seconds, idle=settings.idle_seconds)

    def choose(self, name: str, user: User, provider_options: Mapping[str, Any]) -> ChosenModel:
        """Return the model that `provider/model` names, ready to be called.

        `provider_options` are those of the agent for all providers. Raises `ProviderFailed` if there is no
        such provider, if it lacks its key, or if the model cannot work with these options.
        """
        provider_name, _, model = name.partition("/")
        if not provider_name or not model:
            raise ProviderFailed(f"a model is named as provider/model, not {name}")
        provider = self._provider(provider_name)
        options = provider_options.get(provider_name, {})
        if not isinstance(options, Mapping):
            raise ProviderFailed(f"providerOptions.{provider_name} must be a mapping")
        if not _is_configured(provider, user):
            raise ProviderFailed(f"{provider_name} is not configured: {provider.key_hint}")
        _check(provider, model, options)
        known = next((it for it in self._known_models(provider, user) if it.id == model), None)
        return ChosenModel(
            provider=provider,
            model=model,
            options=options,
            limits=self._limits,
            context_window=known.context_window if known else None,
            price=self._prices.get(name) or price_of(known.cost if known else None),
        )

    async def list_providers(
        self, user: User, *, scope: str | None = None, live: bool = False
    ) -> Sequence[ListedProvider]:
        """Return all providers by id, or those that a user can use if the scope is `configured`.

        Providers are asked for their models only if the list should be `live`.
        """
        providers = self._in_scope(user, scope)
        errors = await asyncio.gather(*(self._ask(it, user) for it in providers if live))
        return [
            self._listed_provider(it, user, error)
            for it, error in zip_longest(providers, errors, fillvalue=None)
            if it is not None
        ]

    async def list_models(
        self, user: User, *, model_id: str | None = None, scope: str | None = None
    ) -> Sequence[ListedModel]:
        """Return the known models by id, or those whose id contains a text, with their providers."""
        models: dict[str, Model] = {}
        offering: dict[str, list[ModelProvider]] = {}
        for provider in self._in_scope(user, scope):
            for it in self._known_models(provider, user):
                if (model_id or "").lower() in it.id.lower():
                    models.setdefault(it.id, it)
                    offering.setdefault(it.id, []).append(provider)
        return [_available(models[it], offering[it], user) for it in sorted(models)]

    async def _ask(self, provider: ModelProvider, user: User) -> str | None:
        """Ask a provider for its models; return why that failed, if it did."""
        if provider.list_models is None or not _is_configured(provider, user):
            return None
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                self._listed[provider.name, user.id] = tuple(
                    await guarded_call_async(provider.list_models, user)
                )
        except TimeoutError:
            return f"{provider.name} has not answered for {_LIST_SECONDS:g} seconds"
        except ProviderFailed as error:
            return str(error)
        except Exception as error:
            return str(report_bug(provider, error))
        return None

    def _in_scope(self, user: User, scope: str | None) -> Sequence[ModelProvider]:
        providers = [self._providers[it] for it in sorted(self._providers)]
        return [it for it in providers if scope != _CONFIGURED or _is_configured(it, user)]

    def _listed_provider(self, provider: ModelProvider, user: User, error: str | None) -> ListedProvider:
        return ListedProvider(
            id=provider.name,
            name=provider.title,
            credential_type=provider.credential_type,
            auth_status=_CONFIGURED if _is_configured(provider, user) else "none",
            models=[_listed_model(it) for it in self._known_models(provider, user)],
            models_source="live" if (provider.name, user.id) in self._listed else "built-in",
            is_custom=provider.is_custom,
            error=error,
        )

    def _known_models(self, provider: ModelProvider, user: User) -> Sequence[Model]:
        """Return the models that the provider has last listed to a user, or those known without asking."""
        return self._listed.get((provider.name, user.id), provider.models)

    def _provider(self, name: str) -> ModelProvider:
        if name in self._providers:
            return self._providers[name]
        similar = nearest(name, self._providers)
        hint = f"did you mean {similar}?" if similar else f"there are {', '.join(sorted(self._providers))}"
        raise ProviderFailed(f"there is no provider {name}: {hint}")


def _is_configured(provider: ModelProvider, user: User) -> bool:
    try:
        return guarded_call(provider.is_configured, user)
    except Exception as error:
        report_bug(provider, error)
        return False


def _check(provider: ModelProvider, model: str, options: Mapping[str, Any]) -> None:
    try:
        guarded_call(provider.check, model, options)
    except ProviderFailed:
        raise
    except Exception as error:
        raise report_bug(provider, error) from error


def _listed_model(model: Model) -> ListedModel:
    return ListedModel(**asdict(model))


def _available(model: Model, providers: Sequence[ModelProvider], user: User) -> ListedModel:
    configured = [it.name for it in providers if _is_configured(it, user)]
    return replace(
        _listed_model(model),
        has_credentials=bool(configured),
        providers=[it.name for it in providers],
        configured_providers=configured,
    )
