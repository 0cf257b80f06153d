"""Servers of models: their keys, their streams of JSON, and their failures as texts without secrets."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Protocol

from msgspec import Struct

from stringd.plugin import BodySink, HttpFailed, HttpRequest, HttpResponse, Refusal, Runtime, User
from stringd.plugin.http import SseEvent, SseParser
from stringd.plugin.text import WebUrl, mask_beginning, parse_media_type
from stringd_runs.model_provider import Model, ProviderEvent, ProviderFailed
from stringd_runs.providers.server_failures import error_text, event_failure, message_in, status_failure

MEBIBYTE = 1024 * 1024
_MOST_STREAMED = 64 * MEBIBYTE
_MOST_PIECES = 10_000_000
_MOST_READ = 8 * MEBIBYTE
_QUEUED_PIECES = 16
_EVENT_STREAM = "text/event-stream"
_END = "[DONE]"


class AnswerDecoder(Protocol):
    """Makes events of a provider from the JSON objects of one streamed answer."""

    def feed(self, event: Mapping[str, Any]) -> Iterable[ProviderEvent]:
        """Return what an object adds; one of another shape may raise any lookup, type or value error."""

    def finish(self) -> Iterable[ProviderEvent]:
        """Return the rest with its `Finished`, after the end of the stream; nothing if it was cut."""


class ModelServer(Struct, frozen=True, kw_only=True):
    """A server that streams answers of models as server-sent events."""

    name: str
    url: str
    key_variable: str
    key_headers: Callable[[str], Mapping[str, str]]
    runtime: Runtime

    def find_key(self, user: User) -> str | None:
        """Return the key that is stored for a user or for all, or that is in the environment."""
        stored = self.runtime.secrets.find(self.key_variable, plugin="runs", user_id=user.id)
        return (stored or os.environ.get(self.key_variable, "")).strip() or None

    @property
    def key_hint(self) -> str:
        """How to give the daemon the key."""
        return f"set {self.key_variable}, or run `stringd secret set {self.key_variable} --plugin runs`"

    async def stream(
        self, user: User, path: str, body: Mapping[str, Any], decoder: AnswerDecoder
    ) -> AsyncGenerator[ProviderEvent, None]:
        """Post a request and stream what a decoder makes of the answer; raise `ProviderFailed`."""
        key = self.find_key(user)
        request = self._request("POST", path, key, json.dumps(body).encode())
        async with aclosing(self._events(request, key)) as events:
            async for event in events:
                if event.data == _END:
                    break
                fields = self._json(event.data)
                self._check_error(fields, key)
                for it in self._decoded(partial(decoder.feed, fields)):
                    yield it
        for it in self._decoded(decoder.finish):
            yield it

    async def list_models(
        self, user: User, path: str, read: Callable[[Mapping[str, Any]], Model]
    ) -> Sequence[Model]:
        """Return what the entries of the list at a path are read as; raise `ProviderFailed`."""
        key = self.find_key(user)
        response = await self._exchange(self._request("GET", path, key), key, None)
        listed = self._json(response.body)
        try:
            return [read(it) for it in listed["data"]]
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise ProviderFailed(
                f"{self.name} has sent a list of models that cannot be understood"
            ) from error

    def _request(self, method: str, path: str, key: str | None, body: bytes | None = None) -> HttpRequest:
        try:
            base = WebUrl.read(self.url)
        except ValueError as error:
            raise ProviderFailed(f"the URL of {self.name} is wrong: {error}") from None
        headers = {"content-type": "application/json"} if body else {}
        if key is not None:
            if not key.isascii() or not key.isprintable() or " " in key:
                raise ProviderFailed(f"{self.key_variable} is not a key: it has other characters")
            headers |= self.key_headers(key)
        folder, mark, query = base.target.partition("?")
        target = folder.rstrip("/") + path + mark + query
        return HttpRequest(
            method=method, origin=base.origin, target=target, headers=headers, body=body, own=True
        )

    async def _events(self, request: HttpRequest, key: str | None) -> AsyncGenerator[SseEvent, None]:
        """Yield the events of a response as they arrive."""
        pieces: asyncio.Queue[bytes | HttpResponse | Exception] = asyncio.Queue(_QUEUED_PIECES)

        async def receive() -> None:
            try:
                sink = BodySink(write=pieces.put, limit=_MOST_STREAMED, pieces=_MOST_PIECES)
                await pieces.put(await self._exchange(request, key, sink))
            except Exception as error:
                # Also a bug must not keep the reader waiting.
                await pieces.put(error)

        parser = SseParser()
        receiving = asyncio.create_task(receive())
        try:
            while isinstance(piece := await pieces.get(), bytes):
                for event in parser.feed(piece):
                    yield event
        finally:
            receiving.cancel()
            await asyncio.wait({receiving})
        if isinstance(piece, Exception):
            raise piece
        media_type = parse_media_type(piece.headers.get("content-type", "")).type
        if media_type != _EVENT_STREAM:
            sent = self._masked(media_type, key) or "something"
            raise ProviderFailed(f"{self.name} has sent {sent} instead of a stream of events")

    async def _exchange(self, request: HttpRequest, key: str | None, sink: BodySink | None) -> HttpResponse:
        try:
            response = await self.runtime.http.exchange(request, limit=_MOST_READ, sink=sink)
        except HttpFailed as error:
            raise ProviderFailed(f"{self.name}: {error}", is_transient=True) from error
        except Refusal as error:
            raise ProviderFailed(f"{self.name}: {error}") from error
        if not 200 <= response.status < 300:
            raise status_failure(self.name, response, self._masked(error_text(response.body), key))
        return response

    def _check_error(self, fields: Any, key: str | None) -> None:
        if isinstance(fields, dict) and (error := fields.get("error")):
            raise event_failure(self.name, error, self._masked(message_in(error), key))

    def _decoded(self, decode: Callable[[], Iterable[ProviderEvent]]) -> Iterable[ProviderEvent]:
        try:
            return list(decode())
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise ProviderFailed(f"{self.name} has sent an answer that cannot be understood") from error

    def _json(self, data: str | bytes) -> Any:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise ProviderFailed(f"{self.name} has sent something that is not JSON") from None

    def _masked(self, text: str, key: str | None) -> str:
        return mask_beginning(text, {key: f"${self.key_variable}"} if key else {}, 500)
