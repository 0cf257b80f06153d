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
)
