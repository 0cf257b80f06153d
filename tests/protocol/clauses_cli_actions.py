"""Requirements on actions that are command lines."""

from __future__ import annotations

from tests.protocol.records import requirements

CLI_ACTIONS = requirements(
    "docs/reference/values-in-commands.md",
    ("action.cli.bash", "CLI actions run under /bin/bash -c."),
    ("action.cli.value", "A value can never become shell syntax, wherever in the text it stands."),
    ("action.cli.declared", "Only declared parameters are placeholders; {{x}} and ${x} never are."),
    ("action.cli.arithmetic", "A slot inside $(( )) or (( )) takes numbers only."),
    ("action.cli.not_given", 'An optional without a value leaves nothing; "" stays an empty argument.'),
    ("action.cli.environment", "The child gets PATH, locale, HOME and the app's $VARS, nothing else."),
    ("action.cli.directory", "It runs in the topic's directory."),
    ("action.cli.sibling", "A word ./x that exists in the app's package means that file."),
    (
        "action.cli.sibling.nested",
        "So it does in the commands of bash -c '…' and the like, but for containers.",
    ),
    ("action.cli.stdin", "Its stdin is closed."),
    ("action.cli.group", "It ends as a process group."),
    ("action.cli.output", "At most 10 MiB of merged output are kept."),
    ("action.cli.timeout", "After 180 s, or what {_timeout} says, it is ended: TIMEOUT."),
    ("action.cli.exit", "A status other than 0 is EXIT_n with the output; no template runs."),
    (
        "action.cli.evaluators",
        "An action that might have a value evaluated, by bash or a program, is NOT_TRUSTED.",
    ),
    ("action.cli.rewrite", "The refusal says how it is written so that the value stays data."),
    (
        "action.cli.demands",
        "Numbers and declared words may stand in code; where - makes an option: INVALID_PARAMS.",
    ),
    ("action.cli.json", "Output that is JSON is Response.body."),
)
