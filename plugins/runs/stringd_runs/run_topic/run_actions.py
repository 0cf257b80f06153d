"""The functions behind the commands of topics `run:ID`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from stringd.plugin import ErrorCode, Invocation, Refusal, Reply
from stringd.plugin.commands import info
from stringd.plugin.processes import time_limit
from stringd.plugin.text import parse_path_arguments, printable
from stringd_runs.messages.client_messages import PrepareRun
from stringd_runs.messages.run_progress import RunState
from stringd_runs.run_topic.followed_run import FollowedRun
from stringd_runs.run_topic.transcript import transcript
from stringd_runs.running.run_refused import RunRefused

if TYPE_CHECKING:
    from stringd_runs.messages.daemon_replies import RunPrepared

_WAIT_SECONDS = 60.0
_STOP_SECONDS = 5.0
_MODEL = "--model"


async def open_strategy(invocation: Invocation) -> Reply:
    """Prepare a strategy for the run, or attach to the run that has been prepared."""
    path, model = _open_arguments(invocation.line.arguments)
    prepared = await _prepare(invocation, strategy_path=path, model_override=model)
    return Reply.page(f"Prepared {printable(prepared.strategy_name)}", "\n".join(_prepared_agents(prepared)))


async def start(invocation: Invocation) -> Reply:
    """Start the run."""
    run = _run(invocation)
    await run.follow()
    with _refusals(*_before_a_start(run)):
        run.runs.start(run.user, run.run_id, _text(invocation), invocation.request_id)
    return await _wait(invocation)


async def continue_run(invocation: Invocation) -> Reply:
    """Prepare the continuation of the run from its history, and start it."""
    run = _run(invocation)
    await _prepare(invocation)
    with _refusals():
        run.runs.continue_run(run.user, run.run_id, _text(invocation), invocation.request_id)
    return await _wait(invocation)


async def steer(invocation: Invocation) -> Reply:
    """Queue a text for the next call of a model."""
    run, text = _run(invocation), _required_text(invocation)
    with _refusals():
        run.runs.steer(run.user, run.run_id, text)
    return Reply.confirmation("Queued for the next call of a model.")


async def answer(invocation: Invocation) -> Reply:
    """Answer the question to a person, and wait for what comes then."""
    run, text = _run(invocation), _text(invocation)
    await run.follow()
    agent = next(
        (it for it in run.progress.asked if text == it or text.startswith((f"{it} ", f"{it}\n"))), None
    )
    shown = text if agent is None else text[len(agent) + 1 :]
    with _refusals():
        run.runs.answer(run.user, run.run_id, agent, shown, f"/answer in {invocation.session.name}")
    run.progress.asked.pop(agent or next(iter(run.progress.asked), ""), None)
    return await _wait(invocation)


async def stop(invocation: Invocation) -> Reply:
    """Stop the run, and wait for its end."""
    run = _run(invocation)
    await run.follow()
    if not run.is_active:
        raise Refusal(ErrorCode.NOT_FOUND, "The run is neither prepared nor running.")
    run.runs.stop(run.user, run.run_id)
    run.progress.asked.clear()
    await run.settled(_STOP_SECONDS)
    return Reply.confirmation("Stopped." if run.progress.is_over else "Stopping; the run has not ended yet.")


async def describe(invocation: Invocation) -> Reply:
    """Describe the run, as `/info` describes topics."""
    await _run(invocation).follow()
    return await info.run(invocation)


async def refresh(invocation: Invocation) -> Reply:
    """Show what was said in the run."""
    run = _run(invocation)
    await run.follow()
    with _refusals():
        said = await run.runs.conversation(run.user, run.run_id)
    if said is None and not run.exists:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such run.", "/open PATH prepares one")
    status = f"Run {run.run_id} | {run.progress.state} | {run.figures()}"
    return Reply.page(status, transcript(said.records if said else ()))


async def list_steps(invocation: Invocation) -> Reply:
    """List the steps: those that were made, and those that are still to come."""
    run = _run(invocation)
    await run.follow()
    progress = run.progress
    made = [
        f"{it.name}  {f'completed, {it.tokens} tokens' if it.is_completed else _unfinished(run)}"
        for it in progress.steps
    ]
    planned = [f"{it}  planned" for it in progress.planned[progress.begun_steps :]]
    first = progress.begun_steps - len(made) + 1
    lines = (f"{number}. {printable(it)}" for number, it in enumerate((*made, *planned), first))
    return Reply.page("Steps", "\n".join(lines) or "(none)")


def _before_a_start(run: FollowedRun) -> Iterator[str]:
    if not run.exists:
        yield "/open PATH prepares a strategy"
    elif run.progress.is_over:
        yield "/continue TEXT runs it again"


def _unfinished(run: FollowedRun) -> str:
    return "not finished" if run.progress.is_over else "running"


def _run(invocation: Invocation) -> FollowedRun:
    topic = invocation.topic
    if not isinstance(topic, FollowedRun):
        raise TypeError(f"the topic of a run is needed, not {topic!r}")
    return topic


def _text(invocation: Invocation) -> str:
    line = invocation.line
    return "\n".join(it for it in (line.arguments, line.body) if it)


def _required_text(invocation: Invocation) -> str:
    text = _text(invocation)
    if not text.strip():
        raise Refusal(ErrorCode.INVALID_PARAMS, f"A text is needed: /{invocation.line.word} TEXT")
    return text


def _prepared_agents(prepared: RunPrepared) -> Iterator[str]:
    yield f"agents: {printable(', '.join(prepared.agents))}"
    steps = (it["name"] for it in prepared.flow_tree["steps"])
    yield f"flow: {printable(prepared.flow_tree['type'])}: {printable(', '.join(steps))}"
    times = len(prepared.conversation.inputs)
    yield f"\n/continue TEXT continues it ({times} times so far)" if times else "\n/start TEXT starts it"


async def _prepare(
    invocation: Invocation, *, strategy_path: str | None = None, model_override: str | None = None
) -> RunPrepared:
    run = _run(invocation)
    request = PrepareRun(
        strategy_path=strategy_path,
        run_id=run.run_id,
        model_override=model_override,
        cwd=invocation.session.state.directory,
    )
    with _refusals():
        prepared = await run.runs.prepare(run.user, request, run, disconnected=invocation.disconnected)
    await run.follow()
    return prepared


async def _wait(invocation: Invocation) -> Reply:
    """Reply when the run has ended, asks somebody, or goes on for long."""
    run = _run(invocation)
    await run.settled(time_limit(invocation.session.state, _WAIT_SECONDS))
    progress = run.progress
    if progress.state is RunState.COMPLETED:
        return Reply.page(f"completed | {run.figures()}", progress.result)
    if progress.is_over:
        raise Refusal(progress.failure_code, progress.failure, run.figures(), "/refresh shows what was said")
    if progress.asked:
        agent, prompt = next(iter(progress.asked.items()))
        return Reply.page(f"asks | {printable(agent)}", f"{prompt}\n\n/answer TEXT answers")
    return Reply.confirmation(
        f"running | {printable(progress.place())} | /info shows how far it is, /stop stops it"
    )


@contextmanager
def _refusals(*context: str) -> Iterator[None]:
    try:
        yield
    except RunRefused as refused:
        raise Refusal(str(refused.code), refused.message, *context) from refused


def _open_arguments(arguments: str) -> tuple[str, str | None]:
    """Return the path, and the model for all agents, if one is given."""
    parsed = parse_path_arguments(arguments, valued=(_MODEL,))
    if not parsed.path:
        raise Refusal(ErrorCode.INVALID_PARAMS, "The path of a strategy is needed: /open PATH")
    return parsed.path, parsed.values.get(_MODEL)
