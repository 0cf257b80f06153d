"""Topics as tools: each runs the commands of a model in a topic of the run's own."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from stringd.plugin import Outcome, RequestRefused, Runtime, TopicName, UnknownUser
from stringd.plugin.files import finish
from stringd.plugin.text import reply_text
from stringd_runs.agent import AgentFailed, RunContext, ToolUse
from stringd_runs.model_provider import Tool
from stringd_runs.tools.agent_tool import ToolOutcome
from stringd_runs.tools.run_topics import last_part

_PREFIX = "topic:"
_LONGEST_NAME = 64
"""What providers accept as the name of a tool."""
_CANCEL_SECONDS = 2.0
_PARAMETERS = {
    "type": "object",
    "properties": {"command": {"type": "string", "description": "The text to send to the topic."}},
    "required": ["command"],
    "additionalProperties": False,
}


class TopicTool(Struct, frozen=True, kw_only=True):
    """A topic of one run, whose commands a model may run."""

    declaration: Tool
    topic: TopicName

    async def use(self, arguments: Mapping[str, Any], agent: str, run: RunContext) -> ToolOutcome:
        """Run the command of a call as the run's user."""
        command = arguments.get("command")
        if not isinstance(command, str):
            return ToolOutcome.failure('The arguments need a "command", which is a text.')
        if not _is_encodable(command):
            return ToolOutcome.failure("The command has half a character, which can't be encoded in UTF-8.")
        use = ToolUse(
            agent=agent,
            tool=self.declaration.name,
            word=_word(command),
            topic=str(self.topic),
            request_id=f"run-{run.run_id}-{secrets.token_hex(8)}",
        )
        with run.using(use):
            return await self._execute(command, use.request_id, run)

    async def _execute(self, command: str, request_id: str, run: RunContext) -> ToolOutcome:
        runtime, user_id = run.runtime, run.user.id
        execution = runtime.execute(
            user_id, self.topic, command, request_id=request_id, directory=run.directory
        )
        task = asyncio.ensure_future(execution)
        try:
            return _outcome_of(await asyncio.shield(task))
        except UnknownUser as error:
            raise AgentFailed(str(error)) from error
        except RequestRefused as refused:
            return ToolOutcome.failure(f"The command did not run: {refused}")
        finally:
            if not task.done():
                await finish(_cancel(task, runtime, user_id, self.topic, request_id))


async def _cancel(
    task: asyncio.Future[Outcome], runtime: Runtime, user_id: str, topic: TopicName, request_id: str
) -> None:
    """End a command as `/cancel` does, which also gives up one that does not end."""
    await runtime.cancel(user_id, topic, request_id)
    task.cancel()
    await asyncio.wait((task,), timeout=_CANCEL_SECONDS)


def make_topic_tool(entry: str, run_id: str, runtime: Runtime) -> TopicTool:
    """Return the tool of an entry of `tools`; raise `ValueError` with what is wrong with it."""
    if not entry.startswith(_PREFIX):
        raise ValueError(f"{entry!r} is not a tool: tools are topics, such as {_PREFIX}file")
    kind, *names = entry.removeprefix(_PREFIX).split(":")
    if kind not in runtime.topic_types:
        types = ", ".join(sorted(runtime.topic_types))
        raise ValueError(f"{entry!r} is not a tool: there is no topic type {kind!r}; known: {types}")
    try:
        topic = runtime.topic_name(":".join((kind, *names, last_part(run_id))))
    except RequestRefused as refused:
        raise ValueError(f"{entry!r} is not a tool: {refused}") from None
    name = "_".join((kind, *names))
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"the name of {entry!r} has more than {_LONGEST_NAME} characters")
    declaration = Tool(name=name, description=_description(kind, runtime), parameters=_PARAMETERS)
    return TopicTool(declaration=declaration, topic=topic)


def _description(topic_type: str, runtime: Runtime) -> str:
    """Return what a model is told of a topic, the same in each run: what it is for, and its commands."""
    kind = runtime.topic_types[topic_type]
    known = runtime.commands(topic_type).values()
    commands = (f"{kind.slash}{it.usage.lstrip('/')}\n    {it.summary}" for it in known)
    use = (
        "Runs one command."
        if kind.slash == "/"
        else f"Runs one text as it is; a text that begins with {kind.slash} is a command."
    )
    return "\n".join((f"{kind.summary} {use} The commands:", *commands))


def _outcome_of(outcome: Outcome) -> ToolOutcome:
    reply = outcome.reply
    return ToolOutcome(text=reply_text(reply), error=None if reply.ok else f"{reply.code}: {reply.system}")


def _word(command: str) -> str:
    """Return the word of a command, as questions about it are told apart; empty for other texts."""
    return command.split(maxsplit=1)[0].lower() if command.lstrip().startswith("/") else ""


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
