"""The tools that agents are offered: `string`, and those that plugins add; and their calls."""

from __future__ import annotations

import itertools
import logging
from contextlib import ExitStack
from typing import Any

from mcp.shared.exceptions import MCPError

from mcp import types
from stringd.plugin import (
    ErrorCode,
    OpenQuestion,
    Refusal,
    Reply,
    RequestRefused,
    Runtime,
    Tool,
    ToolCall,
)
from stringd.plugin.workers import guarded_call_async
from stringd_mcp.mcp_serving.agent_access import AgentAccess
from stringd_mcp.mcp_serving.asked_calls import AskedCalls
from stringd_mcp.mcp_serving.call_result import CallOutcome, CallResult, call_result
from stringd_mcp.mcp_serving.elicitation import answer_question, elicitation_of
from stringd_mcp.mcp_serving.running_call import RunningCall
from stringd_mcp.mcp_serving.string_tool import STRING, STRING_TOOL, StringCall
from stringd_mcp.mcp_serving.watched_call import WatchedCall

log = logging.getLogger(__name__)

CALL_PREFIX = "mcp-"
_FAILED = "The tool failed unexpectedly; the daemon's log says why."


class AgentTools:
    """Calls tools for all agents of a daemon."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._tools = {it.name: it for it in runtime.tools}
        self._asked = AskedCalls()
        self._numbers = itertools.count(1)
        self.listed = [STRING_TOOL, *map(_described, runtime.tools)]

    async def call(
        self, ctx: Any, access: AgentAccess, params: types.CallToolRequestParams
    ) -> CallResult | types.InputRequiredResult:
        """Call a tool, or continue a call whose agent was asked something."""
        watched = WatchedCall(self._runtime, ctx)
        with ExitStack() as watching:
            try:
                call = self._continued(access, params) or self._begun(ctx, access, params)
            except (Refusal, RequestRefused) as error:
                refusal = error if isinstance(error, Refusal) else error.as_refusal()
                return call_result(
                    CallOutcome(reply=Reply.error(refusal.code, refusal.message, *refusal.context))
                )
            if not watched.is_watched:
                return call_result(await call.outcome())
            # The task of the call has not begun yet, so no event is missed.
            found = await watched.outcome(call, watching.enter_context(call.watch()))
        return self._asking(call, found) if isinstance(found, OpenQuestion) else call_result(found)

    def _begun(self, ctx: Any, access: AgentAccess, params: types.CallToolRequestParams) -> RunningCall:
        request_id = f"{CALL_PREFIX}{next(self._numbers)}"
        arguments = params.arguments or {}
        if params.name == STRING:
            command = StringCall(self._runtime, access, arguments)
            return RunningCall(
                self._runtime,
                access.user_id,
                request_id,
                command.run(request_id),
                lambda: command.cancel(request_id),
            )
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        called = ToolCall(
            user=self._runtime.user(access.user_id),
            arguments=arguments,
            client=_client(ctx),
            request_id=request_id,
        )
        return RunningCall(self._runtime, access.user_id, request_id, _run(tool, called))

    def _continued(self, access: AgentAccess, params: types.CallToolRequestParams) -> RunningCall | None:
        """Return the call that the client was asked something for, with its answers passed on."""
        if params.request_state is None:
            return None
        call = self._asked.take(params.request_state, access.user_id)
        if call is None:
            raise MCPError(
                types.INVALID_PARAMS, "This request state is unknown or was used: call the tool anew"
            )
        for question_id, result in (params.input_responses or {}).items():
            if isinstance(result, types.ElicitResult) and question_id in call.asked:
                problem = answer_question(self._runtime, question_id, call.user_id, result)
                if problem is not None:
                    call.asked.discard(question_id)
                    call.problems[question_id] = problem
        return call

    def _asking(self, call: RunningCall, asked: OpenQuestion) -> types.InputRequiredResult:
        form = types.ElicitRequest(params=elicitation_of(asked, call.problems.pop(asked.id, "")))
        return types.InputRequiredResult(
            input_requests={asked.id: form}, request_state=self._asked.keep(call)
        )


async def _run(tool: Tool, called: ToolCall) -> CallOutcome:
    try:
        reply = _expect_reply(await guarded_call_async(tool.run, called))
    except (Refusal, RequestRefused):
        raise
    except Exception:
        log.exception("the tool %s failed", tool.name)
        reply = Reply.error(ErrorCode.INTERNAL_ERROR, _FAILED)
    return CallOutcome(reply=reply)


def _expect_reply(reply: object) -> Reply:
    if not isinstance(reply, Reply):
        raise TypeError(f"expected a Reply, got {reply!r}")
    return reply


def _described(tool: Tool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.parameters))


def _client(ctx: Any) -> str:
    """Return what the client says it is, for people."""
    params = ctx.session.client_params
    return "" if params is None else f"{params.client_info.name} {params.client_info.version}"[:200]
