"""The built-in types of flows: sequential, broadcast and cycle."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence

from stringd.plugin import Runtime
from stringd.plugin.strict_files import Value
from stringd_runs.flows.break_signals import BREAK_MATCHES, DEFAULT_SIGNALS, holds_signal
from stringd_runs.flows.flow_types import CallStep, FlowType
from stringd_runs.strategies.field_values import filled_text, positive
from stringd_runs.strategies.flow_reading import ReadStep
from stringd_runs.strategies.strategy import Flow, Step

AT_ONCE = 8
"""The most steps of a broadcast that are called at the same time."""
_SEPARATOR = "\n\n"
_INFINITE = "Infinity"
_CYCLES = f'a whole number greater than 0, or "{_INFINITE}"'


async def _run_sequential(flow: Flow, text: str, call: CallStep) -> str:
    """Give each step what the one before has returned."""
    return await _in_order(flow.steps, text, call)


async def _in_order(steps: Iterable[Step], text: str, call: CallStep) -> str:
    for step in steps:
        text = await call(step, text)
    return text


async def _run_broadcast(flow: Flow, text: str, call: CallStep) -> str:
    """Give all steps the same text, several of them at once, and join what they return in their order."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def call_in_turn(step: Step) -> str:
        async with turn:
            return await call(step, text)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call_in_turn(step)) for step in flow.steps]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return str(flow.options.get("separator", _SEPARATOR)).join(it.result() for it in tasks)


async def _run_cycle(flow: Flow, text: str, call: CallStep) -> str:
    """Call the steps again and again, each round on the answer of the observer or else on their own output.

    The observer is not asked after the last round, since nothing could come of its answer.
    """
    options = flow.options
    observer: Step | None = options.get("observer")
    signals: Sequence[str] = options.get("breakCycleSignals", DEFAULT_SIGNALS)
    match = options.get("breakCycleSignalMatch", BREAK_MATCHES[0])
    last_round = min(options.get("cycles", 1), options.get("maxRounds", math.inf))
    rounds = 0
    while True:
        output = await _in_order(flow.steps, text, call)
        rounds += 1
        if rounds >= last_round:
            return output
        text = await call(observer, output) if observer else output
        if observer and holds_signal(text, signals, match):
            return output


def _text(value: Value, _: ReadStep) -> str:
    return value.text()


def _cycles(value: Value, _: ReadStep) -> float:
    if value.is_scalar and value.data() == _INFINITE:
        return math.inf
    return positive(value, _CYCLES)


def _step(value: Value, read_step: ReadStep) -> Step:
    return read_step(value)


def _signals(value: Value, _: ReadStep) -> tuple[str, ...]:
    return tuple(filled_text(it) for it in value.items())


def _match(value: Value, _: ReadStep) -> str:
    return value.word(BREAK_MATCHES)


def _rounds(value: Value, _: ReadStep) -> int:
    return positive(value)


FLOW_TYPES = (
    FlowType(name="sequential", summary="One step after another.", run=_run_sequential),
    FlowType(
        name="broadcast",
        summary="All steps at once, on the same text.",
        run=_run_broadcast,
        options={"separator": _text},
    ),
    FlowType(
        name="cycle",
        summary="The steps again and again, until an observer is content.",
        run=_run_cycle,
        options={
            "cycles": _cycles,
            "observer": _step,
            "breakCycleSignals": _signals,
            "breakCycleSignalMatch": _match,
            "maxRounds": _rounds,
        },
    ),
)


def known_flow_types(runtime: Runtime) -> Mapping[str, FlowType]:
    """Return these types and those that plugins have added, by name."""
    return {it.name: it for it in (*FLOW_TYPES, *runtime.added(FlowType))}
