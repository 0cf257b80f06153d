"""The hooks of the bash plugin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from stringd.plugin import Command, HealthField, Runtime, Service, Topic, TopicContext, TopicType, hookimpl
from stringd.plugin.processes import ForkClient
from stringd_bash import supervised_shell
from stringd_bash.bash_topic import BashTopic
from stringd_bash.open_topics import OpenTopics
from stringd_bash.process_table import ProcessTable
from stringd_bash.program_commands import COMMANDS, TYPE, take
from stringd_bash.topic_settings import Settings
from stringd_bash.topic_shell import TopicShell

if TYPE_CHECKING:
    from stringd_console import TopicScreen


class BashPlugin:
    """Adds `bash:name` topics, whose shells share a fork server and a process table."""

    def __init__(self) -> None:
        self._fork_client = ForkClient(supervised_shell)
        self._table = ProcessTable()
        self._topics = OpenTopics()

    @hookimpl
    def stringd_topic_types(self) -> Iterable[TopicType]:
        """Add `bash:name` topics."""
        settings = Settings.read()

        @asynccontextmanager
        async def open_topic(context: TopicContext) -> AsyncIterator[Topic]:
            topic = BashTopic(TopicShell(context, self._fork_client, settings, self._table), settings)
            session = context.session
            try:
                with self._topics.holding((session.user.id, session.name.text), topic):
                    yield topic
            finally:
                await topic.close()

        return (
            TopicType(
                name=TYPE,
                summary="A shell that keeps its state.",
                open=open_topic,
                plain_text=take,
                brief="A shell on a terminal. Plain text is shell input; commands begin with `//`. `exit: 0` "
                "is done; `waiting`: a program asks for input, and plain text is that input; `running`: "
                '//wait [SECONDS] for more. //keys ^C|Enter|Up|"text" types keys; //interrupt, //kill.',
            ),
        )

    @hookimpl
    def stringd_commands(self) -> Iterable[Command]:
        """Add the commands for the program that a shell runs."""
        return COMMANDS

    @hookimpl
    def stringd_health(self) -> Iterable[HealthField]:
        """Add the number of running shells to `/status`."""
        return (HealthField(name="shells", read=lambda: self._topics.shells),)

    @hookimpl
    def stringd_services(self) -> Iterable[Service]:
        """Add the service that ends the fork server with the daemon."""
        return (Service(name="bash-fork-server", run=self._close_at_end),)

    @hookimpl(optionalhook=True)
    def stringd_console_screens(self, runtime: Runtime) -> Iterable[TopicScreen]:
        """Show the screens of bash topics in the console; without a runtime, there is none."""
        from stringd_bash.console_screen.topic_screens import TopicScreens

        return (TopicScreens(self._topics).hook(TYPE),)

    async def _close_at_end(self) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._fork_client.close()


BASH = BashPlugin()
