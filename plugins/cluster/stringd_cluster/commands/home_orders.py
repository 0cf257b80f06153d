"""Orders to nodes, which are rows of the database: drain a node, move or pin a home, limit a user."""

from __future__ import annotations

import argparse
import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from stringd.plugin import Fault
from stringd.plugin.cli import write_output
from stringd.plugin.text import counted
from stringd_cluster.commands.cluster_database import MISUSE, connection_url, run_with

_LOOK_AGAIN = 0.1
_LEAST, _MOST = 0.001, 1e6
_LIVE = """
SELECT id, name, labels, is_draining FROM stringd.nodes
WHERE ended IS NULL AND expires > clock_timestamp() ORDER BY started
"""
_DRAIN = "UPDATE stringd.nodes SET is_draining = $2 WHERE id = $1"
_OWNED = """
SELECT count(*) FROM stringd.homes JOIN stringd.nodes ON nodes.id = owner
WHERE owner = $1 AND ended IS NULL AND expires > clock_timestamp()
"""
_PINNED = "SELECT count(*) FROM stringd.homes WHERE owner = $1 AND label IS NOT NULL"
_ADD_HOME = "INSERT INTO stringd.homes (id) VALUES ($1) ON CONFLICT DO NOTHING"
_MOVE = "UPDATE stringd.homes SET moved_to = $2 WHERE id = $1"
_PIN = "UPDATE stringd.homes SET label = $2 WHERE id = $1"
_HOME = """
SELECT homes.label, nodes.id AS node_id, nodes.name, nodes.labels FROM stringd.homes
LEFT JOIN stringd.nodes ON nodes.id = owner AND ended IS NULL AND expires > clock_timestamp()
WHERE homes.id = $1
"""
_LIMIT = "UPDATE stringd.users SET requests_per_second = $2 WHERE id = $1 RETURNING id"
_NOTIFY = "SELECT pg_notify($1, $2)"
Probe = Callable[[], Awaitable[str]]


def drain(arguments: argparse.Namespace) -> int:
    """Have a node pass on its homes, or end that."""

    async def order(connection: Any) -> str:
        node = await _node(connection, arguments.node)
        async with connection.transaction():
            await connection.execute(_DRAIN, node["id"], not arguments.undo)
            await connection.execute(_NOTIFY, "stringd_nodes", node["id"])
        if arguments.undo:
            return f"{node['name']} takes homes again"
        if pinned := await connection.fetchval(_PINNED, node["id"]):
            _progress(f"{counted(pinned, 'pinned home')}: available again when a node with the label is")

        async def left() -> str:
            homes = await connection.fetchval(_OWNED, node["id"])
            return f"{counted(homes, 'home')} left" if homes else ""

        await _wait(left, arguments.seconds)
        return f"{node['name']} has no homes any more"

    return _done(arguments, "cluster drain", order)


def move(arguments: argparse.Namespace) -> int:
    """Move a home to a node."""

    async def order(connection: Any) -> str:
        node = await _node(connection, arguments.node)
        await _require_user(connection, arguments.user)
        home = await _home(connection, arguments.user)
        _require_fit(node, home, arguments.user)
        async with connection.transaction():
            await connection.execute(_MOVE, arguments.user, node["name"])
            await connection.execute(_NOTIFY, "stringd_homes", arguments.user)

        async def left() -> str:
            there = await _home(connection, arguments.user)
            is_done = there["name"] in (None, node["name"])
            return "" if is_done else f"{there['name']} still has the home"

        await _wait(left, arguments.seconds)
        return f"the home of {arguments.user} is with {node['name']}, from its next request on"

    return _done(arguments, "cluster move", order)


