"""Requirements on cancelling commands."""

from __future__ import annotations

from tests.protocol.records import requirements

CANCEL = requirements(
    "activity, Cancelling",
    (
        "activity.cancel.command",
        "/cancel is urgent, in every topic; the command that runs ends as CANCELLED.",
    ),
    ("activity.cancel.gone", "Within two seconds its files, requests, programs and queries are let go."),
    ("activity.cancel.state", "The topic and its state stay."),
    ("activity.cancel.queue", "Queued commands go on."),
    ("activity.cancel.nothing", "Where nothing runs, that is said."),
    (
        "activity.cancel.clean_up",
        "A command of a plugin is cancelled as by asyncio; it has 5 s to clean up.",
    ),
    ("activity.cancel.abandoned", "A command that does not end then is abandoned, which its reply says."),
    ("activity.cancel.once", "Whenever it is cancelled, a command is answered exactly once."),
    (
        "activity.cancel.edits",
        "A cancelled edit leaves the file old or new, and can be undone.",
    ),
    (
        "activity.cancel.session",
        "A topic that ends does not wait for a command that ignores it.",
    ),
)
HTTP = requirements(
    "activity, Cancelling, POST /cancel",
    ("activity.cancel.http", "POST /cancel cancels the command that runs in a topic."),
    ("activity.cancel.http.request_id", "With a request_id it cancels that command, which may still wait."),
    ("activity.cancel.http.refused", "What is no such request is refused in the usual shape."),
)
BASH = requirements(
    "activity, Cancelling, bash topics",
    ("activity.cancel.bash", "//cancel stops what a text runs, however deaf, and keeps the shell."),
    ("activity.cancel.bash.output", "The answer has the state and the output so far."),
    ("activity.cancel.bash.between", "Without a request, //cancel stops the program that runs or waits."),
    ("activity.cancel.bash.typed", "A program that was typed into and reads again is only interrupted."),
    ("activity.cancel.bash.shell", "A shell that can't be saved is ended, which the answer says."),
)
CLIENTS = requirements(
    "activity, Cancelling, clients",
    ("activity.cancel.client", "Client.cancel and its async twin cancel a command."),
    ("activity.cancel.prompt", "Ctrl-C at the prompt of `string` cancels the running command."),
    ("activity.cancel.string", "Ctrl-C cancels the one command of `string`, which exits with 130."),
)

ACTIVITY_CANCEL = CANCEL + HTTP + BASH + CLIENTS
