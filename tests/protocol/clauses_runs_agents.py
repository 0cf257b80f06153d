"""Requirements on runs: agents."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_AGENTS = requirements(
    "docs/reference/agents.md",
    ("runs.agents.memory", "Agents remember their calls within a run."),
    ("runs.agents.memory.records", "Agents go on with the records of earlier executions."),
    ("runs.agents.memory.whole_calls", "A call that fails leaves nothing in the conversation."),
    ("runs.agents.failures", "A failure of a provider fails the agent with its words."),
    ("runs.agents.steering", "The next call of an agent takes all steering, in order, in marked blocks."),
    ("runs.agents.context", "`context` limits what is sent of a conversation; each cut is noted."),
    ("runs.agents.output_schema", "An answer has to fit the outputSchema, which the model is told."),
    ("runs.agents.output_schema.once_more", "An answer that does not fit may be corrected once."),
    ("runs.agents.output_schema.valid", "A schema with keywords that cannot be checked is refused."),
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
    ("runs.agents.tools.topics", "A tool is a topic of the run's own, in which the model runs commands."),
    (
        "runs.agents.tools.topics.directory",
        "They begin in the run's directory, anew if a continuation has another one.",
    ),
    ("runs.agents.tools.topics.end", "The topics of a run end when it has left memory, also over a restart."),
    ("runs.agents.tools.failures", "A failing command is told to the model, and the loop goes on."),
    ("runs.agents.tools.entries", "An unknown tool fails the preparation."),
    ("runs.agents.tools.boundary", "Tools act as the run's user, within that user's paths."),
    ("runs.agents.tools.cancel", "Stopping a run stops the commands of its tools."),
    ("runs.agents.tools.log", "The commands of tools pass interceptors and the audit log."),
    ("runs.agents.permissions.asked", "Questions of tools are sent as request_permission."),
    (
        "runs.agents.permissions.decided",
        "permission_decision answers such a question; the first one wins.",
    ),
    (
        "runs.agents.permissions.lasting",
        "Lasting decisions hold for run, agent, tool and operation.",
    ),
    ("runs.agents.permissions.operator", "Questions to a person need the operator's token at the upgrade."),
    ("runs.agents.permissions.closed", "Decisions about nothing that is open: NO_PENDING_PERMISSION."),
)
