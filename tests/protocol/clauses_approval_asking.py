"""Requirements on the questions of the approval plugin: display, answers, grants, and the gate."""

from __future__ import annotations

from tests.protocol.records import requirements

APPROVAL_ASKING = requirements(
    "docs/reference/approval-questions.md",
    (
        "approval.asking.notation",
        "Pipelines are shown in a notation that parses back exactly; no argument imitates its marks.",
    ),
    (
        "approval.asking.display",
        "A question shows everything that determines what will run, as whom, and for whom.",
    ),
    ("approval.asking.display.injective", "Two different requests never read the same."),
    ("approval.asking.display.lines", "No request can imitate another line of the question."),
    (
        "approval.asking.grant.terms",
        "A grant is for leading arguments, a number of times or minutes, and a session or user.",
    ),
    (
        "approval.asking.grant.covers",
        "A grant covers requests that differ only in further arguments and the reason.",
    ),
    ("approval.asking.grant.never_privileged", "Privileged commands are never granted."),
    ("approval.asking.grant.ends", "A grant ends with its uses or its time, by a clock that nobody can set."),
    ("approval.asking.grant.revoked", "Grants are listed and can be revoked."),
    (
        "approval.asking.answers",
        "Every answer names who gave it and through what; a comment is for the asker.",
    ),
    (
        "approval.asking.moved",
        "A request is denied if its programs or its directory lead elsewhere than was shown.",
    ),
    ("approval.asking.edit", "An edited command passes all checks again, and takes the request's place."),
    ("approval.asking.time", "The time to answer starts when the question is shown."),
    ("approval.asking.withdrawn", "When the asker leaves, its question is withdrawn on every front end."),
    ("approval.asking.first_wins", "The first of two answers wins; the other person is told who was first."),
    ("approval.asking.terminal", "In a terminal, a person sees, approves, edits and grants requests."),
    (
        "approval.asking.terminal.dies",
        "A terminal that dies approves nothing; the question stays for others.",
    ),
    ("approval.asking.program", "A program of the operator's own answers; it counts as an operator."),
    ("approval.asking.program.no_answer", "Anything else that it does is no answer."),
    ("approval.asking.program.killed", "It is killed with its children when the question is over."),
    (
        "approval.asking.fail_closed",
        "Without an operator or a grant, the answer is no, with a hint.",
    ),
)

APPROVAL_GATE = requirements(
    "docs/reference/approval-questions.md#commands-of-topics",
    (
        "approval.asking.gate.shell",
        "--approve shell asks about texts for a shell, /exec and CLI actions, however they come to run.",
    ),
    ("approval.asking.gate.outside", "... and about writes outside of the home."),
    ("approval.asking.gate.passes", "Everything else passes."),
    ("approval.asking.gate.rules", "Rules on commands ask once, or forbid."),
    (
        "approval.asking.gate.seen",
        "What an approved command does and its question did not show is asked about; secrets are not shown.",
    ),
    ("approval.asking.gate.denied", "A refused command is ERROR(DENIED) with the comment."),
    ("approval.asking.gate.timeout", "A command that nobody decides about is ERROR(APPROVAL_TIMEOUT)."),
    ("approval.asking.gate.withdrawn", "A cancelled command withdraws its question."),
    ("approval.asking.gate.long", "What is too long to be shown is refused."),
    ("approval.audit.commands", "--audit commands logs every command of a topic, with secrets masked."),
)
