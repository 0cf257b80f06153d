"""What each event of a run adds to its story."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from stringd_runs.messages.run_progress import RunState
from stringd_runs.run_pages.excerpt import Excerpt
from stringd_runs.run_pages.flow_nodes import NodeState
from stringd_runs.run_pages.run_entries import CallState
from stringd_runs.run_pages.run_story import Message, RunStory

log = logging.getLogger(__name__)


def follow(story: RunStory, message: Message) -> None:
    """Add an event; one that is not as it should be, such as of a damaged history, is left out."""
    add = _ADDED.get(str(message.get("type")))
    if add is None:
        return
    try:
        add(story, message)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        log.debug("an event of a run is left out: %r", error)


def _begin(story: RunStory, message: Message) -> None:
    story.begin()
    story.prepare(message["strategyName"], message["flowTree"])
    story.state, story.started_at = RunState.RUNNING, message.get("ts", "")
    title = "Started" if story.executions == 1 else "Continued"
    story.note(message, "start", title)


def _begin_step(story: RunStory, message: Message) -> None:
    story.steps += 1
    story.version += 1
    if node := story.step_named(message["stepName"]):
        node.begun += 1
        story.note_given(node, message["message"])


def _stream(story: RunStory, message: Message) -> None:
    event = message["event"]
    if event["type"] == "done":
        return
    call = story.call_of(message)
    match event["type"]:
        case "text":
            call.say(event["text"])
        case "thinking-start":
            call.think(event["id"], "")
        case "thinking":
            call.think(event["id"], event["text"])
        case "thinking-end":
            call.end_thought()
        case "tool-call":
            call.use(event["toolCallId"], event["toolName"], event["args"])
        case "tool-result":
            has_failed = event["status"] == "error"
            output = event.get("error") or event["output"] if has_failed else event["output"]
            call.note_result(event["toolCallId"], output, has_failed=has_failed)


def _answer(story: RunStory, message: Message) -> None:
    story.call_of(message)
    call, node = story.end_call(message["agentName"])
    usage, cost = message["usage"], message.get("cost")
    tokens = usage["promptTokens"] + usage["completionTokens"]
    if call:
        call.end(message["text"], message.get("ts", ""))
        call.tokens, call.cost = tokens, cost
        context = message.get("contextUsage") or {}
        call.context_tokens, call.context_window = context.get("tokens"), message.get("contextWindow")
    story.tokens += tokens
    if cost is not None:
        story.cost = (story.cost or 0.0) + cost
    if node:
        node.tokens += tokens
        node.cost = (node.cost or 0.0) + cost if cost is not None else node.cost
    story.version += 1


def _ask(story: RunStory, message: Message) -> None:
    call = story.call_of(message)
    call.is_person = True
    call.given = Excerpt(message["prompt"], head=4_000, tail=1_000) if message["prompt"] else None
    call.version += 1
    story.version += 1


def _ask_permission(story: RunStory, message: Message) -> None:
    node = story.call_of(message).node
    title = f"{message['agentName']} asked to use {message['toolName']}: {message['operation']}"
    story.note(message, "asked", title, message["resource"], node)


def _steer(story: RunStory, message: Message) -> None:
    story.note(message, "steer", "Steered: for the next call of a model", message["text"])


def _complete_step(story: RunStory, message: Message) -> None:
    name, at = message["stepName"], message.get("ts", "")
    if node := story.open_step(name):
        for call in story.active_calls:
            # A person's answer has no event of its own.
            if call.is_person and call.node == node.key:
                call.end(message["result"]["text"], at)
                story.end_call(call.agent)
        story.close_calls(CallState.DONE, at, node)
        node.completed += 1
    story.version += 1


def _complete(story: RunStory, message: Message) -> None:
    at = message.get("ts", "")
    story.state, story.ended_at = RunState.COMPLETED, at
    story.close_calls(CallState.DONE, at)
    story.unused_steering = len(message.get("unusedSteering") or ())
    story.note(message, "completed", "Completed", message["result"])
    story.version += 1


def _fail(story: RunStory, message: Message) -> None:
    error, at = message["error"], message.get("ts", "")
    is_cancelled = error["code"] == "CANCELLED"
    story.state = RunState.CANCELLED if is_cancelled else RunState.FAILED
    story.failure, story.ended_at = error["message"], at
    if story.flow:
        story.flow.interrupt(error["message"], has_failed=not is_cancelled)
    for call in story.active_calls:
        node = story.find(call.node)
        is_failed = node is not None and node.ending is NodeState.FAILED
        call.close(CallState.FAILED if is_failed else CallState.STOPPED, at)
    story.forget_calls()
    title = "Stopped" if is_cancelled else "Failed"
    story.note(message, "cancelled" if is_cancelled else "failed", title, error["message"])
    story.version += 1


_ADDED: Mapping[str, Callable[[RunStory, Message], None]] = {
    "strategy_started": _begin,
    "step_started": _begin_step,
    "agent_streaming": _stream,
    "agent_output": _answer,
    "request_input": _ask,
    "request_permission": _ask_permission,
    "steer_queued": _steer,
    "step_completed": _complete_step,
    "strategy_completed": _complete,
    "strategy_error": _fail,
}
