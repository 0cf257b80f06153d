"""The strategies of a user as prompts: each tells an agent to run it on a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stringd.plugin import ErrorCode, Prompt, PromptArgument, PromptSource, Refusal, Runtime, User
from stringd.plugin.text import printable

_TASK = PromptArgument(name="task", summary="The task that the strategy is given.", required=True)
_TOPIC = PromptArgument(name="topic", summary="The name of the run's topic; that of the strategy by default.")


def strategy_prompts(runtime: Runtime) -> PromptSource:
    """Return the strategies in the folder `strategies` of a user's home as prompts."""

    async def found(user: User) -> Mapping[str, str]:
        # The formats of strategies are not needed at the start.
        from stringd_runs.strategies.available_strategies import AvailableStrategies

        return {it["name"]: it["path"] for it in await AvailableStrategies(runtime).listed(user)}

    async def listed(user: User) -> Sequence[Prompt]:
        return [_prompt(name) for name in await found(user)]

    async def write(user: User, prompt: Prompt, arguments: Mapping[str, str]) -> str:
        path = (await found(user)).get(prompt.name)
        if path is None:
            raise Refusal(ErrorCode.NOT_FOUND, f"There is no strategy {printable(prompt.name)} any more.")
        return _text(prompt.name, path, arguments)

    return PromptSource(name="strategy", listed=listed, write=write)


def _prompt(name: str) -> Prompt:
    summary = f"Run the strategy {printable(name)} with several agents."
    return Prompt(name=name, summary=summary, arguments=(_TASK, _TOPIC))


def _text(name: str, path: str, arguments: Mapping[str, str]) -> str:
    topic = f"run:{arguments.get('topic') or name}"
    return "\n".join(
        (
            f"Run the strategy {printable(name)} with stringd and report its result. In the topic `{topic}`:",
            "",
            f"1. `/open {printable(path)}` prepares it and lists its agents.",
            "2. `/start`, with the task below as its text, starts it; it ends or asks something first.",
            "3. If it asks something, ask me, and pass the answer on with `/answer`. `/info` is its status.",
            "",
            "The task:",
            "",
            arguments["task"],
        )
    )
