"""Agents that are models: their conversation, and the loop of their tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stringd_runs.agent import AgentFailed, RunContext
from stringd_runs.agent_events import (
    AgentEvent,
    AgentResult,
    ContextUsage,
    StepStart,
    ToolCall,
    ToolResult,
    Usage,
)
from stringd_runs.agents.context_limits import ContextLimits
from stringd_runs.agents.conversation import Conversation
from stringd_runs.agents.model_request import ModelAnswer, request_model
from stringd_runs.agents.output_schema import OutputMismatch, output_of, with_schema
from stringd_runs.model_provider import Message, ModelCall, ModelMessage, ToolMessage, UserMessage
from stringd_runs.prices import Price
from stringd_runs.providers.provider_catalogue import ChosenModel
from stringd_runs.strategies.strategy import ModelAgent
from stringd_runs.tools.agent_tool import AgentTool, ToolOutcome, use_tool
from stringd_runs.tools.untrusted_text import output_block, steering_block

DEFAULT_MAX_STEPS = 50
MAX_STEPS = "max-steps"
"""The finish reason of a call whose model would have gone on after its last request."""
MOST_CALLS = 100
"""How many tools one answer of a model may call."""
_TOO_MANY = ToolOutcome.failure(f"This was not run: an answer may call at most {MOST_CALLS} tools.")
_OUT_OF_STEPS = ToolOutcome.failure("This was not run: the agent has no steps left (maxSteps).")


class ModelAgentRunner:
    """A model agent of one run; implements `Agent`."""

    def __init__(self, definition: ModelAgent, model: ChosenModel, tools: Sequence[AgentTool] = ()) -> None:
        self.definition = definition
        self._model = model
        self._tools = {it.declaration.name: it for it in tools}
        self._conversation = Conversation(definition.name, ContextLimits.of(definition.context))

    @property
    def model(self) -> str:
        """The model as `provider/model`."""
        return self._model.name

    @property
    def context_window(self) -> int | None:
        """The size of the model's context in tokens, if it is known."""
        return self._model.context_window

    @property
    def price(self) -> Price | None:
        """The price of the model, if it is known."""
        return self._model.price

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the conversation so far."""
        return self._conversation.records()

    def restore(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Remember the conversation of an earlier execution."""
        self._conversation.restore(records)

    async def call(self, text: str, run: RunContext) -> AgentResult:
        """Answer a text, using tools as often as the model wants and `maxSteps` allows."""
        blocks = map(steering_block, run.take_steering())
        asked = UserMessage(text="\n\n".join(filter(None, (text, *blocks))))
        if removed := self._conversation.cut(asked):
            run.note_cut(self.definition.name, removed)
        call = _Call(self.definition, self._model, self._tools, self._conversation, run)
        try:
            result = await call.answer(asked)
        except OutputMismatch as mismatch:
            name = self.definition.name
            raise AgentFailed(f"{name} did not answer as its outputSchema demands: {mismatch}") from mismatch
        self._conversation.remember(call.remembered)
        return result


class _Call:
    """One call of a model agent; `remembered` are the messages of it that its conversation keeps."""

    def __init__(
        self,
        definition: ModelAgent,
        model: ChosenModel,
        tools: Mapping[str, AgentTool],
        conversation: Conversation,
        run: RunContext,
    ) -> None:
        self.remembered: list[Message] = []
        self._definition = definition
        self._model = model
        self._tools = tools
        self._run = run
        self._answers = conversation.answers
        self._sent = list(conversation.sent())
        self._usage = Usage()
        self._steps = 0
        self._is_corrected = False

    async def answer(self, asked: UserMessage) -> AgentResult:
        """Ask the model, and run the tools it calls, until it answers without calling one."""
        self._add(asked)
        text = ""
        while True:
            answer = await self._request()
            text = answer.message.text or text
            if answer.message.tool_calls:
                self._add(answer.message)
                await self._use_tools(answer.message.tool_calls)
                if self._is_exhausted:
                    return self._result(self._checked(text), answer, MAX_STEPS)
            elif mismatch := self._mismatch(text):
                self._have_corrected(answer.message, mismatch)
            else:
                self._add(answer.message)
                return self._result(self._checked(text), answer, answer.finish_reason)

    @property
    def _is_exhausted(self) -> bool:
        return self._steps >= (self._definition.max_steps or DEFAULT_MAX_STEPS)

    def _add(self, message: Message) -> None:
        self._sent.append(message)
        self.remembered.append(message)

    def _report(self, event: AgentEvent) -> None:
        self._run.publish(self._definition.name, event)

    async def _request(self) -> ModelAnswer:
        self._steps += 1
        self._report(StepStart())
        definition = self._definition
        call = ModelCall(
            model=self._model.model,
            system=with_schema(definition.system_prompt, definition.output_schema),
            messages=tuple(self._sent),
            tools=tuple(it.declaration for it in self._tools.values()),
            options=definition.model_options,
            provider_options=self._model.options,
            output_schema=definition.output_schema,
            user=self._run.user,
            run_id=self._run.run_id,
            agent=definition.name,
            turn=self._answers + self._steps,
            step=self._steps,
        )
        answer = await request_model(self._model, call, self._report)
        self._usage += answer.usage
        return answer

    async def _use_tools(self, calls: Sequence[ToolCall]) -> None:
        """Run the tools that a model has called, one after the other: each may rely on those before it."""
        for number, call in enumerate(calls):
            if self._is_exhausted:
                outcome = _OUT_OF_STEPS
            elif number >= MOST_CALLS:
                outcome = _TOO_MANY
            else:
                outcome = await use_tool(call, self._tools, self._definition.name, self._run)
            self._report(ToolResult(id=call.id, name=call.name, output=outcome.text, error=outcome.error))
            self._add(
                ToolMessage(
                    call_id=call.id,
                    name=call.name,
                    output=output_block(outcome.text),
                    is_error=outcome.error is not None,
                )
            )

    def _mismatch(self, text: str) -> OutputMismatch | None:
        """Return why an answer does not fit the agent's schema, if the model may still correct it."""
        if self._is_corrected or self._is_exhausted:
            return None
        try:
            self._checked(text)
        except OutputMismatch as mismatch:
            return mismatch
        return None

    def _have_corrected(self, message: ModelMessage, mismatch: OutputMismatch) -> None:
        # Neither is remembered: later calls are better off with the corrected answer alone.
        self._sent += (message, UserMessage(text=mismatch.complaint))
        self._is_corrected = True

    def _checked(self, text: str) -> str:
        schema = self._definition.output_schema
        return text if schema is None else output_of(text, schema)

    def _result(self, text: str, last: ModelAnswer, finish_reason: str) -> AgentResult:
        tokens = last.usage.prompt_tokens + last.usage.completion_tokens
        return AgentResult(
            text=text,
            usage=self._usage,
            context_usage=ContextUsage(tokens=tokens, context_window=self._model.context_window)
            if tokens
            else None,
            finish_reason=finish_reason,
        )
