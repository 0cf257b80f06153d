"""The server of the SDK, with everything that agents are offered."""

from __future__ import annotations

from typing import Any

from mcp.server import Server
from mcp.shared.exceptions import MCPError

from mcp import types
from stringd.plugin import VERSION, RequestRefused, Runtime
from stringd.plugin.text import agent_summary
from stringd.plugin.workers import READING, guarded_call_async
from stringd_mcp.mcp_serving.agent_access import ACCESS, AgentAccess
from stringd_mcp.mcp_serving.agent_prompts import AgentPrompts
from stringd_mcp.mcp_serving.agent_tools import AgentTools
from stringd_mcp.mcp_serving.resource_subscriptions import ResourceSubscriptions
from stringd_mcp.mcp_serving.topic_resources import TEMPLATE, TopicResources

_SESSION = "mcp-session-id"
_WITH_INSTRUCTIONS = frozenset({"initialize", "server/discover"})


class AgentServer:
    """What all agents of a daemon are offered, by one server of the SDK."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tools = AgentTools(runtime)
        self._resources = TopicResources(runtime)
        self._prompts = AgentPrompts(runtime)
        self.subscriptions = ResourceSubscriptions(runtime)
        self.server: Server[Any] = Server(
            "stringd",
            version=VERSION,
            title="stringd",
            # No argument of ours is mirrored in a header, so there is nothing to compare.
            get_tool_input_schema=lambda _: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        # The SDK's own traces a call for collectors that a local daemon does not have.
        self.server.middleware[:] = [self._around]

    async def _around(self, ctx: Any, call_next: Any) -> Any:
        """Add the instructions for the user of this agent, and answer what the daemon refuses."""
        try:
            result = await guarded_call_async(call_next, ctx)
            if ctx.method in _WITH_INSTRUCTIONS:
                return {**result, "instructions": await self._instructions(self._access(ctx))}
        except RequestRefused as refused:
            raise MCPError(types.INVALID_REQUEST, refused.message) from None
        return result

    def _access(self, ctx: Any) -> AgentAccess:
        if isinstance(ctx.lifespan_context, AgentAccess):
            return ctx.lifespan_context
        access: AgentAccess = ctx.request.scope[ACCESS]
        return access

    async def _instructions(self, access: AgentAccess) -> str:
        user = self._runtime.user(access.user_id)
        ready = await READING.run(self._runtime.ready_topics, user)
        shown = [it for it in ready if access.allows(it.partition(":")[0])]
        return agent_summary(access.topic_types(self._runtime), shown)

    async def _list_tools(self, ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=self._tools.listed)

    async def _call_tool(self, ctx: Any, params: types.CallToolRequestParams) -> Any:
        return await self._tools.call(ctx, self._access(ctx), params)

    async def _list_resources(self, ctx: Any, params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=self._resources.listed(self._access(ctx)))

    async def _list_templates(self, ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def _read_resource(
        self, ctx: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await self._resources.read(self._access(ctx), params.uri)
        contents = types.TextResourceContents(uri=params.uri, mime_type="text/markdown", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _subscribe(self, ctx: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
        access = self._access(ctx)
        self.subscriptions.subscribe(ctx, _connection(ctx, access), access.user_id, params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Any, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.subscriptions.unsubscribe(_connection(ctx, self._access(ctx)), params.uri)
        return types.EmptyResult()

    async def _listen(self, ctx: Any, params: types.SubscriptionsListenRequestParams) -> Any:
        user = self._runtime.user(self._access(ctx).user_id)
        return await self.subscriptions.listen(ctx, user.id, params)

    async def _list_prompts(self, ctx: Any, params: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=await self._prompts.listed(self._access(ctx)))

    async def _get_prompt(self, ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await self._prompts.get(self._access(ctx), params.name, params.arguments or {})

    async def _complete(self, ctx: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        completion = types.Completion(values=[])
        if (
            isinstance(params.ref, types.ResourceTemplateReference)
            and params.ref.uri == TEMPLATE.uri_template
        ):
            completion = await self._resources.completed(self._access(ctx), params.argument.value)
        return types.CompleteResult(completion=completion)


def _connection(ctx: Any, access: AgentAccess) -> object:
    """Return what identifies a connection that lasts: an HTTP session, or the access of a socket."""
    return access if ctx.request is None else ctx.request.headers.get(_SESSION, "")
