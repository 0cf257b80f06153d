"""Requirements on cancelling commands."""

from __future__ import annotations

from tests.protocol.records import requirements

CANCEL = requirements(
    "docs/reference/commands.md#cancel",
    (
        "activity.cancel.command",
        "/cancel is urgent in every topic; the running command ends with CANCELLED.",
    ),
    ("activity.cancel.gone", "Within two seconds its files, requests, programs and queries are released."),
    ("activity.cancel.state", "The topic and its state are kept."),
    ("activity.cancel.queue", "Queued commands continue."),
    ("activity.cancel.nothing", "If nothing is running, the reply says so."),
    (
        "activity.cancel.clean_up",
        "A command of a plugin is cancelled through asyncio and has 5 s to clean up.",
    ),
    ("activity.cancel.abandoned", "A command that does not end in time is abandoned, and its reply says so."),
    ("activity.cancel.once", "A cancelled command gets exactly one reply, whenever it is cancelled."),
    (
        "activity.cancel.edits",
        "A cancelled edit leaves the file in its old or new state, and can be undone.",
    ),
    (
        "activity.cancel.session",
        "The end of a topic does not wait for a command that ignores its cancellation.",
    ),
)
HTTP = requirements(
    "docs/reference/http.md#cancel",
    ("activity.cancel.http", "POST /cancel cancels the running command of a topic."),
    (
        "activity.cancel.http.request_id",
        "With a request_id, it cancels that command, which may still be queued.",
    ),
    ("activity.cancel.http.refused", "Invalid requests are refused in the usual format."),
)
BASH = requirements(
    "docs/reference/bash-topics.md#cancelling",
    (
        "activity.cancel.bash",
        "//cancel stops the program of a text, even if it ignores signals, and keeps the shell.",
    ),
    ("activity.cancel.bash.output", "The reply contains the state and the output so far."),
    ("activity.cancel.bash.between", "Between requests, //cancel stops the running or waiting program."),
    ("activity.cancel.bash.typed", "A program that has read input and reads again is only interrupted."),
    ("activity.cancel.bash.shell", "A shell that cannot be kept is ended, and the reply says so."),
)
CLIENTS = requirements(
    "docs/how-to/use-the-python-client.md#cancel-a-command",
    ("activity.cancel.client", "Client.cancel and AsyncClient.cancel cancel a command."),
    ("activity.cancel.prompt", "Ctrl-C at the prompt of `string` cancels the running command."),
    ("activity.cancel.string", "Ctrl-C cancels the one command of `string`, which exits with 130."),
)

ACTIVITY_CANCEL = CANCEL + HTTP + BASH + CLIENTS
