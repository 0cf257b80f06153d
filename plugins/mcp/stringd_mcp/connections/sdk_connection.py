"""A connection to one server by the official SDK: its handshake, requests, and what the server asks back.

This module imports the SDK: import it only when a server is needed.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from mcp.client import Transport
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from mcp import types
from stringd.plugin import ErrorCode, Refusal, Runtime, SecretScope, Zone
from stringd.plugin.processes import kept_environment
from stringd.plugin.text import printable
from stringd_mcp.connections.authorization import SignIn, TokenStore
from stringd_mcp.connections.listing_reader import dumped, fetch_listing
from stringd_mcp.connections.program_transport import program_streams
from stringd_mcp.connections.readable_tools import readable
from stringd_mcp.connections.remote_transport import PolicyTransport, remote_streams
from stringd_mcp.connections.server_call import ServerCall, WaitingCalls
from stringd_mcp.connections.server_description import ServerDescription
from stringd_mcp.connections.server_forms import ask_form, ask_to_open
from stringd_mcp.connections.server_listing import ServerListing
from stringd_mcp.connections.server_log import ServerLog
from stringd_mcp.connections.sign_in_returns import SignInReturns

T = TypeVar("T")

_MOST_ROUNDS = 10
_LONGEST_REASON = 1000
_NO_SESSION = "Session terminated"
_CLOSED = types.CONNECTION_CLOSED

for _name in ("mcp.client", "mcp.shared"):
    # It logs whatever servers send; here it becomes the error of a command, or a line of `/info`.
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class ServerGone(Exception):
    """The server has ended, or has forgotten the session; it may have begun the request."""

    def __init__(self, *, may_have_begun: bool = True) -> None:
        super().__init__()
        self.may_have_begun = may_have_begun


class ToolAnswer(types.Result, extra="allow"):
    """A result whose content is not checked against the server's own schema, which is a stranger's."""


class SdkConnection:
    """One connection, which ends when the server does or when it is closed."""

    def __init__(
        self,
        server: ServerDescription,
        *,
        name: str,
        home: Path,
        runtime: Runtime,
        log: ServerLog,
        tokens: SecretScope,
        returns: SignInReturns,
        on_change: Callable[[], None],
    ) -> None:
        self._server = server
        self._name = name
        self._home = home
        self._runtime = runtime
        self._log = log
        self._tokens = tokens
        self._returns = returns
        self._on_change = on_change
        self._waiting = WaitingCalls()
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._policy: PolicyTransport | None = None

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self._client is not None and not self._log.failure and not self._closing.is_set()

    async def open(self, call: ServerCall) -> None:
        """Connect, or refuse with the reason; what the server asks meanwhile is asked for this command."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # A command that was cancelled does not ask for it.
        ready.add_done_callback(lambda it: it.cancelled() or it.exception())
        self._log.begin()
        # Not in the context of the command: the connection outlives it.
        self._task = asyncio.create_task(self._serve(ready), context=contextvars.Context())
        with self._waiting.call(call):
            try:
                await asyncio.shield(ready)
            except asyncio.CancelledError:
                await self.close()
                raise
            except Exception as error:
                raise self._refusal(error) from error

    async def close(self) -> None:
        """End the connection, and the program with all its processes."""
        self._closing.set()
        if self._task and not self._task.done():
            if self._client is None:
                self._task.cancel()
            await asyncio.wait({self._task})

    @property
    def zone(self) -> Zone:
        """The network zone of the server; a program is on this machine."""
        return self._policy.server_zone if self._policy else Zone.LOOPBACK

    async def listing(self, call: ServerCall) -> ServerListing:
        """Return what the server offers now."""
        return await self._request(call, fetch_listing)

    async def call_tool(self, call: ServerCall, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the result of a tool, as JSON; a cancellation is passed on to the server."""

        async def send(client: Client) -> Mapping[str, Any]:
            responses: types.InputResponses | None = None
            state: str | None = None
            for _ in range(_MOST_ROUNDS):
                parameters = types.CallToolRequestParams(
                    name=name, arguments=dict(arguments), input_responses=responses, request_state=state
                )
                answer = await client.session.send_request(
                    types.CallToolRequest(params=parameters), ToolAnswer, progress_callback=call.report
                )
                result: Mapping[str, Any] = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
                if result.get("resultType") != "input_required":
                    return result
                wanted = types.InputRequiredResult.model_validate(result, by_name=False)
                responses, state = await self._inputs(client, wanted), wanted.request_state
            raise Refusal(ErrorCode.ACTION_FAILED, f"{self._name} asks again and again for {name}")

        return await self._request(call, send)

    async def read_resource(self, call: ServerCall, uri: str) -> Mapping[str, Any]:
        """Return the content of a resource, as JSON."""
        return await self._request(call, lambda client: dumped(client.read_resource(uri)))

    async def get_prompt(
        self, call: ServerCall, name: str, arguments: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Return the messages of a prompt, as JSON."""
        return await self._request(call, lambda client: dumped(client.get_prompt(name, dict(arguments))))

    async def _serve(self, ready: asyncio.Future[None]) -> None:
        try:
            async with Client(
                readable(self._transport()),
                cache=None,
                client_info=types.Implementation(name="stringd", version="1"),
                list_roots_callback=self._roots,
                elicitation_callback=self._elicit,
                message_handler=self._notice,
            ) as client:
                self._client = client
                ready.set_result(None)
                follow = asyncio.create_task(self._follow(client))
                await self._closing.wait()
                follow.cancel()
                await asyncio.wait({follow})
        except Exception as error:
            self._log.end(_reason(error))
            if not ready.done():
                ready.set_exception(error)
        finally:
            self._client = None
            self._closing.set()
            if not ready.done():
                # A cancellation would be taken for one of the command that waits.
                ready.set_exception(ConnectionError("the connection has ended before it was ready"))

    def _transport(self) -> Transport:
        server = self._server
        if not server.url:
            environment = {**kept_environment(self._runtime), "HOME": str(self._home), **server.environment}
            return program_streams(
                server.command, directory=self._home, environment=environment, log=self._log
            )
        self._policy = PolicyTransport(self._runtime, server.url)
        auth: httpx2.Auth | None = None
        if "authorization" not in {it.lower() for it in server.headers}:
            sign_in = SignIn(self._runtime, self._returns, self._waiting.newest, server.url)
            auth = sign_in.provider(server.url, TokenStore(self._runtime, self._tokens))
        return remote_streams(server.url, headers=server.headers, transport=self._policy, auth=auth)

    async def _request(self, call: ServerCall, send: Callable[[Client], Awaitable[T]]) -> T:
        client = self._client
        if client is None or not self.is_open:
            raise ServerGone(may_have_begun=False)
        with self._waiting.call(call):
            try:
                return await send(client)
            except MCPError as error:
                if error.code == _CLOSED or error.message == _NO_SESSION:
                    if self._server.command:
                        await self._log.wait_for_end()
                    is_forgotten = error.message == _NO_SESSION
                    self._log.end(
                        "it has forgotten the session" if is_forgotten else "it has closed the connection"
                    )
                    raise ServerGone(may_have_begun=not is_forgotten) from error
                raise self._refusal(error) from error
            except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
                self._log.end("it has closed the connection")
                raise ServerGone(may_have_begun=True) from error
            except (ValueError, RuntimeError, httpx2.HTTPError) as error:
                raise self._refusal(error) from error

    async def _inputs(self, client: Client, wanted: types.InputRequiredResult) -> types.InputResponses:
        responses: types.InputResponses = {}
        for key, request in (wanted.input_requests or {}).items():
            context = ClientRequestContext(session=client.session, request_id=key, meta=None)
            response = await client.session.dispatch_input_request(context, request)
            if isinstance(response, types.ErrorData):
                raise MCPError.from_error_data(response)
            responses[key] = response
        return responses

    async def _roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        del context
        return types.ListRootsResult.model_validate({"roots": [{"uri": self._home.as_uri(), "name": "home"}]})

    async def _elicit(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        del context
        call = self._waiting.newest()
        if call is None:
            return types.ElicitResult(action="cancel")
        if isinstance(params, types.ElicitRequestURLParams):
            found = await ask_to_open(call, params.message, params.url)
        else:
            found = await ask_form(call, params.message, params.requested_schema)
        return types.ElicitResult.model_validate({"action": found.action, "content": found.content})

    async def _notice(self, message: object) -> None:
        if isinstance(
            message,
            types.ToolListChangedNotification
            | types.PromptListChangedNotification
            | types.ResourceListChangedNotification,
        ):
            self._on_change()
        elif isinstance(message, types.LoggingMessageNotification):
            self._log.note(f"{message.params.level}: {str(message.params.data)[:_LONGEST_REASON]}")

    async def _follow(self, client: Client) -> None:
        """Follow changes of the lists by a subscription, where they are not sent without one."""
        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (tools and tools.list_changed):
            return
        with suppress(MCPError, RuntimeError, OSError, httpx2.HTTPError):
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self._on_change()

    def _refusal(self, error: Exception) -> Refusal:
        if self._policy and self._policy.refusal:
            return self._policy.refusal
        failure = self._log.failure
        message = f"{self._name}: {printable(failure or _reason(error))[:_LONGEST_REASON]}"
        return Refusal(ErrorCode.ACTION_FAILED, message, *(self._log.last_lines() if failure else ()))


def _reason(error: BaseException) -> str:
    """Return the innermost reason of a failure, in a line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, MCPError):
        return error.message
    if isinstance(error, ValueError):
        return f"it has sent what is not valid MCP: {' '.join(str(error).split())}"
    return str(error) or type(error).__name__
