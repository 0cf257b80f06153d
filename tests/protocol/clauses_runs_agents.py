"""Requirements on runs: agents."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_AGENTS = requirements(
    "Runs: agents and tools",
    ("runs.agents.memory", "Agents remember their calls within a run."),
    ("runs.agents.memory.records", "Agents go on with the records of earlier executions."),
    ("runs.agents.memory.whole_calls", "A call that fails leaves nothing in the conversation."),
    ("runs.agents.failures", "A failure of a provider fails the agent with its words."),
    ("runs.agents.steering", "The next call of an agent takes all steering, in order, in marked blocks."),
    ("runs.agents.context", "`context` limits what is sent of a conversation; each cut is noted."),
    ("runs.agents.output_schema", "An answer has to fit the outputSchema, which the model is told."),
    ("runs.agents.output_schema.once_more", "An answer that does not fit may be corrected once."),
    ("runs.agents.output_schema.keywords", "The keywords of schemas that describe the shape of values hold."),
    ("runs.agents.people", "People are asked if nothing comes in, or always; a preset message comes last."),
    ("runs.agents.code", "Agents of registered types are code of plugins, whose failures are theirs."),
    ("runs.agents.tools.loop", "A model goes on with the results of the tools that it calls."),
    ("runs.agents.tools.events", "Tool calls and their results are events of the run."),
    ("runs.agents.tools.order", "Several calls of one answer run in their order."),
    ("runs.agents.tools.bad_calls", "Unknown tools and arguments that are no object are told to the model."),
    ("runs.agents.tools.max_steps", "The loop ends at maxSteps, and the finish reason says so."),
    ("runs.agents.tools.bounded", "Output of tools is bounded, and the cut is said."),
    ("runs.agents.tools.untrusted", "Output stands between marks that it cannot imitate."),
)
