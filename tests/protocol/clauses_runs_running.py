"""Requirements on runs: their life, their histories."""

from __future__ import annotations

from tests.protocol.records import requirements

_LIFE = requirements(
    "Runs: life",
    ("runs.life.order", "The events of an execution come in the order of the specification."),
    ("runs.life.usage", "The usage of an execution is the sum of that of its calls."),
    ("runs.life.seq", "seq counts the events of a run from 1 without gaps, over its executions."),
    ("runs.life.request_id", "Events of an execution carry the requestId of its start or continuation."),
    ("runs.life.nested", "A nested flow is one step; its agents stream, its steps are not announced."),
    ("runs.life.bytes", "Texts pass through a run byte for byte."),
    ("runs.life.failure", "A flow that fails ends its run with EXECUTION_ERROR, and nothing else."),
    ("runs.life.settled", "State, history and the id's freedom are settled before the last event."),
    ("runs.life.parallel", "Runs at the same time do not mix."),
)

_VERBS = requirements(
    "Runs: prepare, start, continue, stop",
    ("runs.prepare.new", "A path alone prepares a run with a fresh id, and describes it."),
    ("runs.prepare.id", "An unknown id is taken if there is a path; without one it is not found."),
    ("runs.prepare.frozen", "A strategy is read when it is prepared; later changes do not matter."),
    ("runs.prepare.continuation", "An id with a history prepares a continuation, as before unless given."),
    ("runs.prepare.attach", "A run in flight is attached to, with the conversation so far."),
    ("runs.prepare.failure", "A failure is PREPARE_FAILED, and leaves what was there before."),
    ("runs.prepare.boundary", "Strategies, prompts and directories are within the user's boundary."),
    ("runs.prepare.no_history", "Preparing writes no history."),
    ("runs.prepare.mcp", "Servers of tools that are not connected are reported as unavailable."),
    ("runs.start.failures", "An unknown, unprepared or started run is not started, nor with the wrong verb."),
    ("runs.continue.remembered", "Agents keep their conversations over continuations, again and again."),
    ("runs.continue.after_failure", "Runs that failed or were stopped can be continued."),
    ("runs.stop.streaming", "Stopping closes the streams of models at once."),
    ("runs.stop.questions", "Stopping withdraws the questions of a run."),
    ("runs.stop.pending", "A pending run that is stopped is cancelled."),
    ("runs.stop.silent", "Stopping a run that is not in flight has no effect and no reply."),
    ("runs.stop.once", "Each execution has exactly one last event, whatever is sent when."),
    ("runs.stop.deaf", "An agent that ignores being stopped does not keep its run."),
)

RUNS_RUNNING = (*_LIFE, *_VERBS)
