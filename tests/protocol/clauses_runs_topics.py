"""Requirements on runs: topics."""

from __future__ import annotations

from tests.protocol.records import requirements

RUNS_TOPICS = requirements(
    "docs/reference/run-topics.md",
    ("runs.topics.open", "/open prepares a strategy; the topic is the run with its name as the id."),
    ("runs.topics.start", "/start starts the run, and replies with its result."),
    ("runs.topics.model", "/open --model replaces the models of all agents."),
    ("runs.topics.answer", "A question is the reply; /answer answers it, for the agent that it names."),
    ("runs.topics.steer", "/steer queues a text for the next call of a model."),
    ("runs.topics.stop", "/stop and /cancel stop the run."),
    ("runs.topics.continue", "/continue runs the flow again, by agents that remember."),
    ("runs.topics.failure", "A failure of the run is the error of the command."),
    ("runs.topics.info", "/info has status, steps, tokens, and the open question."),
    ("runs.topics.nav", "/nav lists the steps: completed, running, planned."),
    ("runs.topics.refresh", "/refresh shows the transcript as Markdown."),
    ("runs.topics.kept", "A run outlives its topic, and the daemon."),
    ("runs.topics.users", "To another user, a run does not exist."),
    ("runs.topics.shared", "A run of a topic is visible over the WebSocket, and the other way round."),
    ("runs.topics.output", "The pieces of the agents' texts are output of the command that waits."),
    ("runs.topics.events", "The daemon's events have those of runs, with topic and request."),
    ("runs.topics.progress", "At a terminal, a line has the active step, agents, tokens and elapsed time."),
    ("runs.topics.narrow", "The line of progress always fits into the terminal, also when that is resized."),
    ("runs.topics.dry", "stringd run --dry needs no key, network or daemon, and leaves nothing behind."),
    ("runs.topics.code", "A program that has started the daemon asks at its terminal whether code may run."),
    ("runs.topics.runs", "stringd runs lists runs, shows the transcript of one, and stops one."),
    ("runs.topics.daemon", "A run belongs to the running daemon, else to one for the program's time."),
    ("runs.topics.boundary", "A strategy outside of the user's paths is refused, with what allows it."),
    ("runs.topics.streaming", "At a terminal, texts are shown as they arrive, those of one agent at a time."),
    ("runs.topics.questions", "Questions are answered at the prompt, or by lines of standard input."),
    ("runs.topics.permissions", "Permissions are decided at the prompt."),
    ("runs.topics.interrupt", "Ctrl-C stops the run; a second one leaves without waiting for its end."),
    (
        "runs.topics.plain",
        "Without a terminal there are plain lines, and only the result on standard output.",
    ),
    ("runs.topics.json", "--json prints each message of the run as a line of JSON."),
    (
        "runs.topics.exit_codes",
        "The exit code is 0 if the run was completed, 1 if not, 2 for misuse, 130 for Ctrl-C.",
    ),
)
