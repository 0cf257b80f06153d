"""How each message of a client is handled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from stringd.plugin import Disconnected, Runtime, UnknownUser, User
from stringd_runs.messages.client_messages import (
    ClientMessage,
    ContinueRun,
    GetAvailableModels,
    ListProviders,
    ListRuns,
    ListStrategies,
    PermissionDecision,
    Ping,
    PrepareRun,
    StartRun,
    SteerRun,
    StopRun,
    Subscribe,
    Unsubscribe,
    UserInput,
)
from stringd_runs.messages.daemon_replies import (
    AvailableModels,
    Pong,
    ProviderList,
    Reply,
    RunErrorCode,
    RunList,
    StrategyList,
)
from stringd_runs.messages.run_events import Subscriber
from stringd_runs.providers.provider_catalogue import ProviderCatalogue
from stringd_runs.running.run_refused import RunRefused
from stringd_runs.running.runs import Runs
from stringd_runs.strategies.available_strategies import AvailableStrategies

_THROUGH = "WebSocket"
_PONG = Pong()
_NOWHERE = Path("/nonexistent")


class Client(Struct, frozen=True, kw_only=True):
    """Who sends the requests of one connection, and what takes the events of the runs that it follows."""

    runtime: Runtime
    runs: Runs
    providers: ProviderCatalogue
    strategies: AvailableStrategies
    subscriber: Subscriber
    user_id: str
    disconnected: Disconnected

    @property
    def user(self) -> User:
        """The user whose runs the client may see; one that is not registered has no files."""
        try:
            return self.runtime.user(self.user_id)
        except UnknownUser:
            return User(id=self.user_id, home=_NOWHERE, created_at="")


def takes_time(client: Client, message: ClientMessage) -> bool:
    """Whether handling a message may take time, because it reads files or asks other programs."""
    if isinstance(message, Subscribe):
        with suppress(UnknownUser):
            return not client.runs.can_subscribe_at_once(client.user, message.run_id, message.after_seq)
    return type(message) in _SLOW


def handle(client: Client, message: ClientMessage) -> Reply | None:
    """Handle a message that takes no time; return its reply if it has one. Raises `RunRefused`."""
    return _QUICK[type(message)](client, message)


async def handle_any(client: Client, message: ClientMessage) -> Reply | None:
    """Handle a message, however long that takes; return its reply if it has one. Raises `RunRefused`."""
    slow = _SLOW.get(type(message))
    return await slow(client, message) if slow else handle(client, message)


def _ping(_client: Client, _message: Ping) -> Reply:
    return _PONG


def _start(client: Client, message: StartRun) -> None:
    client.runs.start(client.user, message.run_id, message.input, message.request_id)


def _continue(client: Client, message: ContinueRun) -> None:
    client.runs.continue_run(client.user, message.run_id, message.input, message.request_id)


def _stop(client: Client, message: StopRun) -> None:
    client.runs.stop(client.user, message.run_id)


def _steer(client: Client, message: SteerRun) -> None:
    client.runs.steer(client.user, message.run_id, message.text)


def _answer(client: Client, message: UserInput) -> None:
    client.runs.answer(client.user, message.run_id, message.agent_name, message.text, _THROUGH)


def _decide(client: Client, message: PermissionDecision) -> None:
    client.runs.decide(
        client.user,
        message.run_id,
        message.permission_request_id,
        message.decision,
        is_operator=client.subscriber.is_operator,
    )


def _unsubscribe(client: Client, message: Unsubscribe) -> None:
    client.runs.unsubscribe(client.user, message.run_id, client.subscriber)


async def _prepare(client: Client, message: PrepareRun) -> Reply:
    try:
        user = client.runtime.user(client.user_id)
    except UnknownUser as error:
        reason = f"{error}. Register it with POST /users."
        raise RunRefused(RunErrorCode.PREPARE_FAILED, reason) from None
    return await client.runs.prepare(user, message, client.subscriber, disconnected=client.disconnected)


async def _subscribe(client: Client, message: Subscribe) -> None:
    await client.runs.subscribe(client.user, message.run_id, client.subscriber, message.after_seq)


def _subscribe_at_once(client: Client, message: Subscribe) -> None:
    client.runs.subscribe_at_once(client.user, message.run_id, client.subscriber, message.after_seq)


async def _list_runs(client: Client, message: ListRuns) -> Reply:
    return RunList(runs=await client.runs.stored(client.user, message.cwd))


async def _list_strategies(client: Client, _: ListStrategies) -> Reply:
    available = await client.strategies.listed(client.user)
    return StrategyList(runs=client.runs.summaries(client.user), available=available)


async def _list_providers(client: Client, message: ListProviders) -> Reply:
    listed = await client.providers.list_providers(client.user, scope=message.scope, live=message.live)
    return ProviderList(providers=listed)


async def _list_models(client: Client, message: GetAvailableModels) -> Reply:
    listed = await client.providers.list_models(client.user, model_id=message.model_id, scope=message.scope)
    return AvailableModels(models=listed)


_QUICK: Mapping[type, Callable[[Client, Any], Reply | None]] = {
    Ping: _ping,
    StartRun: _start,
    ContinueRun: _continue,
    StopRun: _stop,
    SteerRun: _steer,
    UserInput: _answer,
    PermissionDecision: _decide,
    Subscribe: _subscribe_at_once,
    Unsubscribe: _unsubscribe,
}
_SLOW: Mapping[type, Callable[[Client, Any], Awaitable[Reply | None]]] = {
    PrepareRun: _prepare,
    Subscribe: _subscribe,
    ListStrategies: _list_strategies,
    ListRuns: _list_runs,
    ListProviders: _list_providers,
    GetAvailableModels: _list_models,
}
