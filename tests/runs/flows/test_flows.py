"""Flows: which steps are called, with what, in which order, and how often."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd_runs.agent import AgentFailed
from stringd_runs.agent_events import Usage
from stringd_runs.flows.break_signals import BREAK_MATCHES, DEFAULT_SIGNALS, holds_signal
from stringd_runs.flows.flow_run import run_flow
from stringd_runs.flows.flow_tree import flow_tree
from stringd_runs.strategies.strategy import Flow, Step
from tests.runs.flows.calling import BUILT_IN, Calls, flow, step

NAMES = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=3)
PURE = st.recursive(
    NAMES.map(step),
    lambda steps: st.builds(
        lambda kind, name, inner, cycles: flow(
            kind, *inner, name=name, **({"cycles": cycles} if kind == "cycle" else {})
        ),
        st.sampled_from(["sequential", "broadcast", "cycle"]),
        NAMES,
        st.lists(steps, min_size=1, max_size=4),
        st.integers(1, 2),
    ),
    max_leaves=10,
)


def expected(of: Step, text: str) -> str:
    """What a flow must return if each agent answers with its name around the text."""
    if not isinstance(of, Flow):
        return f"{of.name}({text})"
    if of.type == "broadcast":
        return "\n\n".join(expected(it, text) for it in of.steps)
    for _ in range(of.options.get("cycles", 1)):
        for it in of.steps:
            text = expected(it, text)
    return text


@pytest.mark.requirement("runs.flows.sequential", "runs.flows.broadcast", "runs.flows.cycle")
@settings(deadline=None, max_examples=150)
@given(PURE, st.text(max_size=10))
def test_flows_nest_as_they_are_defined_alone(tree: Step, text: str) -> None:
    main = tree if isinstance(tree, Flow) else flow("sequential", tree)
    calls = Calls()
    result = calls.run(main, text)
    assert result.text == expected(main, text)
    assert result.usage.prompt_tokens == len(calls.calls)
    json.dumps(flow_tree(main))


@pytest.mark.requirement("runs.flows.sequential")
def test_the_output_of_a_step_is_the_input_of_the_next() -> None:
    calls = Calls()
    assert calls.run(flow("sequential", "a", "b", "a"), "x").text == "a(b(a(x)))"
    assert calls.calls == [("a", "x"), ("b", "a(x)"), ("a", "b(a(x))")]


@pytest.mark.requirement("runs.flows.broadcast")
@settings(deadline=None, max_examples=30)
@given(st.permutations(range(12)), st.integers(1, 12))
def test_a_broadcast_joins_in_file_order_whoever_is_first(order: list[int], count: int) -> None:
    """Steps end in a given order, as far as at most eight of them run at a time."""

    async def run() -> tuple[str, int]:
        ends = [asyncio.Event() for _ in range(count)]

        async def answer(agent: str, text: str) -> str:
            await ends[int(agent)].wait()
            return agent

        calls = Calls(answer)
        main = flow("broadcast", *map(str, range(count)), separator="-")
        running = asyncio.create_task(run_flow(main, "x", calls, BUILT_IN))
        async with asyncio.timeout(20):
            while len(calls.calls) < min(count, 8):
                await asyncio.sleep(0)
            for _ in range(20):
                await asyncio.sleep(0)
            assert calls.running == min(count, 8)
            for number in order:
                if number < count:
                    ends[number].set()
                    await asyncio.sleep(0)
            return (await running).text, calls.most_running

    assert asyncio.run(run()) == ("-".join(map(str, range(count))), min(count, 8))


@pytest.mark.requirement("runs.flows.broadcast")
def test_a_step_that_fails_cancels_those_beside_it() -> None:
    cancelled = []

    async def answer(agent: str, text: str) -> str:
        if agent == "bad":
            raise AgentFailed("no key")
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(agent)
        return ""

    with pytest.raises(AgentFailed, match="no key"):
        Calls(answer).run(flow("broadcast", "a", "b", "bad"), "x")
    assert sorted(cancelled) == ["a", "b"]


@pytest.mark.requirement("runs.flows.cycle")
@settings(deadline=None, max_examples=60)
@given(
    st.one_of(st.integers(1, 6), st.just(math.inf)),
    st.one_of(st.none(), st.integers(1, 6)),
    st.integers(1, 3),
)
def test_a_cycle_has_its_rounds(cycles: float, most: int | None, steps: int) -> None:
    if cycles == math.inf and most is None:
        most = 5
    options: dict[str, Any] = {"cycles": cycles} | ({"maxRounds": most} if most else {})
    calls = Calls()
    result = calls.run(flow("cycle", *["a"] * steps, **options), "x")
    rounds = int(min(cycles, most or math.inf))
    assert len(calls.calls) == rounds * steps
    assert result.text == "a(" * (rounds * steps) + "x" + ")" * (rounds * steps)


@pytest.mark.requirement("runs.flows.cycle")
def test_the_answer_of_the_observer_is_the_next_input() -> None:
    calls = Calls()
    main = flow("cycle", "a", "b", observer=step("see"), cycles=2)
    assert calls.run(main, "x").text == "b(a(see(b(a(x)))))"
    assert [name for name, _ in calls.calls] == ["a", "b", "see", "a", "b"]


@pytest.mark.requirement("runs.flows.signals")
def test_a_signal_of_the_observer_makes_the_output_of_the_steps_the_result() -> None:
    answers = iter(["Again, please.", "I am DONE with this."])

    async def answer(agent: str, text: str) -> str:
        return next(answers) if agent == "see" else f"{agent}({text})"

    calls = Calls(answer)
    result = calls.run(flow("cycle", "a", observer=step("see"), cycles=math.inf), "x")
    assert result.text == "a(Again, please.)"
    assert result.usage == Usage(prompt_tokens=4, completion_tokens=2 + 2 + 1 + 5)


@pytest.mark.requirement("runs.flows.signals")
def test_what_the_steps_say_ends_no_cycle() -> None:
    calls = Calls()
    calls.run(flow("cycle", "done", cycles=3), "stop")
    assert len(calls.calls) == 3


ANSWERS = st.sampled_from(["go on", "stop", "Stop\nhere", "first\nSTOP", "do not stop", ""])


@pytest.mark.requirement("runs.flows.cycle", "runs.flows.signals")
@settings(deadline=None, max_examples=150)
@given(
    st.lists(ANSWERS, min_size=1, max_size=6),
    st.sampled_from(BREAK_MATCHES),
    st.integers(1, 6),
    st.integers(1, 6),
)
def test_an_observed_cycle_ends_with_its_first_signal(
    said: list[str], match: str, cycles: int, most: int
) -> None:
    """The rounds of a cycle are those of this simple loop."""
    answers = {f"a({text})": answer for text, answer in zip(["x", *said], said, strict=False)}

    async def answer(agent: str, text: str) -> str:
        return answers.get(text, "end cycle stop") if agent == "see" else f"a({text})"

    options: dict[str, Any] = {
        "observer": step("see"),
        "breakCycleSignals": ("stop",),
        "breakCycleSignalMatch": match,
        "cycles": cycles,
        "maxRounds": most,
    }
    calls = Calls(answer)
    result = calls.run(flow("cycle", "a", **options), "x")
    text, expected_calls = "x", []
    for number in range(1, min(cycles, most) + 1):
        output = f"a({text})"
        expected_calls.append(("a", text))
        if number == min(cycles, most):
            break
        expected_calls.append(("see", output))
        text = answers.get(output, "end cycle stop")
        if holds_signal(text, ("stop",), match):
            break
    assert calls.calls == expected_calls
    assert result.text == output


MATCHES: Mapping[str, tuple[bool, bool, bool, bool]] = {
    # substring, first-line, any-line, exact
    "stop": (True, True, True, True),
    " \n Stop \n": (True, True, True, True),
    "stop\nbecause": (True, True, True, False),
    "because\n  STOP": (True, False, True, False),
    "we stop here": (True, False, False, False),
    "non-stop": (True, False, False, False),
    "go on": (False, False, False, False),
    "": (False, False, False, False),
}


@pytest.mark.requirement("runs.flows.signals")
@pytest.mark.parametrize("answer", MATCHES)
def test_each_way_of_matching_signals(answer: str) -> None:
    found = tuple(holds_signal(answer, ("Stop", "end cycle"), match) for match in BREAK_MATCHES)
    assert found == MATCHES[answer]


@pytest.mark.requirement("runs.flows.signals")
@given(st.text(), st.lists(st.text(min_size=1).filter(str.strip), max_size=3))
def test_stricter_matches_are_found_by_looser_ones(answer: str, signals: list[str]) -> None:
    loose, first, line, exact = (holds_signal(answer, signals, match) for match in BREAK_MATCHES)
    assert loose or not line
    assert line or not first
    assert loose or not exact


@pytest.mark.requirement("runs.flows.signals")
def test_the_default_signals() -> None:
    assert DEFAULT_SIGNALS == ("end cycle", "stop", "done")


@pytest.mark.requirement("runs.flows.yields")
@pytest.mark.parametrize("kind", ["cycle", "nested"])
def test_an_endless_cycle_lets_others_run_and_can_be_cancelled(kind: str) -> None:
    main = flow("cycle", "a", cycles=math.inf)
    if kind == "nested":
        main = flow("sequential", flow("cycle", main, cycles=math.inf))

    async def answer(agent: str, text: str) -> str:
        return text

    async def run() -> int:
        calls = Calls(answer)
        running = asyncio.create_task(run_flow(main, "x", calls, BUILT_IN))
        turns = 0
        async with asyncio.timeout(20):
            while len(calls.calls) < 200:
                turns += 1
                await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return turns

    assert asyncio.run(run()) >= 100


@pytest.mark.requirement("runs.flows.steps")
def test_only_steps_of_the_outer_flow_are_announced() -> None:
    calls = Calls()
    calls.run(flow("sequential", "a", flow("broadcast", "b", "c", name="both")), "x")
    assert calls.announced == [
        ("started", "a", "x"),
        ("completed", "a", "a(x)"),
        ("started", "both", "a(x)"),
        ("completed", "both", "b(a(x))\n\nc(a(x))"),
    ]


@pytest.mark.requirement("runs.flows.steps")
def test_a_step_that_fails_is_not_completed() -> None:
    async def answer(agent: str, text: str) -> str:
        raise AgentFailed("broken")

    calls = Calls(answer)
    with pytest.raises(AgentFailed):
        calls.run(flow("sequential", "a"), "x")
    assert calls.announced == [("started", "a", "x")]


@pytest.mark.requirement("runs.flows.tree")
def test_the_tree_of_a_flow_shows_all_of_it() -> None:
    main = flow("cycle", "a", flow("sequential", "b", name="in"), cycles=math.inf, observer=step("see"))
    assert flow_tree(main) == {
        "type": "cycle",
        "name": "main",
        "cycles": "Infinity",
        "observer": {"type": "agent", "name": "see"},
        "steps": [
            {"type": "agent", "name": "a"},
            {"type": "sequential", "name": "in", "steps": [{"type": "agent", "name": "b"}]},
        ],
    }
