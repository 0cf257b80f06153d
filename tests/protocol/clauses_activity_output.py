"""What commands publish while they run: what they print, and how far they are."""

from __future__ import annotations

from tests.protocol.records import requirements

ACTIVITY_OUTPUT = requirements(
    "activity: events, output",
    ("output.exec", "What `/exec` and CLI actions print is published while they still run."),
    (
        "output.order",
        "All output of a command comes after its begin and before its end, and names its request.",
    ),
    (
        "output.terminal",
        "Text is shown as a terminal would show it; what was shown and changes begins a line.",
    ),
    ("output.masked", "Secrets are masked, also those that come in pieces or of which a part is left out."),
    (
        "output.bounded",
        "A flood is at most ten events a second of at most 16 KiB, with the count of what is left out.",
    ),
    (
        "output.unwatched",
        "Nothing is published while nobody watches; an observer of the kind `output` watches.",
    ),
    ("output.bash", "What programs in bash topics print is published while they still run."),
    (
        "output.bash.between",
        "It is published between requests too, and names the request that it is answered to.",
    ),
    ("output.bash.silent", "What is typed while the terminal doesn't echo is not published."),
    ("output.bash.screen", "Of a program that shows a screen there is a note, and nothing else."),
    (
        "output.http",
        "HTTP actions publish how many bytes are sent and received, and of how many.",
    ),
    ("output.web", "Web pages publish bytes, redirects, and how many parts of a long one are converted."),
    ("output.install", "`/install` publishes how much of an app is there."),
    ("output.short", "What takes less than a tenth of a second publishes no progress."),
    ("output.browser", "A page opened with --browser publishes the steps of loading it."),
    ("output.plugins", "Commands of plugins publish text and progress by the same feed, until they end."),
)
