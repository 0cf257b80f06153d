"""A plugin for the tests that keeps the state of a daemon in memory, and moves homes away and back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from stringd.plugin import (
    Command,
    Invocation,
    KeptOutput,
    Outcome,
    OutputSummary,
    Refusal,
    Reply,
    Runtime,
    SecretScope,
    Session,
    State,
    Step,
    StorageFailed,
    UnknownUser,
    User,
    hookimpl,
)
from stringd.plugin.stores import (
    OutcomeUnknown,
    PluginSecret,
    StoredSession,
    Stores,
    decode_state,
    encode_state,
)

CALLS: list[str] = []
LATE: list[str] = []


class Opened:
    """What all stores of this plugin have."""

    def open(self, data_dir: Path) -> Any:
        CALLS.append(f"open {type(self).__name__}")
        return ()

    def close(self) -> None:
        CALLS.append(f"close {type(self).__name__}")


class People(Opened):
    def __init__(self) -> None:
        self.by_id: dict[str, User] = {}

    def __iter__(self) -> Iterator[User]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def get(self, user_id: str) -> User:
        if user_id not in self.by_id:
            raise UnknownUser(user_id)
        return self.by_id[user_id]

    async def register(
        self, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
    ) -> tuple[User, User | None]:
        before = self.by_id.get(user_id)
        new = User(id=user_id, home=home, created_at="2026-11-20T00:00:00Z")
        self.by_id[user_id] = user = replace(before, home=home) if before else new
        return user, before

    async def remove(self, user_id: str) -> bool:
        return self.by_id.pop(user_id, None) is not None


class Topics(Opened):
    def __init__(self) -> None:
        self.states: dict[tuple[str, str], str] = {}
        self.values: dict[tuple[str, str], dict[str, str]] = {}
        self.saves = 0

    async def of_user(self, user_id: str) -> list[StoredSession]:
        return [
            StoredSession(
                user_id=user, topic=it, state=decode_state(text), has_data=(user, it) in self.values
            )
            for (user, it), text in self.states.items()
            if user == user_id
        ]

    async def save(
        self, user_id: str, topic: str, state: State, data: Mapping[str, str | None], *, afresh: bool = False
    ) -> None:
        self.saves += 1
        self.states[user_id, topic] = encode_state(state)
        values = {} if afresh else self.values.get((user_id, topic), {})
        self.values[user_id, topic] = {k: v for k, v in {**values, **data}.items() if v is not None}

    async def load_data(self, user_id: str, topic: str) -> Mapping[str, str]:
        return self.values.get((user_id, topic), {})

    async def remove(self, user_id: str, topic: str) -> None:
        self.states.pop((user_id, topic), None)
        self.values.pop((user_id, topic), None)

    async def remove_user(self, user_id: str) -> None:
        for it in [it for it in self.states if it[0] == user_id]:
            await self.remove(*it)


class Edits(Opened):
    def __init__(self) -> None:
        self.steps: dict[str, list[Sequence[Step]]] = {}

    async def add(self, session: Session, *steps: Step) -> None:
        self.steps.setdefault(session.name.text, []).append(steps)

    async def mark(self, session: Session) -> None:
        edits = self.steps[session.name.text]
        edits[-1] = [replace(it, written=True) for it in edits[-1]]

    async def last(self, session: Session) -> Sequence[Step]:
        return self.steps.get(session.name.text, [()])[-1][::-1]

    async def drop(self, session: Session) -> None:
        self.steps[session.name.text].pop()
        if not self.steps[session.name.text]:
            await self.forget(session)

    async def forget(self, session: Session) -> None:
        self.steps.pop(session.name.text, None)

    async def remove_user(self, user_id: str) -> None:
        self.steps.clear()


class Answers(Opened):
    def __init__(self) -> None:
        self.kept_outputs: list[KeptOutput] = []

    async def keep(self, session: Session, output: KeptOutput) -> int:
        self.kept_outputs.append(output)
        return len(self.kept_outputs)

    async def keep_pieces(self, session: Session, label: str, pieces: Iterator[str]) -> int:
        return await self.keep(session, KeptOutput(label=label, text="".join(pieces), is_plain=True))

    async def find(self, session: Session, number: int) -> KeptOutput | None:
        return self.kept_outputs[number - 1] if 0 < number <= len(self.kept_outputs) else None

    async def piece(self, output: object, index: int) -> str:
        raise StorageFailed("there are no pieces")

    async def kept(self, session: Session) -> Sequence[OutputSummary]:
        kept = enumerate(self.kept_outputs, start=1)
        return [OutputSummary(number=n, label=it.label, characters=len(it.text)) for n, it in kept]

    async def forget(self, session: Session) -> None:
        self.kept_outputs.clear()

    async def remove_user(self, user_id: str) -> None:
        self.kept_outputs.clear()


class Keys(Opened):
    def __init__(self) -> None:
        self.by_scope: dict[SecretScope, dict[str, str]] = {}

    def of(self, scope: SecretScope) -> Mapping[str, str]:
        return {**self.by_scope.get(replace(scope, config=None), {}), **self.by_scope.get(scope, {})}

    def find(self, name: str, *, plugin: str, user_id: str | None = None) -> str | None:
        return self.by_scope.get(SecretScope(user_id=user_id or "", owner=plugin), {}).get(name)

    def names(self) -> Mapping[str, str]:
        return {value: f"${name}" for it in self.by_scope.values() for name, value in it.items()}

    def owners(self) -> list[tuple[str, str]]:
        return [(it.user_id, it.owner) for it in self.by_scope]

    async def keep(self, scope: SecretScope, values: Mapping[str, str]) -> None:
        self.by_scope.setdefault(scope, {}).update(values)

    async def forget(self, user_id: str, owner: str) -> None:
        self.by_scope = {
            it: v for it, v in self.by_scope.items() if (it.user_id, it.owner) != (user_id, owner)
        }

    async def rename(self, user_id: str, owner: str, new: str) -> None:
        raise StorageFailed("nothing is renamed here")

    async def remove_user(self, user_id: str) -> None:
        self.by_scope = {it: values for it, values in self.by_scope.items() if it.user_id != user_id}

    def plugin_secrets(self) -> Iterator[PluginSecret]:
        return iter([PluginSecret(name=name) for values in self.by_scope.values() for name in values])

    async def all_plugin_secrets(self) -> Sequence[PluginSecret]:
        return list(self.plugin_secrets())

    async def set_plugin_secret(self, secret: PluginSecret, value: str) -> bool:
        await self.keep(
            SecretScope(user_id=secret.user_id or "", owner=secret.plugin or ""), {secret.name: value}
        )
        return True

    async def remove_plugin_secret(self, secret: PluginSecret) -> bool:
        raise StorageFailed("nothing is removed here")


class Entries:
    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    @property
    def folder(self) -> Path:
        raise StorageFailed("there are no folders here")

    async def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    async def set(self, key: str, value: object) -> None:
        self.values[key] = value

    async def delete(self, key: str) -> bool:
        return self.values.pop(key, None) is not None

    async def items(self, prefix: str = "") -> Mapping[str, Any]:
        return {key: value for key, value in self.values.items() if key.startswith(prefix)}

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Entries]:
        before = dict(self.values)
        try:
            yield self
        except BaseException:
            self.values = before
            raise


class Boxes(Opened):
    def __init__(self) -> None:
        self.by_plugin: dict[str, Entries] = {}

    def of(self, plugin: str) -> Entries:
        return self.by_plugin.setdefault(plugin, Entries())


class Sent:
    def __init__(self) -> None:
        self.outcomes: dict[tuple[str, str], Outcome | None] = {}
        self.is_slow = self.fails = False

    async def begin(self, session: Session, request_id: str) -> Outcome | None:
        key = (session.name.text, request_id)
        CALLS.append(f"begin {request_id}")
        if key in self.outcomes:
            if outcome := self.outcomes[key]:
                return outcome
            raise OutcomeUnknown(f"Request {request_id} has begun before.")
        self.outcomes[key] = None
        while self.is_slow:
            await asyncio.sleep(0.01)
        return None

    async def finish(self, session: Session, request_id: str, outcome: Outcome) -> None:
        if self.fails:
            raise StorageFailed("the outcome can't be stored")
        self.outcomes[session.name.text, request_id] = outcome

    async def abandon(self, session: Session, request_id: str) -> None:
        CALLS.append(f"abandon {request_id}")
        del self.outcomes[session.name.text, request_id]


STORES = Stores(
    users=People(),
    sessions=Topics(),
    undo=Edits(),
    outputs=Answers(),
    secrets=Keys(),
    storages=Boxes(),
    requests=Sent(),
)


async def count(invocation: Invocation) -> Reply:
    """Write a line, wait for as many seconds as are given, and write another one."""
    lines, seconds = invocation.session.user.home / "lines.txt", invocation.line.arguments
    with lines.open("a", encoding="utf-8") as file:
        file.write("begun\n")
    await asyncio.sleep(float(seconds or 0))
    with lines.open("a", encoding="utf-8") as file:
        file.write("ended\n")
    return Reply.confirmation(f"Counted {len(lines.read_text(encoding='utf-8').splitlines())}")


async def fail(invocation: Invocation) -> Reply:
    await count(invocation)
    raise Refusal("CONFLICT", "It failed.")


async def late(invocation: Invocation) -> Reply:
    """Go on after a cancellation, and try to store something everywhere once the file `go` is there."""
    runtime, session, home = invocation.runtime, invocation.session, invocation.session.user.home
    (home / "waiting").touch()
    while not (home / "go").exists():
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.01)
    scope = SecretScope(user_id=session.user.id, owner="late")
    changes: dict[str, Callable[[], Awaitable[object]]] = {
        "undo": lambda: runtime.undo.add(session, Step(path=home / "x", before=None, after="")),
        "outputs": lambda: runtime.outputs.keep(session, KeptOutput(label="x", text="x", is_plain=True)),
        "secrets": lambda: runtime.secrets.keep(scope, {"LATE": "x"}),
        "storage": lambda: runtime.storage("elsewhere").set("late", 1),
        "transaction": lambda: _transact(runtime),
    }
    session.remember(replace(session.state, directory="/late"))
    for name, change in changes.items():
        try:
            await change()
            LATE.append(f"{name} stored")
        except StorageFailed as failed:
            LATE.append(f"{name} {failed.code}")
    (home / "over").touch()
    return Reply.confirmation("Over")


async def _transact(runtime: Runtime) -> None:
    async with runtime.storage("elsewhere").transaction() as entries:
        await entries.set("late", 2)


async def put(invocation: Invocation) -> Reply:
    await invocation.runtime.storage("elsewhere").set("put", invocation.line.arguments)
    invocation.session.data["elsewhere"] = invocation.line.arguments
    await invocation.runtime.secrets.keep(
        SecretScope(user_id=invocation.session.user.id, owner="put"), {"WORD": invocation.line.arguments}
    )
    return Reply.confirmation("Put")


@hookimpl
def stringd_commands() -> Iterable[Command]:
    runs = (count, fail, late, put)
    return [Command(name=it.__name__, summary=it.__name__, usage=f"/{it.__name__}", run=it) for it in runs]


@hookimpl
def stringd_stores(runtime: Runtime) -> Iterable[Stores]:
    return [replace(STORES, on_demand=(runtime.config.data_dir.parent / "on-demand").exists())]


@hookimpl
def stringd_routes(runtime: Runtime) -> Iterable[Route]:
    users = runtime.users

    async def release(request: Request) -> JSONResponse:
        stored = request.query_params["stored"] == "yes"
        await runtime.release_topics("default", seconds=float(request.query_params["seconds"]), stored=stored)
        return JSONResponse(dump())

    async def restore(request: Request) -> JSONResponse:
        await runtime.restore_topics(request.query_params.get("user", "default"))
        return JSONResponse(dump())

    async def requests(request: Request) -> JSONResponse:
        sent: Any = STORES.requests
        sent.is_slow, sent.fails = "slow" in request.query_params, "fails" in request.query_params
        return JSONResponse(dump())

    def dump() -> dict[str, Any]:
        kept: Any = STORES
        return {
            "users": [it.id for it in users],
            "topics": {topic: json.loads(it) for (_, topic), it in kept.sessions.states.items()},
            "data": {topic: it for (_, topic), it in kept.sessions.values.items()},
            "saves": kept.sessions.saves,
            "undo": {topic: len(it) for topic, it in kept.undo.steps.items()},
            "outputs": [it.label for it in kept.outputs.kept_outputs],
            "secrets": [[asdict(scope)["owner"], *names] for scope, names in kept.secrets.by_scope.items()],
            "storage": {plugin: it.values for plugin, it in kept.storages.by_plugin.items()},
            "late": LATE,
            "calls": CALLS,
        }

    async def dumped(request: Request) -> JSONResponse:
        return JSONResponse(dump())

    return [
        Route("/elsewhere/release", release, methods=["POST"]),
        Route("/elsewhere/restore", restore, methods=["POST"]),
        Route("/elsewhere/requests", requests, methods=["POST"]),
        Route("/elsewhere", dumped),
    ]
