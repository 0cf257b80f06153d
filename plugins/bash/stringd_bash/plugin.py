"""What this plugin adds to stringd."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from stringd.plugin import Command, Service, Topic, TopicContext, TopicType, hookimpl
from stringd_bash.console import Console
from stringd_bash.fork_client import ForkClient
from stringd_bash.process_table import ProcessTable
from stringd_bash.program_commands import COMMANDS, TYPE, take
from stringd_bash.settings import Settings
from stringd_bash.topic import BashTopic


class BashPlugin:
    """Adds `bash:name` topics, whose shells share a host process and one look at the machine's processes."""

    def __init__(self) -> None:
        self._host = ForkClient()
        self._table = ProcessTable()

    @hookimpl
    def stringd_topic_types(self) -> Iterable[TopicType]:
        """Add `bash:name` topics."""
        settings = Settings.read()

        @asynccontextmanager
        async def open_topic(context: TopicContext) -> AsyncIterator[Topic]:
            topic = BashTopic(Console(context, self._host, settings, self._table), settings)
            try:
                yield topic
            finally:
                await topic.close()

        return (
            TopicType(name=TYPE, summary="A shell that keeps its state.", open=open_topic, plain_text=take),
        )

    @hookimpl
    def stringd_commands(self) -> Iterable[Command]:
        """Add what deals with the program that a shell is busy with."""
        return COMMANDS

    @hookimpl
    def stringd_services(self) -> Iterable[Service]:
        """Add what ends the host process with the daemon."""
        return (Service(name="bash-host", run=self._keep_host),)

    async def _keep_host(self) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._host.close()


BASH = BashPlugin()
