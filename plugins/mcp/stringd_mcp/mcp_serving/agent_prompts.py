"""The prompts of plugins, as agents and people find them: `source.name`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from mcp.shared.exceptions import MCPError

from mcp import types
from stringd.plugin import Prompt, PromptSource, Refusal, RequestRefused, Runtime, User
from stringd.plugin.text import nearest, printable
from stringd.plugin.workers import guarded_call_async
from stringd_mcp.mcp_serving.agent_access import AgentAccess

log = logging.getLogger(__name__)

_SHOWN = 200
_FAILED = "The prompt failed unexpectedly; the daemon's log says why."


class AgentPrompts:
    """Lists and writes the prompts of all agents of a daemon."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    async def listed(self, access: AgentAccess) -> list[types.Prompt]:
        """Return the prompts of a user."""
        found = await self._found(self._runtime.user(access.user_id))
        return [_described(name, prompt) for name, (_, prompt) in found.items()]

    async def get(
        self, access: AgentAccess, name: str, arguments: Mapping[str, str]
    ) -> types.GetPromptResult:
        """Return the text of a prompt with these arguments."""
        user = self._runtime.user(access.user_id)
        found = await self._found(user)
        if name not in found:
            near = nearest(name, found)
            hint = f" (nearest: {near})" if near else ""
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {printable(name[:_SHOWN])}{hint}")
        source, prompt = found[name]
        _check(prompt, arguments)
        try:
            text = await guarded_call_async(source.write, user, prompt, arguments)
        except Refusal as refusal:
            raise MCPError(types.INVALID_PARAMS, f"{refusal.code}: {refusal.message}") from None
        except RequestRefused:
            raise
        except Exception:
            log.exception("the prompt %s failed", name)
            raise MCPError(types.INTERNAL_ERROR, _FAILED) from None
        message = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=prompt.summary, messages=[message])

    async def _found(self, user: User) -> dict[str, tuple[PromptSource, Prompt]]:
        found = {}
        for source in self._runtime.prompts:
            for prompt in await _prompts_of(source, user):
                found[f"{source.name}.{prompt.name}"] = (source, prompt)
        return found


async def _prompts_of(source: PromptSource, user: User) -> Sequence[Prompt]:
    """Return the prompts of a source; none if it fails, so that those of others are listed."""
    try:
        return tuple(await guarded_call_async(source.listed, user))
    except RequestRefused:
        raise
    except Exception:
        log.exception("the prompts of %s can't be listed", source.name)
        return ()


def _described(name: str, prompt: Prompt) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=it.name, description=it.summary, required=it.required)
        for it in prompt.arguments
    ]
    return types.Prompt(name=name, description=prompt.summary, arguments=arguments)


def _check(prompt: Prompt, arguments: Mapping[str, str]) -> None:
    known = {it.name: it for it in prompt.arguments}
    for name in arguments:
        if name not in known:
            raise MCPError(types.INVALID_PARAMS, f"Unknown argument: {printable(name[:_SHOWN])}")
    for name, it in known.items():
        if it.required and not arguments.get(name):
            raise MCPError(types.INVALID_PARAMS, f"The argument `{name}` is missing")
