"""Benchmarks of clusters: nodes beside a single daemon, the hop, moves of homes, failover."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median, quantiles

from bench.cluster_clients import Address, Caller, Silence, seconds_to_print
from bench.cluster_commands import PIECE_BYTES, PIECES, WAIT_SECONDS
from bench.cluster_nodes import LEASE_SECONDS, Cluster, Node, cluster
from bench.cores import apart
from bench.load import Job, Target, measure, rate
from bench.rooms import measurement
from bench.servers import USER, daemon
from bench.table import Row, at_least, at_most

_ROUNDS, _CALLS = 9, 300
_CLIENTS = 16
_COLD = 300
_FAILURES = 10
_READERS = 50
_USERS, _TOPICS = 100, 100
_MOST_SILENCE = LEASE_SECONDS + 0.5
_MOST_LEAVING = 0.5
_MOST_REOPENING = 15.0
_TIMES = 7
_COMMANDS = ("/info", '/set {n} = "%s"')


@measurement
def owner() -> Iterator[Row]:
    """`/info` and a stored write: at a single daemon, at the owner, and through another node."""
    with ExitStack() as servers:
        single = servers.enter_context(daemon())
        nodes = servers.enter_context(cluster("one", "two"))
        here, there = _started(nodes)
        addresses = (Address(port=single.port, user=USER), here, there)
        callers = [servers.enter_context(Caller(it)) for it in addresses]
        servers.enter_context(apart([single.process.pid, *(it.pid for it in nodes.nodes)]))
        info, stored = (_middles(callers, it) for it in _COMMANDS)
    yield at_most(
        1.15,
        median(near / alone for alone, near, _ in info),
        what="`/info`, one client: median at the owner",
        measured=_shown(median(near for _, near, _ in info)),
        reference=f"single daemon {_shown(median(alone for alone, *_ in info))}",
    )
    yield at_most(
        6,
        median(far / near for _, near, far in info),
        what="the same through another node",
        measured=_shown(median(far for *_, far in info)),
        reference=f"at the owner {_shown(median(near for _, near, _ in info))}",
    )
    yield Row(
        what="a stored `/set`, one client: median at the owner",
        measured=_shown(median(near for _, near, _ in stored)),
        reference=f"single daemon {_shown(median(alone for alone, *_ in stored))}",
        ratio=median(near / alone for alone, near, _ in stored),
    )
    yield Row(
        what="the same through another node",
        measured=_shown(median(far for *_, far in stored)),
        reference=f"at the owner {_shown(median(near for _, near, _ in stored))}",
        ratio=median(far / near for _, near, far in stored),
    )


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _started(nodes: Cluster, users: Sequence[str] = ()) -> tuple[Address, Address]:
    """Start two nodes; return how a user reaches the owner of the home, and the other one."""
    first, second = nodes.nodes
    (user,) = nodes.users_of(first, 1)
    nodes.register([user, *users])
    token = nodes.token(user)
    nodes.start()
    here, there = (Address(port=it.port, user=user, token=token) for it in (first, second))
    with Caller(here) as caller:
        caller.seconds("/info")
    if nodes.owner(user) is not first:
        raise RuntimeError(f"{first.name} has not taken the home of {user}")
    return here, there


def _middles(callers: Sequence[Caller], cmd: str) -> Sequence[tuple[float, float, float]]:
    """Return the median times of a command at each place, round by round."""
    return [_round(callers, cmd) for _ in range(_ROUNDS + 1)][1:]


def _round(callers: Sequence[Caller], cmd: str) -> tuple[float, float, float]:
    alone, near, far = (
        median(caller.seconds(cmd.replace("%s", str(number))) for number in range(_CALLS))
        for caller in callers
    )
    return alone, near, far


@measurement
def scaling() -> Iterator[Row]:
    """Three nodes with 16 clients each, beside one of them with 16, for commands that wait."""
    with cluster("one", "two", "three") as nodes:
        users = {node: nodes.users_of(node, _CLIENTS) for node in nodes.nodes}
        nodes.register([user for those in users.values() for user in those])
        token = nodes.token(users[nodes.nodes[0]][0], "admin")
        nodes.start()
        targets = [_waiting(node, those, token) for node, those in users.items()]
        _answers_per_second(targets)
        pairs = [(_answers_per_second(targets), _answers_per_second(targets[:1])) for _ in range(_TIMES)]
    yield at_least(
        2.5,
        median(three / one for three, one in pairs),
        what=f"waiting {WAIT_SECONDS * 1000:.0f} ms, {_CLIENTS} clients at each of three nodes: answers/s",
        measured=f"{median(three for three, _ in pairs):,.0f}",
        reference=f"one node {median(one for _, one in pairs):,.0f}",
    )


def _waiting(node: Node, users: Sequence[str], token: str) -> Target:
    addresses = [Address(port=node.port, user=user, token=token) for user in users]
    requests = tuple(it.request("/wait").decode() for it in addresses)
    return Target(pid=node.pid, port=node.port, requests=requests, expect='"ok":true')


def _answers_per_second(targets: Sequence[Target]) -> float:
    """Load all targets at once, each from a process of its own."""
    with ThreadPoolExecutor() as generators:
        jobs = [Job(targets={"node": it}, connections=_CLIENTS, rounds=1) for it in targets]
        measured = list(generators.map(measure, jobs))
    rounds = [each for seen in measured for each in seen["node"]]
    if errors := sum(each.errors for each in rounds):
        raise RuntimeError(f"{errors} requests failed")
    return sum(map(rate, rounds))


@measurement
def claim() -> Iterator[Row]:
    """The first command of users whose homes no node has."""
    with cluster("one", "two") as nodes:
        first = nodes.nodes[0]
        users = nodes.users_of(first, _COLD)
        nodes.register(users)
        token = nodes.token(users[0], "admin")
        nodes.start()
        seconds, again = [], []
        for user in users:
            with Caller(Address(port=first.port, user=user, token=token)) as caller:
                seconds.append(caller.seconds("/info"))
                again.append(caller.seconds("/info"))
    cuts = quantiles(seconds, n=100)
    yield Row(
        what=f"the first `/info` of {_COLD} users whose homes no node has: median and 99th percentile",
        measured=f"{_shown(cuts[49])}, {_shown(cuts[98])}",
        reference=f"their second {_shown(median(again))}",
        ratio=cuts[49] / median(again),
    )


@measurement
def failover() -> Iterator[Row]:
    """The longest silence for clients of the other node when the owner of a home is killed, or leaves."""
    with cluster("one", "two") as nodes:
        (user,) = nodes.users_of(nodes.nodes[0], 1)
        nodes.register([user])
        token = nodes.token(user)
        nodes.start()
        killed = [_silence(nodes, user, token, Node.kill) for _ in range(_FAILURES)]
        left = [_silence(nodes, user, token, Node.ask_to_stop) for _ in range(_FAILURES)]
    yield _silence_row(f"the owner is killed, lease {LEASE_SECONDS:g} s", killed, _MOST_SILENCE)
    yield _silence_row("the owner leaves in order", left, _MOST_LEAVING)


def _silence(nodes: Cluster, user: str, token: str, end: Callable[[Node], None]) -> float:
    """End the owner of a home, and return for how long clients got no answer; start it again."""
    with Caller(Address(port=nodes.nodes[0].port, user=user, token=token)) as caller:
        caller.seconds("/info")
    owner = nodes.owner(user)
    other = next(it for it in nodes.nodes if it is not owner)
    if owner is None:
        raise RuntimeError("no node has the home")
    with Silence(Address(port=other.port, user=user, token=token)) as silence:
        silence.wait_for_answers()
        end(owner)
        owner.await_end()
        silence.wait_for_answers()
    owner.start()
    return silence.longest()


def _silence_row(what: str, silences: Sequence[float], goal: float) -> Row:
    return Row(
        what=f"{what}: longest silence, median and maximum of {len(silences)}",
        measured=f"{median(silences):.2f} s, {max(silences):.2f} s",
        goal=f"at most {goal:g} s",
        met=max(silences) <= goal,
    )


@measurement
def reopening() -> Iterator[Row]:
    """A command in each of 10,000 topics after their node was killed."""
    with cluster("one", "two") as nodes:
        first, second = nodes.nodes
        users = nodes.users_of(first, _USERS)
        nodes.register(users)
        token = nodes.token(users[0], "admin")
        nodes.start()
        here, there = (
            [Address(port=node.port, user=user, token=token) for user in users] for node in (first, second)
        )
        _run_in_all(here, '/set {city} = "Oslo"')
        with Silence(there[0]) as silence:
            first.kill()
            silence.wait_for_answers()
        seconds = _run_in_all(there, "/info")
    yield Row(
        what=f"{_USERS * _TOPICS:,} topics of {_USERS} users, after their node was killed: `/info` in each",
        measured=f"{seconds:.1f} s",
        goal=f"at most {_MOST_REOPENING:g} s",
        met=seconds <= _MOST_REOPENING,
    )


def _run_in_all(addresses: Sequence[Address], cmd: str) -> float:
    """Run a command in all topics of the users, of which 16 are at it at once; return how long that takes."""

    def run(address: Address) -> None:
        with Caller(address) as caller:
            for number in range(_TOPICS):
                caller.seconds(cmd, f"file:t{number}")

    start = time.perf_counter()
    with ThreadPoolExecutor(_CLIENTS) as clients:
        list(clients.map(run, addresses))
    return time.perf_counter() - start


@measurement
def streams() -> Iterator[Row]:
    """Events of 4 KiB, to readers at another node than the one where they happen."""
    with cluster("one", "two") as nodes:
        here, there = _started(nodes)
        pairs = [
            tuple(asyncio.run(seconds_to_print(here, place, _READERS)) for place in (there, here))
            for _ in range(_TIMES + 1)
        ][1:]
    size = PIECES * PIECE_BYTES * _READERS / (1 << 20)
    yield Row(
        what=f"{PIECES} events of 4 KiB to {_READERS} readers at another node: how fast",
        measured=f"{size / median(far for far, _ in pairs):.0f} MiB/s",
        reference=f"readers at the owner {size / median(near for _, near in pairs):.0f} MiB/s",
        ratio=median(near / far for far, near in pairs),
    )
