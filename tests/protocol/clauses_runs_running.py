"""Requirements on runs: their life, their histories."""

from __future__ import annotations

from tests.protocol.records import requirements

_LIFE = requirements(
    "docs/explanation/runs.md",
    ("runs.life.order", "The events of an execution come in the order of the specification."),
    ("runs.life.usage", "The usage of an execution is the sum of that of its calls."),
    ("runs.life.seq", "seq counts the events of a run from 1 without gaps, over its executions."),
    ("runs.life.request_id", "Events of an execution carry the requestId of its start or continuation."),
    ("runs.life.nested", "A nested flow is one step; its agents stream, its steps are not announced."),
    ("runs.life.bytes", "Texts pass through a run byte for byte."),
    ("runs.life.failure", "A flow that fails ends its run with EXECUTION_ERROR, and nothing else."),
    ("runs.life.settled", "State, history and the id's freedom are settled before the last event."),
    ("runs.life.tasks", "Runs leave no tasks behind, however they end."),
    ("runs.life.parallel", "Runs at the same time do not mix."),
)

_VERBS = requirements(
    "docs/reference/run-messages.md#messages-of-clients",
    ("runs.prepare.new", "A path alone prepares a run with a fresh id, and describes it."),
    ("runs.prepare.id", "An unknown id is taken if there is a path; without one it is not found."),
    ("runs.prepare.most", "Of 1,000 runs in flight, the oldest prepared one that nobody follows makes room."),
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
    ("runs.stop.deaf", "A run ends within 5 s of being stopped, even if an agent or provider ignores it."),
)

_TALK = requirements(
    "docs/reference/agents.md#people",
    ("runs.steer.taken", "The next call of a model takes all queued texts, in order, and no later one does."),
    ("runs.steer.queued", "All subscribers are told of a queued text; a prepared run can be steered."),
    ("runs.steer.unused", "Texts that no call took are reported at the end, and then gone."),
    ("runs.steer.refused", "Only runs in flight can be steered; each text is taken, reported or refused."),
    ("runs.people.asked", "A person is asked when nothing comes in and input is required, or always."),
    ("runs.people.bytes", "The answer to a person's step is taken byte for byte, however long."),
    ("runs.people.unasked", "An answer that nobody waits for is refused, also the second one."),
    ("runs.people.list", "A question of a run is in the list of questions, where anyone may answer."),
    ("runs.people.first", "The first answer counts, whichever way it came; later ones get their error."),
    ("runs.people.parallel", "Several people can be asked at the same time."),
    ("runs.people.left", "A run that asks goes on after its starter has left."),
    ("runs.people.steps", "A person's step has no events of an agent."),
)

_FOLLOWING = requirements(
    "docs/reference/run-messages.md#messages-of-clients",
    ("runs.subscribe.now", "A subscriber gets the events from now on."),
    ("runs.subscribe.bytes", "All subscribers get the same bytes."),
    ("runs.subscribe.after", "afterSeq asks for the events behind a number; beyond the last: from now on."),
    ("runs.subscribe.twice", "No event arrives twice, however often a client subscribes."),
    ("runs.subscribe.unsubscribe", "Nothing arrives of what happened between two subscriptions."),
    ("runs.subscribe.stored", "A run in the store can be subscribed to, and is replayed without pieces."),
    ("runs.subscribe.stopped", "The events of a run that was stopped before its start can be asked for."),
    ("runs.subscribe.unreadable", "A history that cannot be read fails subscribe with SUBSCRIBE_ERROR."),
    ("runs.subscribe.bounded", "A feed keeps a bounded number of events; others come from the store."),
    ("runs.lists.statuses", "Lists have each run with its status and its times, the newest first."),
    ("runs.lists.discarded", "A prepared continuation that is stopped leaves the run in lists as it was."),
    ("runs.lists.directory", "Stored runs can be listed by their working directory."),
    ("runs.users.hidden", "To another user, a run does not exist."),
    ("runs.users.removed", "The runs of a removed user are stopped and forgotten."),
)

_HISTORIES = requirements(
    "docs/reference/run-histories.md",
    ("runs.history.killed", "After a kill, the run is cancelled, and what was said to be done remembered."),
    ("runs.history.torn", "A torn last line is skipped."),
    ("runs.history.garbage", "Files that are garbage, or no files, do no harm."),
    ("runs.history.private", "Histories can be read by their owner only."),
    ("runs.history.full", "On a full disk, a run ends with an error; nothing hangs, nothing is pretended."),
    ("runs.history.shutdown", "When the daemon stops, runs end CANCELLED and their histories are written."),
    ("runs.history.held", "What is said to be done is on disk, in groups; what is not is never said."),
    ("runs.history.synced", "A history is synced at the start, at each call of an agent and at the end."),
    (
        "runs.history.room",
        "A bounded amount waits for the disk; then pieces are left out, and the run waits.",
    ),
    ("runs.history.lazy", "A daemon without histories starts without what reads them."),
    ("runs.history.content", "A history has the events as they were sent, without pieces of text."),
)

_MEMORY = requirements(
    "docs/reference/run-histories.md#how-long-runs-are-kept",
    ("runs.memory.number", "Beyond 1,000 ended runs, the oldest that nobody follows leaves memory."),
    ("runs.memory.time", "An ended run leaves memory after an hour; the store has it from then on."),
)

RUNS_RUNNING = (*_LIFE, *_VERBS, *_TALK, *_FOLLOWING, *_HISTORIES, *_MEMORY)
