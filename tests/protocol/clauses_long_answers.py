"""Requirements on answers that are longer than an agent can afford."""

from __future__ import annotations

from tests.protocol.records import requirements

ANSWERS = requirements(
    "docs/reference/long-answers.md",
    (
        "answers.bounded",
        "No answer of any command is longer than its limit, as it is shown, in any transport.",
    ),
    ("answers.whole", "What fits is whole; of the rest nothing is lost that is kept."),
    ("answers.told", "What is left out is counted, with the commands that show it or why nothing can."),
    ("answers.programs", "Output of programs, also of failed ones, is shown as its head and its tail."),
    ("answers.documents", "Long documents of this machine come in parts, as those of the network do."),
    ("answers.commands", "Other long answers are shown part by part."),
    ("answers.outline", "The first part of an answer with headings lists them with their parts."),
    ("answers.limit.topic", "{_limit} is the limit of one topic's answers, in characters."),
    ("answers.limit.refused", "{_limit} is a number from 1000 to 10485760; anything else is INVALID_PARAMS."),
    (
        "answers.limit.setting",
        "The limit is 50,000 characters, 30,000 for output of programs, or what the settings say.",
    ),
)

KEPT = requirements(
    "docs/reference/long-answers.md",
    (
        "answers.kept.all",
        "All of a program's output is kept, up to 128 MiB, and read by parts, lines and searches.",
    ),
    ("answers.kept.large", "What is kept is more than what is shown, however little that is."),
    ("answers.kept.restart", "What is kept survives the daemon's end, also by SIGKILL."),
    ("answers.kept.private", "It lies in a file that only its owner may read, and no document command."),
    ("answers.kept.gone", "It goes with its topic and its user; a fork starts without."),
    ("answers.kept.bounded", "What a topic keeps, and what all keep together, has a bound; the oldest goes."),
    ("answers.kept.masked", "Values of $NAMEs are masked in what is kept."),
    ("answers.kept.lost", "A broken file is set aside; one that can't be written to costs no answer."),
)

OUTPUT = requirements(
    "docs/reference/long-answers.md",
    ("output.parts", "/output shows the last output, or the one of a number, in parts."),
    ("output.lines", "--lines shows lines by number; where they don't fit, how it goes on."),
    (
        "output.grep",
        "--grep shows the lines with a text, in any case, with their numbers, and counts the others.",
    ),
    ("output.last", "The last ten outputs of a topic are kept, by numbers that stay."),
    ("output.refused", "Bad numbers and options are refused with what there is."),
    ("output.beside", "/output waits for no turn."),
)

LONG_ANSWERS = ANSWERS + KEPT + OUTPUT