def pin(arguments: argparse.Namespace) -> int:
    """Let only nodes with a label have a home, or any node."""
    if (arguments.label is None) != arguments.any:
        raise Fault("give a LABEL, or --any", exit_code=MISUSE)

    async def order(connection: Any) -> str:
        await _require_user(connection, arguments.user)
        async with connection.transaction():
            await connection.execute(_PIN, arguments.user, arguments.label)
            await connection.execute(_NOTIFY, "stringd_homes", arguments.user)
        if arguments.any:
            return f"any node may have the home of {arguments.user}"
        nodes = await connection.fetch(_LIVE)
        if not any(_has_label(it, arguments.label) for it in nodes):
            _progress(f"no live node has the label {arguments.label}: the home is unavailable until one has")

        async def left() -> str:
            there = await _home(connection, arguments.user)
            is_done = there["name"] is None or _has_label(there, arguments.label)
            return "" if is_done else f"{there['name']} still has the home"

        await _wait(left, arguments.seconds)
        return f"only nodes with the label {arguments.label} may have the home of {arguments.user}"

    return _done(arguments, "cluster pin", order)


def limit(arguments: argparse.Namespace) -> int:
    """Limit the requests of a user."""
    per_second = _parsed_limit(arguments.limit)

    async def order(connection: Any) -> str:
        async with connection.transaction():
            if not await connection.fetchval(_LIMIT, arguments.user, per_second):
                raise _no_user(arguments.user)
            await connection.execute(_NOTIFY, "stringd_users", arguments.user)
        if per_second is None:
            return f"{arguments.user} has the limit of the settings"
        requests = "request" if per_second == 1 else "requests"
        rate = f"{per_second:g} {requests} per second" if per_second else "any number of requests"
        return f"{arguments.user} may send {rate}"

    return _done(arguments, "cluster limit", order)


def _parsed_limit(text: str) -> float | None:
    if text == "none":
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if number != 0 and not _LEAST <= number <= _MOST:
        message = f"a limit is 0, none, or from {_LEAST} to {_MOST:.0f} requests per second; not {text!r}"
        raise Fault(message, exit_code=MISUSE)
    return number


def _done(arguments: argparse.Namespace, word: str, order: Callable[[Any], Awaitable[str]]) -> int:
    write_output(run_with(connection_url(arguments, word), order))
    return 0


async def _node(connection: Any, wanted: str) -> Mapping[str, Any]:
    nodes: Sequence[Mapping[str, Any]] = await connection.fetch(_LIVE)
    found = [it for it in nodes if wanted in (it["id"], it["name"])]
    if not found:
        names = ", ".join(it["name"] for it in nodes) or "none"
        raise Fault(f"no node {wanted} runs; those that run: {names}")
    return found[-1]


async def _home(connection: Any, user_id: str) -> Mapping[str, Any]:
    home: Mapping[str, Any] = await connection.fetchrow(_HOME, user_id)
    return home


async def _require_user(connection: Any, user_id: str) -> None:
    """Raise `Fault` for an unknown user; see to it that others have a home that can be moved."""
    is_known = await connection.fetchval("SELECT 1 FROM stringd.users WHERE id = $1", user_id)
    if not is_known:
        raise _no_user(user_id)
    await connection.execute(_ADD_HOME, user_id)


def _no_user(user_id: str) -> Fault:
    return Fault(f"there is no user {user_id}")


def _require_fit(node: Mapping[str, Any], home: Mapping[str, Any], user_id: str) -> None:
    if node["is_draining"]:
        raise Fault(f"{node['name']} is draining: first run `stringd cluster drain {node['name']} --undo`")
    if home["label"] is not None and not _has_label(node, home["label"]):
        raise Fault(
            f"the home of {user_id} is pinned to {home['label']}, which {node['name']} is not: its files are "
            f"there. If they are on {node['name']}, too, run `stringd cluster pin {user_id} {node['name']}`"
        )


def _has_label(node: Mapping[str, Any], label: str) -> bool:
    return label == node["name"] or label in node["labels"]


async def _wait(left: Probe, seconds: float) -> None:
    """Wait until nothing is left to do, and report what is; raise `Fault` if that takes too long."""
    deadline, shown = time.monotonic() + seconds, ""
    while what := await left():
        if time.monotonic() > deadline:
            raise Fault(f"after {seconds:g} s, {what}; the nodes go on with it")
        if what != shown:
            _progress(what)
            shown = what
        await asyncio.sleep(_LOOK_AGAIN)


def _progress(text: str) -> None:
    from stringd.plugin.terminal_programs import write_error

    write_error(text)
