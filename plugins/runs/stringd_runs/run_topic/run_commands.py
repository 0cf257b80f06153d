"""The commands of topics `run:ID`; `run_actions` is imported with the first command."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from functools import partial

from stringd.plugin import Command, Invocation, Reply
from stringd_runs.running.run_event_kinds import TOPIC_TYPE


async def _act(name: str, invocation: Invocation) -> Reply:
    from stringd_runs.run_topic import run_actions

    action: Awaitable[Reply] = getattr(run_actions, name)(invocation)
    return await action


def _commands(*commands: tuple[str, str, str, str], urgent: bool) -> Iterator[Command]:
    for name, arguments, summary, action in commands:
        yield Command(
            name=name,
            summary=summary,
            usage=f"/{name} {arguments}".strip(),
            run=partial(_act, action),
            topic_types=frozenset({TOPIC_TYPE}),
            takes_arguments=bool(arguments),
            takes_body="TEXT" in arguments,
            urgent=urgent,
            group="Runs",
        )


RUN_COMMANDS = (
    *_commands(
        ("open", "PATH [--model PROVIDER/MODEL]", "Prepare a strategy.", "open_strategy"),
        ("start", "[TEXT]", "Start the prepared run; wait for its end or first question.", "start"),
        ("continue", "[TEXT]", "Run the flow again, by agents that remember; wait likewise.", "continue_run"),
        urgent=False,
    ),
    # A command that has started the run may be waiting for it.
    *_commands(
        ("steer", "TEXT", "Give the next call of a model a text to take into account.", "steer"),
        ("answer", "[AGENT] TEXT", "Answer the question to a person; wait for what comes next.", "answer"),
        ("stop", "", "Stop the run.", "stop"),
        ("info", "", "Show the status of the run, its steps, tokens and open question.", "describe"),
        ("refresh", "", "Show what was said in the run.", "refresh"),
        ("nav", "", "List the steps of the run.", "list_steps"),
        urgent=True,
    ),
)
