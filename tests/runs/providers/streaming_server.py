"""Providers of models against a loopback server that says whatever a test wants it to say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from stringd.http_client.shared_client import SharedHttpClient
from stringd.plugin import Config, Runtime, Zone, ZoneLimit
from stringd.plugin.effects import Effect
from stringd_runs.model_provider import ModelProvider
from stringd_runs.providers.model_stream import StreamLimits, stream_model
from stringd_runs.providers.provider_catalogue import ProviderCatalogue
from stringd_runs.runs_settings import RunsSettings
from tests.runs.providers.model_calls import MOST_SECONDS, USER, model_call
from tests.web.server import Received, Reply, Site, Wire, answer, chunked

KEY = "sk-verysecret-0123456789"
EVENT_STREAM = "text/event-stream; charset=utf-8"
QUICK = StreamLimits(first=10, idle=10, retry_pause=0.001, longest_pause=10)
Result = TypeVar("Result")


def events(*objects: Any, named: bool = False) -> bytes:
    """Return a stream of server-sent events, each a JSON object; `named` after their type."""
    texts = [it if isinstance(it, str) else json.dumps(it, ensure_ascii=False) for it in objects]
    names = [
        f"event: {it['type']}\n" if named and isinstance(it, dict) and "type" in it else "" for it in objects
    ]
    return "".join(f"{name}data: {text}\n\n" for name, text in zip(names, texts, strict=True)).encode()


def streamed(*objects: Any, named: bool = False) -> bytes:
    """Return an answer with a stream of events."""
    return answer(events(*objects, named=named), media_type=EVENT_STREAM)


def in_pieces(data: bytes, size: int) -> Wire:
    """Return an answer whose stream arrives in pieces of this size."""
    return chunked((data[start : start + size] for start in range(0, len(data), size)), EVENT_STREAM)


def one_after_the_other(*replies: Reply) -> Callable[[Received], Wire]:
    """Answer each request with the next reply, and all further ones with the last."""
    waiting = list(replies)

    def reply(received: Received) -> Wire:
        current = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return current(received) if callable(current) else current

    return reply


PUBLIC_ONLY = ZoneLimit(nearest_zone=Zone.PUBLIC, reason="It does not hold for configured servers.")


@dataclass
class FakeSecrets:
    """Secrets that are the same for all users."""

    values: dict[str, str]

    def find(self, name: str, *, plugin: str, user_id: str | None = None) -> str | None:
        assert (plugin, user_id) in {("runs", "ann"), ("runs", "bob")}
        return self.values.get(name)


@dataclass
class FakeRuntime:
    """As much of a daemon as providers need."""

    configured: RunsSettings
    secrets: FakeSecrets
    http: SharedHttpClient = field(default_factory=lambda: SharedHttpClient(1, limit=PUBLIC_ONLY))
    records: tuple[ModelProvider, ...] = ()
    permitted: list[Effect] = field(default_factory=list)
    config: Config = field(default_factory=lambda: Config(plugins=()))

    async def permit(self, effect: Effect, **_: object) -> None:
        self.permitted.append(effect)

    def settings(self, record: type[RunsSettings]) -> RunsSettings:
        assert record is RunsSettings
        return self.configured

    def added(self, record: type[ModelProvider]) -> tuple[ModelProvider, ...]:
        assert record is ModelProvider
        return self.records


@dataclass
class Providers:
    """The providers of a daemon whose servers are a site of a test."""

    site: Site
    settings: dict[str, Any] = field(default_factory=dict)
    secrets: dict[str, str] = field(
        default_factory=lambda: dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), KEY)
    )
    records: tuple[ModelProvider, ...] = ()
    home: Path = Path("/home/ann")

    def use(self, work: Callable[[ProviderCatalogue], Awaitable[Result]]) -> Result:
        """Return what is made of the catalogue of a new daemon."""
        urls = {"openai_url": f"{self.site.url}/v1", "anthropic_url": self.site.url}

        async def run() -> Result:
            runtime = FakeRuntime(
                RunsSettings(**{**urls, **self.settings}), FakeSecrets(self.secrets), records=self.records
            )
            try:
                return await work(ProviderCatalogue(cast(Runtime, runtime)))
            finally:
                await runtime.http.aclose()

        return asyncio.run(asyncio.wait_for(run(), MOST_SECONDS))

    def stream(
        self,
        model: str,
        text: str = "Hello",
        *,
        limits: StreamLimits = QUICK,
        on_event: Callable[[Any], None] = lambda _: None,
        **fields: Any,
    ) -> list[Any]:
        """Return the events of a call of a model."""
        options = fields.pop("provider_options", {})

        async def run(catalogue: ProviderCatalogue) -> list[Any]:
            call = model_call(
                text,
                model=model.partition("/")[2],
                provider_options=options,
                user=replace(USER, home=self.home),
                **fields,
            )
            chosen = catalogue.choose(model, call.user, {model.partition("/")[0]: options})
            return await _read(stream_model(chosen.provider, call, limits), on_event)

        return self.use(run)

    @property
    def sent(self) -> dict[str, Any]:
        """The body of the last request."""
        body: dict[str, Any] = json.loads(self.site.last.body)
        return body


async def _read(stream: AsyncGenerator[Any, None], on_event: Callable[[Any], None]) -> list[Any]:
    events = []
    async for it in stream:
        on_event(it)
        events.append(it)
    return events
