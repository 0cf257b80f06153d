"""Logs that follow their users, in a real database."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable, Iterable

import pytest

from stringd.plugin.stores import LONGEST_END, LogElsewhere
from tests.cluster.access_tables import make_tables, run
from tests.cluster.cuts import Cut, Target
from tests.cluster.engine import Engine
from tests.cluster.state.homes import StoringNode, node

MIB = 1024 * 1024


def whole(lines: Iterable[bytes]) -> bytes:
    """Return the lines of a log as one text."""
    return b"".join(lines)


async def numbers(it: StoringNode, name: str) -> list[int]:
    """Return the numbers of the lines of a log."""
    rows = await it.pool.fetch("SELECT number FROM log_lines WHERE log = $1 ORDER BY number", name)
    return [row["number"] for row in rows]


@pytest.mark.requirement("cluster.logs.appended")
def test_lines_are_kept_in_order_without_gaps(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as ann:
            await ann.take("u")
            log = ann.logs.log("u", "r")
            assert await ann.logs.read("r", whole) is None
            data = [b"%d\x00\xff\n" % it for it in range(100)]
            await asyncio.gather(*(log.append(it, sync=True) for it in data[:50]))
            await log.append(b"".join(data[50:]), sync=False)
            assert await ann.logs.read("r", whole) == b"".join(data)
            await log.close()
            await ann.logs.log("u", "r").append(b"more\n", sync=True, is_over=True)
            assert await numbers(ann, "r") == list(range(1, 102))
            assert log.keeps_all

    run(test)


@pytest.mark.requirement("cluster.logs.fenced")
def test_only_the_claim_under_which_a_log_was_opened_can_append_to_it(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as ann, node(database, "bob") as bob:
            await ann.take("u")
            log = ann.logs.log("u", "r")
            await log.append(b"1\n", sync=True)
            # Another node has the home, which this one does not know yet.
            await ann.pool.execute("UPDATE homes SET owner = NULL")
            await bob.take("u")
            with pytest.raises(LogElsewhere):
                await log.append(b"lost\n", sync=True)
            with pytest.raises(LogElsewhere):
                await ann.logs.remove(["r"])
            await bob.logs.log("u", "r").append(b"2\n", sync=True)
            await bob.give_up("u")
            await ann.take("u")
            # The home is here again, but what has the log may have missed lines.
            with pytest.raises(LogElsewhere):
                await log.append(b"lost\n", sync=True)
            await ann.logs.log("u", "r").append(b"3\n", sync=True)
            assert await bob.logs.read("r", whole) == b"1\n2\n3\n"
            with pytest.raises(LogElsewhere):
                await bob.logs.log("u", "r").append(b"lost\n", sync=True)

    run(test)


@pytest.mark.requirement("cluster.logs.owner")
def test_a_log_belongs_to_the_user_who_began_it(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as ann:
            await ann.take("u")
            await ann.take("v")
            await ann.logs.log("u", "r").append(b"1\n", sync=True)
            with pytest.raises(FileExistsError):
                await ann.logs.log("v", "r").append(b"2\n", sync=True)
            assert await ann.logs.read("r", whole) == b"1\n"
            assert dict(await ann.logs.ends(bytes, owner="v")) == {}

    run(test)


@pytest.mark.long
@pytest.mark.requirement("cluster.logs.doubt")
@pytest.mark.parametrize("ending", ["pg_terminate_backend(pid)", "pg_cancel_backend(pid)"])
def test_lines_are_appended_once_while_connections_break(database: str, ending: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as ann, node(database, "killer") as killer:
            await ann.take("u")
            log = ann.logs.log("u", "r")

            done = 0

            async def append() -> None:
                nonlocal done
                for done in range(200):
                    await log.append(b"%d\n" % done, sync=True)

            appending = asyncio.create_task(append())
            while not appending.done():
                before = done
                await killer.pool.fetch(
                    f"SELECT {ending} FROM pg_stat_activity WHERE application_name = $1", "stringd ann"
                )
                while done < before + 5 and not appending.done():
                    await asyncio.sleep(0.001)
            await appending
            assert await ann.logs.read("r", whole) == b"".join(b"%d\n" % it for it in range(200))
            assert await numbers(ann, "r") == list(range(1, 201))

    run(test)


@pytest.mark.requirement("cluster.logs.doubt")
def test_a_log_waits_for_the_database_until_its_home_leaves(
    database: str, postgres: Engine, cut: Callable[[Target], Cut]
) -> None:
    async def test() -> None:
        await make_tables(database)
        proxy = cut(postgres.socket)
        name = database.partition("?")[0].rpartition("/")[2]
        async with node(postgres.url(name, proxy.address)) as ann:
            await ann.take("u")
            log = ann.logs.log("u", "r")
            await log.append(b"1\n", sync=True)
            proxy.refuse()
            waiting = asyncio.create_task(log.append(b"2\n", sync=True))
            await asyncio.sleep(0.3)
            assert not waiting.done()
            proxy.heal()
            await waiting
            proxy.refuse()
            waiting = asyncio.create_task(log.append(b"3\n", sync=True))
            await asyncio.sleep(0.3)
            ann.homes.remove("u")
            with pytest.raises(LogElsewhere):
                await waiting
            proxy.heal()
            assert await ann.logs.read("r", whole) == b"1\n2\n"

    run(test)


@pytest.mark.long
@pytest.mark.requirement("cluster.logs.pages")
def test_large_logs_are_read_in_pages(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as ann:
            await ann.take("u")
            log = ann.logs.log("u", "r")
            answer = bytes(range(11, 256)) * (40 * MIB // 245) + b"\n"
            await log.append(answer, sync=True)
            line = bytes(range(11, 255)) * 40 + b"\n"
            for _ in range(40):
                await log.append(line * 100, sync=True)
            await log.append(answer, sync=True)
            sizes = await ann.logs.read("r", lambda lines: [len(it) for it in lines])
            assert sizes == [len(answer), *[len(line)] * 4000, len(answer)]
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(3):
                await ann.logs.read("r", lambda lines: sum(len(it) for it in lines))
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            assert grown * 1024 < 40 * MIB

    run(test)


@pytest.mark.requirement("cluster.logs.ends")
def test_the_ends_of_logs_are_read_once(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        async with node(database) as ann, node(database, "bob") as bob:
            await ann.take("u")
            await ann.take("v")
            seen: list[bytes] = []

            def end(data: bytes) -> bytes:
                seen.append(data)
                return data

            first, long = ann.logs.log("u", "a"), ann.logs.log("u", "b")
            await first.append(b"1\n2\n", sync=True)
            await long.append(b"x" * LONGEST_END + b"yz\n", sync=True)
            await ann.logs.log("v", "c").append(b"of v\n", sync=True)
            expected = {"a": b"2", "b": b"x" * (LONGEST_END - 2) + b"yz"}
            assert await ann.logs.ends(end, owner="u") == expected
            assert await ann.logs.ends(end) == {**expected, "c": b"of v"}
            seen.clear()
            assert await ann.logs.ends(end, owner="u") == expected
            assert seen == []
            await first.append(b"3\n", sync=True)
            assert (await ann.logs.ends(end, owner="u"))["a"] == b"3"
            assert seen == [b"3"]
            await ann.logs.remove(["a", "b", "nothing"])
            for line in (b"one\n", b"two\n", b"three\n"):
                await ann.logs.log("u", "a").append(line, sync=True)
            assert await ann.logs.ends(end, owner="u") == {"a": b"three"}
            assert await bob.logs.ends(bytes, owner="u") == {"a": b"three"}
            ann.logs.forget("u")
            assert await ann.logs.ends(end, owner="u") == {"a": b"three"}

    run(test)
