"""Requirements on the way of a request through the plugin `approval`: policy, log, decision, execution."""

from __future__ import annotations

from tests.protocol.records import requirements

APPROVAL_REQUESTS = requirements(
    "docs/reference/approval-socket.md#how-a-request-is-decided",
    ("approval.request.allowed", "What the policy allows runs without a question."),
    ("approval.request.denied", "Without a rule and without anybody who can decide, a request is denied."),
    ("approval.request.forbidden", "What the policy forbids is refused before its id is burnt."),
    ("approval.request.replayed", "An id is burnt by a denial, too, and stays so across a restart."),
    ("approval.request.logged", "Arrival, verdict, start and end are logged, without outputs or values."),
    ("approval.request.log_failed", "Nothing runs that the log can't take; it is tried again later."),
    (
        "approval.request.policy_problem",
        "An invalid policy asks about everything; /status says why.",
    ),
    ("approval.request.occupied", "A daemon whose socket another one listens on says so and ends."),
)
