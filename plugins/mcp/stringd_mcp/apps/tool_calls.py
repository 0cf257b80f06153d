"""The action methods `mcp` and `mcp-prompt`: call a tool of the app's server, or get a prompt."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal, Runtime, Zone
from stringd.plugin.actions import ActionCall, Answer, flaw_of_action
from stringd.plugin.documents import Action, Diagnostic
from stringd.plugin.text import fenced, foreign_text, nearest, printable
from stringd_mcp.apps.app_servers import AppServers, UsedServer
from stringd_mcp.apps.argument_check import check_arguments
from stringd_mcp.apps.server_package import read_package
from stringd_mcp.apps.server_pages import offers_of, prompt_arguments
from stringd_mcp.apps.tool_arguments import arguments_of, schema_lines
from stringd_mcp.apps.tool_results import ResultReader
from stringd_mcp.connections.server_listing import ServerTool

PLUGIN = "mcp"
_MOST_CHANGES = 30
_MOST_FIELDS = 200


class ServerCalls(Struct, frozen=True, kw_only=True):
    """Carries out the actions of the pages of servers."""

    runtime: Runtime
    servers: AppServers

    async def call_tool(self, call: ActionCall) -> Answer:
        """Call a tool, once its arguments are checked."""
        used = await self._used(call)
        listing = await used.listing()
        tool = listing.tool(call.action.target)
        if tool is None:
            raise _not_offered(used, call.action.target, [it.name for it in listing.tools], "tool")
        arguments = arguments_of(tool.input_schema, call.values)
        notice = await check_arguments(call.invocation, call.action.id, tool.input_schema, arguments)
        await self._warn_of_change(used, tool, call)
        zone, result = await used.send(
            lambda it: _with_zone(it.zone, it.call_tool(used.call, tool.name, arguments)),
            repeat=tool.is_repeatable,
        )
        return await self._reader(call, used, zone).answer(result, _notices(notice, used))

    async def get_prompt(self, call: ActionCall) -> Answer:
        """Get the messages of a prompt."""
        used = await self._used(call)
        listing = await used.listing()
        prompt = next((it for it in listing.prompts if it.name == call.action.target), None)
        if prompt is None:
            raise _not_offered(used, call.action.target, [it.name for it in listing.prompts], "prompt")
        arguments = prompt_arguments(prompt, call.values)
        zone, result = await used.send(
            lambda it: _with_zone(it.zone, it.get_prompt(used.call, prompt.name, arguments))
        )
        return await self._reader(call, used, zone).messages(result, _notices(None, used))

    async def connect(self, call: ActionCall) -> Answer:
        """Write the pages of a server anew, with what it offers now."""
        used = await self._used(call)
        listing = await used.listing()
        await self.servers.accept(used, listing)
        text = f"{used.name} offers {offers_of(listing)}: /open app:{used.name}"
        return Answer(body=text, text=text)

    async def _used(self, call: ActionCall) -> UsedServer:
        return await self.servers.used(call.package, call.invocation, call.environment.secrets)

    @staticmethod
    def _reader(call: ActionCall, used: UsedServer, zone: Zone) -> ResultReader:
        return ResultReader(call=call, app=used.name, tool=call.action.id, zone=zone)

    async def _warn_of_change(self, used: UsedServer, tool: ServerTool, call: ActionCall) -> None:
        """Refuse the first call of a tool that has changed since the installation, and show how."""
        known = used.package.listing.tool(tool.name)
        if known and known.digest == tool.digest:
            return
        storage = self.runtime.storage(PLUGIN)
        key = f"shown:{used.key.user_id}:{used.key.directory}:{tool.name}"[-1000:]
        if await storage.get(key) == tool.digest:
            return
        await storage.set(key, tool.digest)
        what = "has changed since" if known else "is new since"
        raise Refusal(
            ErrorCode.CONFLICT,
            f"{call.action.id} {what} {used.name} was installed; nothing was called.",
            *_changes(known, tool),
            "Read this, and call it again if that is what you want.",
            f"/install --update {used.name} accepts all changes.",
        )


async def _with_zone(zone: Zone, result: Any) -> tuple[Zone, Mapping[str, Any]]:
    return zone, await result


def _notices(notice: str | None, used: UsedServer) -> Sequence[str]:
    return [*([notice] if notice else []), *map(printable, used.call.notices)]


def _changes(known: ServerTool | None, tool: ServerTool) -> Iterable[str]:
    """Return how a tool describes itself now, compared with what is known; each line is marked."""
    before = _told(known) if known else []
    lines = [it for it in difflib.ndiff(before, _told(tool)) if it[0] in "+-"]
    yield from (f"  {printable(it)[:300]}" for it in lines[:_MOST_CHANGES])
    if len(lines) > _MOST_CHANGES:
        yield f"  … and {len(lines) - _MOST_CHANGES} more lines"


def _told(tool: ServerTool) -> list[str]:
    return [*filter(None, (tool.title, *tool.description.splitlines())), *schema_lines(tool.input_schema)]


def _not_offered(used: UsedServer, name: str, offered: Sequence[str], noun: str) -> Refusal:
    suggestion = nearest(name, offered)
    hint = [f"nearest: {printable(suggestion)}"] if suggestion else []
    message = f"{used.name} offers no {noun} {printable(name)} any more."
    return Refusal(ErrorCode.NOT_FOUND, message, *hint, f"/install --update {used.name}")


def describe_tool(action: Action, package: Path | None) -> str:
    """Return what the tool says of itself, with all fields of nested values."""
    tool = read_package(package).listing.tool(action.target) if package else None
    if tool is None:
        return ""
    fields = list(schema_lines(tool.input_schema))[:_MOST_FIELDS]
    parts = [foreign_text(tool.description), fenced("\n".join(map(printable, fields))) if fields else ""]
    return "\n\n".join(filter(None, parts))


def check_tool(action: Action, package: Path | None) -> Iterable[Diagnostic]:
    """Return what keeps an action from calling its tool."""
    if package is None:
        return [flaw_of_action(action, "no MCP server belongs to this document", "/install mcp -- command")]
    try:
        listing = read_package(package).listing
    except Refusal as refusal:
        return [flaw_of_action(action, refusal.message, *refusal.context[:1])]
    if listing.tool(action.target) is None:
        remedy = f"/install --update {package.name} fetches its tools again."
        return [flaw_of_action(action, f"the server has no tool {action.target}", remedy)]
    return []
