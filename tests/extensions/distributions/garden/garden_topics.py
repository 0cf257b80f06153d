"""`plot:name` topics: what is typed is sown, `//harvest` takes it; each notes its beginning and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

from stringd.plugin import Command, Invocation, Refusal, Reply, Topic, TopicContext, TopicType, hookimpl


class Plot(Topic):
    """What grows while the topic lives."""

    def __init__(self) -> None:
        self.seeds: list[str] = []

    def info(self) -> Mapping[str, str]:
        return {"seeds": ", ".join(self.seeds) or "none"}


@asynccontextmanager
async def open_plot(context: TopicContext) -> AsyncIterator[Topic]:
    with (context.runtime.config.data_dir / "plots.txt").open("a", encoding="utf-8") as notes:
        print(f"opened {context.session.name}", file=notes, flush=True)
        # A task group can only be left in the task that entered it.
        async with asyncio.TaskGroup() as group:
            sun = group.create_task(asyncio.Event().wait())
            try:
                yield Plot()
            finally:
                sun.cancel()
        print(f"closed {context.session.name}", file=notes, flush=True)


def plot_of(invocation: Invocation) -> Plot:
    assert isinstance(invocation.topic, Plot)
    return invocation.topic


async def sow(invocation: Invocation) -> Reply:
    plot_of(invocation).seeds.append(invocation.line.text)
    return Reply.confirmation(f"Sown: {invocation.line.text}")


async def harvest(invocation: Invocation) -> Reply:
    plot = plot_of(invocation)
    if not plot.seeds:
        raise Refusal("NOTHING_SOWN", "Nothing grows here.", "Type the name of a seed.")
    crop, plot.seeds = "\n".join(plot.seeds), []
    return Reply.page("Harvest", crop)


@hookimpl
def stringd_topic_types() -> Iterable[TopicType]:
    return [TopicType(name="plot", summary="A plot of a garden.", open=open_plot, plain_text=sow)]


@hookimpl
def stringd_commands() -> Iterable[Command]:
    types = frozenset({"plot"})
    return [
        Command(name="harvest", summary="Take what grows.", usage="//harvest", run=harvest, topic_types=types)
    ]
