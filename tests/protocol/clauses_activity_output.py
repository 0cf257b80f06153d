"""Requirements on the output and progress that commands publish while they run."""

from __future__ import annotations

from tests.protocol.records import requirements

ACTIVITY_OUTPUT = requirements(
    "docs/reference/output-events.md",
    ("output.exec", "The output of `/exec` and CLI actions is published while they run."),
    (
        "output.order",
        "All output of a command is between its begin and its end, with its request id.",
    ),
    (
        "output.terminal",
        "Text is shown as a terminal would show it; overwritten lines are shown again.",
    ),
    ("output.masked", "Secrets are masked, including those that arrive in pieces or are partly left out."),
    (
        "output.bounded",
        "At most ten events per second of 16 KiB each are published, with the omitted bytes.",
    ),
    (
        "output.unwatched",
        "Nothing is published without watchers; an observer of the kind `output` is one.",
    ),
    ("output.bash", "The output of programs in bash topics is published while they run."),
    (
        "output.bash.between",
        "It is also published between requests, with the id of the request that shows it.",
    ),
    ("output.bash.silent", "Input that the terminal does not echo is not published."),
    ("output.bash.screen", "A full-screen program is only noted."),
    (
        "output.http",
        "HTTP actions publish the sent and received bytes, and their total.",
    ),
    ("output.web", "Web pages publish bytes, redirects, and the converted parts of a long page."),
    ("output.install", "`/install` publishes the received bytes of an app."),
    ("output.short", "Work of less than a tenth of a second publishes no progress."),
    ("output.browser", "A page opened with --browser publishes the steps of loading it."),
    ("output.plugins", "Commands of plugins publish text and progress through the same feed until they end."),
)
