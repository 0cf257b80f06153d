"""Requirements on the execution of pipelines by the plugin `approval`."""

from __future__ import annotations

from tests.protocol.records import requirements

APPROVAL_STAGES = requirements(
    "docs/reference/pipelines.md#what-a-stage-finds",
    ("approval.execution.no_shell", "No shell reads the arguments."),
    ("approval.execution.lookup", "Programs are looked up in the child's PATH, which no request can change."),
    ("approval.execution.script", "An executable file without an interpreter is run by /bin/sh."),
    ("approval.execution.directory", "The directory is / unless cwd names another one."),
    ("approval.execution.umask", "The umask is 077."),
    ("approval.execution.stdin", "The first stage reads /dev/null."),
    ("approval.execution.descriptors", "Stages inherit their three streams and nothing else."),
    ("approval.execution.signals", "Stages start with default reactions to signals and none blocked."),
    (
        "approval.execution.environment",
        "The environment has HOME, USER, LOGNAME and PATH, what the request sets, and nothing else.",
    ),
    ("approval.execution.agent", "The agent's socket comes from the daemon's environment, if it is wanted."),
    ("approval.execution.pipes", "Stages start at once, joined by pipes, in one process group."),
    ("approval.execution.drained", "All streams are drained together, however much they carry."),
)

APPROVAL_OUTCOMES = requirements(
    "docs/reference/pipelines.md#how-it-ends",
    ("approval.execution.exit_code", "A stage that exits has its exit code."),
    ("approval.execution.signal", "A stage that a signal ends has exit code -1 and the signal."),
    (
        "approval.execution.unstartable",
        "A stage that can't be started fails the request with the system's words, without a trace.",
    ),
    ("approval.execution.time", "After its time, the group is killed; the failure has what was captured."),
    ("approval.execution.sigpipe", "A producer whose consumer leaves early ends by SIGPIPE."),
    ("approval.execution.leftovers", "Processes that keep the pipes have 2 s, then they are killed."),
    ("approval.execution.strays", "Processes that left the group and session are killed as well."),
    ("approval.execution.truncated", "16,777,216 bytes of a stream are kept, the rest is read and dropped."),
    ("approval.execution.no_survivor", "No process survives the daemon, however it ends."),
    ("approval.execution.no_remains", "No zombie and no descriptor remains of a pipeline."),
    ("approval.execution.hidden", "Processes of the same user can't look into supervisors."),
    ("approval.execution.checked", "What can't be run is known before anybody is asked."),
    ("approval.execution.resolved", "Each program is shown as what runs: path, link and interpreter."),
)

APPROVAL_PRIVILEGED = requirements(
    "docs/reference/pipelines.md#privileged-pipelines",
    ("approval.execution.sudo", "sudo runs privileged stages, each with -- before its program."),
    ("approval.execution.sudo.variables", "The host's policy decides about variables; LD_* is never passed."),
    ("approval.execution.sudo.password", "A person types the password on a terminal of the daemon's."),
    ("approval.execution.sudo.once", "A pipeline asks for the password once."),
    ("approval.execution.sudo.unasked", "Without a person's terminal, sudo does not ask."),
    ("approval.execution.sudo.killed", "Commands of root end in time as well."),
    ("approval.execution.sudo.missing", "Without sudo, privileged requests fail before the question."),
)

APPROVAL_EXECUTION = APPROVAL_STAGES + APPROVAL_OUTCOMES + APPROVAL_PRIVILEGED
