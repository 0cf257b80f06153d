"""Carry out a call by its action's method: as a request, a command line, a function, or by a plugin."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping

from stringd.actions.answers import Answer
from stringd.actions.http.http_run import run_http
from stringd.actions.methods.action_method import ActionCall, ActionMethod
from stringd.actions.methods.known_methods import method_of, unknown_method_refusal
from stringd.actions.results.action_files import ActionFiles, untrusted_refusal
from stringd.api.replies import Reply
from stringd.documents.paths.resolving import working_directory
from stringd.documents.syntax.actions import CALL, CLI, HTTP_METHODS
from stringd.errors import ErrorCode, Refusal, RequestRefused
from stringd.processes.exported_variables import time_limit
from stringd.text.formatting import fenced
from stringd.workers.guarded_calls import is_signal

log = logging.getLogger(__name__)

_FAILED = "The action failed unexpectedly; the daemon's log says why."


async def carry_out(call: ActionCall) -> Answer | Reply:
    """Return the answer of a call, or the reply to a command line that fails; refuse what cannot be done."""
    return await _CARRIERS.get(call.action.method, _call_function)(call)


async def _send_request(call: ActionCall) -> Answer:
    return await run_http(
        call.action,
        call.values,
        call.environment,
        call.variables,
        page=call.page,
        client=call.invocation.runtime.http,
        read_file=call.read,
        confirmed=call.confirmed,
        unasked=call.unasked and not call.environment.trusted,
        taint=call.taint,
    )


async def _run_command(call: ActionCall) -> Answer | Reply:
    if not call.environment.trusted:
        raise untrusted_refusal("runs no commands", call.environment)
    # The daemon starts sooner without the analysis of command lines.
    from stringd.actions.shell.cli_run import run_cli

    session = call.invocation.session
    return await run_cli(
        call.action,
        call.values,
        call.environment,
        directory=working_directory(session),
        session=session,
        read_file=ActionFiles(call.invocation, call.environment).read,
    )


async def _call_function(call: ActionCall) -> Answer:
    function = call.environment.functions[call.action.id]
    result = await function.run(call.values, call.environment, call.invocation.session)
    if result is None or isinstance(result, str):
        return Answer(body=result or "", text=result or "")
    text = json.dumps(result, indent=2, ensure_ascii=False)
    return Answer(body=json.loads(text), text=fenced(text, "json"), media_type="application/json")


async def _call_plugin(call: ActionCall) -> Answer:
    if not call.environment.trusted:
        raise untrusted_refusal("calls no plugin", call.environment)
    name, runtime = call.action.plugin_method, call.invocation.runtime
    method = method_of(name, runtime)
    if method is None:
        raise unknown_method_refusal(name, runtime)
    answer: object = await _contained(method, call)
    if not isinstance(answer, Answer):
        log.error("action method %s returned %r instead of an Answer", name, type(answer))
        raise Refusal(ErrorCode.INTERNAL_ERROR, _FAILED)
    return answer


async def _contained(method: ActionMethod, call: ActionCall) -> Answer:
    """Run a plugin's method within its time; whatever it raises becomes a refusal."""
    state = call.invocation.session.state
    seconds = None if method.seconds is None else time_limit(state, method.seconds)
    try:
        async with asyncio.timeout(seconds) as limit:
            return await method.run(call)
    except (Refusal, RequestRefused):
        raise
    except BaseException as error:
        if is_signal(error):
            raise
        if isinstance(error, TimeoutError) and limit.expired():
            message = f"Still running after {seconds:g} s, so it was ended."
            raise Refusal(ErrorCode.TIMEOUT, message) from None
        log.exception("action method %s failed", method.name)
        raise Refusal(ErrorCode.INTERNAL_ERROR, _FAILED) from None


_CARRIERS: Mapping[str, Callable[[ActionCall], Awaitable[Answer | Reply]]] = {
    **dict.fromkeys(HTTP_METHODS, _send_request),
    CLI: _run_command,
    CALL: _call_plugin,
}
