"""Requirements on the policy of the plugin `approval`, and on its log."""

from __future__ import annotations

from tests.protocol.records import requirements

APPROVAL_POLICY = requirements(
    "docs/reference/policy.md",
    ("approval.policy.first", "The first rule that applies decides."),
    ("approval.policy.verdicts", "The verdicts are allow, ask and forbid."),
    ("approval.policy.file", "approval.yaml has rules, an approver and two times; all have defaults."),
    ("approval.policy.invalid", "What is not understood is named with its line and the nearest known key."),
    ("approval.policy.broken", "If the file cannot be used, everything is asked about, and it is known why."),
    ("approval.policy.changes", "Changes of the file take effect at once."),
    ("approval.policy.check", "stringd policy check says what is wrong, and warns of careless rules."),
    ("approval.policy.show", "stringd policy show lists what applies."),
    (
        "approval.policy.explain",
        "stringd policy explain names the rule, and warns of programs that run others.",
    ),
    ("approval.policy.default", "Without a rule, requests are asked about and commands of topics run."),
    (
        "approval.policy.conditions",
        "A rule has conditions on who asks, for what kind of thing, and for what exactly; all must be met.",
    ),
    ("approval.policy.programs", "A program is allowed only if exactly the named one would run."),
    (
        "approval.policy.arguments",
        "Arguments are compared one by one; wildcards allow neither options nor .. .",
    ),
    ("approval.policy.pipelines", "One forbidden stage forbids; it is allowed only if each stage is."),
    (
        "approval.policy.shell",
        "--approve shell asks about texts for shells, /exec, actions that run programs, and outside writes.",
    ),
)

APPROVAL_AUDIT = requirements(
    "docs/reference/audit-log.md",
    ("approval.audit.line", "The log has one JSON object a line, and is private."),
    ("approval.audit.chain", "Each entry has the SHA-256 of the line before."),
    ("approval.audit.killed", "A kill at any moment loses no decision that led to an execution."),
    ("approval.audit.full", "What cannot be written fails, and leaves nothing in the log."),
    (
        "approval.audit.refused",
        "Links, files of others and anything but a file in place of the log are refused.",
    ),
    ("approval.audit.rotation", "Large files are put aside, and the chain goes on."),
    ("approval.audit.command", "stringd audit shows, verifies and exports the log."),
    ("approval.audit.group", "Entries that wait at the same time are written and synced together, in order."),
    ("approval.audit.verify", "Verification follows the chain to its head."),
    ("approval.audit.verify.changed", "It names the first line that was changed."),
    ("approval.audit.verify.removed", "... removed."),
    ("approval.audit.verify.inserted", "... inserted."),
    ("approval.audit.verify.swapped", "... swapped."),
    ("approval.audit.verify.duplicated", "... duplicated."),
    (
        "approval.audit.verify.since",
        "With a hash that was noted elsewhere, it finds that the tail was cut off.",
    ),
    ("approval.audit.torn", "An incomplete last line is marked and no fault."),
)
