"""What all calls of models have in common: retries, time limits, and faulty providers."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from stringd_runs.agent_events import Text, Thinking, ThinkingEnd, ThinkingStart, ToolCall, Usage
from stringd_runs.model_provider import Finished, ModelCall, ModelProvider, ProviderEvent, ProviderFailed
from stringd_runs.providers.model_stream import StreamLimits, stream_model
from tests.runs.providers.model_calls import collect, model_call, text_of

QUICK = StreamLimits(first=0.2, idle=0.2, retry_pause=0.001, longest_pause=0.05)
PIECES = (
    Text(text="a"),
    ThinkingStart(id="t"),
    Thinking(id="t", text="hm"),
    ThinkingEnd(id="t"),
    ToolCall(id="1", name="x", arguments="{}"),
)
BUSY = ProviderFailed("busy", is_transient=True)


class Attempts:
    """A provider whose attempts are scripts of events, failures, and `None` for never answering."""

    def __init__(self, *attempts: tuple[Any, ...]) -> None:
        self.attempts = list(attempts)
        self.begun = 0
        self.closed = 0

    async def stream(self, call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
        del call
        steps = self.attempts[min(self.begun, len(self.attempts) - 1)]
        self.begun += 1
        try:
            for it in steps:
                if it is None:
                    await asyncio.Event().wait()
                if isinstance(it, Exception):
                    raise it
                yield it
        finally:
            self.closed += 1

    def run(self, limits: StreamLimits = QUICK, **options: Any) -> list[Any]:
        return collect(stream_model(self.provider, model_call("x", options=options), limits))

    @property
    def provider(self) -> ModelProvider:
        return ModelProvider(name="tried", title="Tried", stream=self.stream)


@pytest.mark.requirement("runs.providers.retries")
def test_a_transient_failure_is_tried_again() -> None:
    attempts = Attempts((BUSY,), (BUSY,), (Text(text="a"), Finished()))
    assert attempts.run() == [Text(text="a"), Finished()]
    assert attempts.begun == attempts.closed == 3


@pytest.mark.requirement("runs.providers.retries")
@pytest.mark.parametrize(("retries", "begun"), [(0, 1), (1, 2), (None, 3), (4, 5)])
def test_max_retries_bounds_the_attempts(retries: int | None, begun: int) -> None:
    attempts = Attempts((BUSY,))
    given: dict[str, Any] = {} if retries is None else {"maxRetries": retries}
    with pytest.raises(ProviderFailed, match="busy" if begun == 1 else rf"busy \({begun} attempts\)"):
        attempts.run(**given)
    assert attempts.begun == begun


@pytest.mark.requirement("runs.providers.retries")
def test_a_lasting_failure_is_not_tried_again() -> None:
    attempts = Attempts((ProviderFailed("no such model"),))
    with pytest.raises(ProviderFailed, match=r"^no such model$"):
        attempts.run()
    assert attempts.begun == 1


@pytest.mark.requirement("runs.providers.retries.never_after_a_piece")
@pytest.mark.parametrize("piece", PIECES, ids=lambda it: type(it).__name__)
def test_nothing_is_tried_again_after_a_piece(piece: ProviderEvent) -> None:
    attempts = Attempts((piece, BUSY), (Finished(),))
    with pytest.raises(ProviderFailed, match=r"^busy$"):
        attempts.run()
    assert attempts.begun == 1


@pytest.mark.requirement("runs.providers.retries.retry_after")
def test_the_provider_says_when_to_try_again() -> None:
    attempts = Attempts((ProviderFailed("busy", is_transient=True, retry_after=0.0),), (Finished(),))
    slow = StreamLimits(first=1, idle=1, retry_pause=3600, longest_pause=3600)
    assert attempts.run(slow) == [Finished()]


@pytest.mark.requirement("runs.providers.retries.retry_after")
def test_what_may_be_tried_much_later_fails_at_once() -> None:
    attempts = Attempts((ProviderFailed("busy", is_transient=True, retry_after=86_400),))
    with pytest.raises(ProviderFailed, match=r"^busy; it may be tried again in 86400 seconds$"):
        attempts.run()
    assert attempts.begun == 1


@pytest.mark.requirement("runs.providers.time_limits")
def test_a_provider_that_never_answers_ends() -> None:
    attempts = Attempts((None,))
    with pytest.raises(
        ProviderFailed, match=r"^tried has not begun to answer for 0.2 seconds \(2 attempts\)$"
    ):
        attempts.run(maxRetries=1)
    assert attempts.begun == attempts.closed == 2


@pytest.mark.requirement("runs.providers.time_limits")
def test_a_provider_that_stops_in_the_middle_ends() -> None:
    attempts = Attempts((Text(text="a"), None))
    with pytest.raises(ProviderFailed, match=r"^tried has not continued its answer for 0.2 seconds$"):
        attempts.run()
    assert attempts.begun == attempts.closed == 1


@pytest.mark.requirement("runs.providers.cancel")
def test_closing_the_stream_cancels_the_call() -> None:
    attempts = Attempts((Text(text="a"), None))

    async def run() -> None:
        stream = stream_model(attempts.provider, model_call("x"))
        await anext(stream)
        await stream.aclose()
        assert attempts.closed == 1

    asyncio.run(asyncio.wait_for(run(), 10))


@pytest.mark.requirement("runs.providers.cancel")
@pytest.mark.parametrize("step", [None, BUSY], ids=["answering", "pausing"])
def test_cancelling_the_reader_cancels_the_call(step: object) -> None:
    attempts = Attempts((step,))

    async def run() -> None:
        limits = StreamLimits(first=3600, idle=3600, retry_pause=3600, longest_pause=3600)
        stream = stream_model(attempts.provider, model_call("x"), limits)
        reading = asyncio.ensure_future(anext(stream))
        while not attempts.begun:
            await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert attempts.closed == 1

    asyncio.run(asyncio.wait_for(run(), 10))


@pytest.mark.requirement("runs.providers.failures")
@pytest.mark.parametrize("error", [ValueError("sk-secret"), TimeoutError(), KeyError("x")], ids=repr)
def test_a_bug_of_a_provider_is_its_failure_and_tells_no_values(error: Exception) -> None:
    attempts = Attempts((error,))
    with pytest.raises(
        ProviderFailed, match=f"^tried failed with {type(error).__name__}: see the log$"
    ) as failed:
        attempts.run()
    assert "sk-secret" not in str(failed.value)
    assert attempts.begun == 1


@pytest.mark.requirement("runs.providers.failures")
@pytest.mark.parametrize(
    "value",
    [
        "text",
        1,
        {"text": "a"},
        Text(text=5),  # type: ignore[arg-type]
        Thinking(id="x", text=None),  # type: ignore[arg-type]
        ThinkingStart(id=1),  # type: ignore[arg-type]
        ToolCall(id="1", name="x", arguments={}),  # type: ignore[arg-type]
        Finished(usage=Usage(prompt_tokens="1")),  # type: ignore[arg-type]
        Finished(usage=None),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_what_is_no_event_is_a_failure(value: Any) -> None:
    with pytest.raises(ProviderFailed, match="tried has streamed a malformed event"):
        Attempts((value,)).run()


@pytest.mark.requirement("runs.providers.failures")
def test_an_answer_without_an_end_is_a_failure() -> None:
    with pytest.raises(ProviderFailed, match=r"^the answer of tried has no end$"):
        Attempts((Text(text="a"),)).run()


@pytest.mark.requirement("runs.providers.failures")
def test_what_follows_the_end_is_not_read() -> None:
    attempts = Attempts((Text(text="a"), Finished(), Text(text="b"), ValueError()))
    assert text_of(attempts.run()) == "a"
    assert attempts.closed == 1


@pytest.mark.requirement("runs.providers.failures")
@pytest.mark.parametrize(
    "stream",
    [lambda _: None, lambda _: iter([]), lambda _: 1 / 0],
    ids=["nothing", "synchronous", "raising"],
)
def test_a_function_that_does_not_stream_is_a_failure(stream: Callable[..., Any]) -> None:
    provider = ModelProvider(name="tried", title="Tried", stream=stream)
    with pytest.raises(ProviderFailed, match=r"^tried failed with "):
        collect(stream_model(provider, model_call("x"), QUICK))
    gc.collect()


@pytest.mark.requirement("runs.providers.retries")
@pytest.mark.parametrize("retries", [-1, 11, "2", None, 1.5, True])
def test_a_wrong_number_of_retries_is_refused(retries: object) -> None:
    with pytest.raises(
        ProviderFailed, match=r"^modelOptions.maxRetries must be a whole number from 0 to 10$"
    ):
        Attempts((Finished(),)).run(maxRetries=retries)


@pytest.mark.parametrize("name", ["", "a/b", "Upper", "a b", None, "-a", "ä"])
def test_a_provider_needs_a_name_that_can_stand_before_a_slash(name: Any) -> None:
    with pytest.raises(ValueError, match="a provider needs a lower-case name without slashes"):
        ModelProvider(name=name, title="x", stream=lambda _: None)  # type: ignore[arg-type,return-value]


def test_a_provider_needs_a_function_that_streams() -> None:
    with pytest.raises(TypeError, match="the provider x needs a function that streams"):
        ModelProvider(name="x", title="x", stream="y")  # type: ignore[arg-type]
