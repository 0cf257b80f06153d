"""The index of long answers, over the disks of two nodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from stringd.api.sessions import Session, TopicName
from stringd.api.users import User
from stringd.errors import Fenced, Refusal
from stringd.plugin import KeptOutput
from stringd.plugin.stores import local_stores
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.stores.output_index import MOST_OUTPUTS, OutputIndex
from tests.cluster.access_tables import Tables, run, tables

USER = User(id="ann", home=Path("/nowhere"), created_at="2026-11-20T00:00:00Z")


@dataclass(frozen=True)
class _Topic:
    name: TopicName
    user: User = USER


def topic(name: str = "a") -> Session:
    return cast(Session, _Topic(TopicName(type="file", name=name)))


def answer(text: str) -> KeptOutput:
    return KeptOutput(label=f"/{text}", text=text, is_plain=True)


async def owners(it: Tables, folder: Path) -> tuple[OutputIndex, OutputIndex, OwnedHomes]:
    """Return the stores of two nodes of which both seem to have the home, and what it is to them."""
    await it.pool.execute("INSERT INTO homes VALUES ('ann', 1)")
    homes = OwnedHomes(it.pool)
    homes.add("ann", 1)
    made: list[Any] = []
    for name in ("one", "two"):
        (folder / name).mkdir()
        made.append(OutputIndex(it.pool, homes, it.notifications, name, local_stores(print).outputs))
        made[-1].open(folder / name)
    return made[0], made[1], homes


@pytest.mark.requirement("moved.outputs")
def test_numbers_count_the_answers_of_all_nodes(database: str, tmp_path: Path) -> None:
    async def test() -> None:
        async with tables(database) as it:
            one, two, _ = await owners(it, tmp_path)
            assert await one.keep(topic(), answer("first")) == 1
            assert await two.keep(topic(), answer("second")) == 2
            assert await two.keep_pieces(topic(), "/third", iter(["x", "y"])) == 3
            assert await two.keep(topic("other"), answer("other")) == 1
            assert await one.find(topic(), 1) == answer("first")
            with pytest.raises(
                Refusal, match="Output 2 stayed on the node two, where the topic was: /second"
            ):
                await one.find(topic(), 2)
            third: Any = await two.find(topic(), 3)
            assert [await two.piece(third, at) for at in (0, 1)] == ["x", "y"]
            labels = ["/first [on the node one]", "/second", "/third"]
            assert [(found.number, found.label) for found in await two.kept(topic())] == [
                *enumerate(labels, 1)
            ]
            for number in range(4, MOST_OUTPUTS + 3):
                assert await two.keep(topic(), answer("more")) == number
            assert await two.find(topic(), 2) is None
            await one.forget(topic())
            assert await two.kept(topic()) == []
            assert await one.keep(topic(), answer("first")) == 1
            await two.remove_user("ann")
            assert await one.kept(topic()) == []
            one.close()
            two.close()

    run(test)


@pytest.mark.requirement("moved.outputs")
def test_a_node_that_has_lost_the_home_lists_nothing(database: str, tmp_path: Path) -> None:
    async def test() -> None:
        async with tables(database) as it:
            one, two, homes = await owners(it, tmp_path)
            await it.pool.execute("UPDATE homes SET epoch = 2")
            with pytest.raises(Fenced):
                await one.keep(topic(), answer("late"))
            homes.add("ann", 2)
            assert await two.keep(topic(), answer("new")) == 1
            one.close()
            two.close()

    run(test)
