"""Requirements on the console's page of runs."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_RUNS = requirements(
    "docs/reference/console.md#runs",
    (
        "console.runs.list",
        "Runs are listed with state, user, duration, steps, tokens, cost and outcome; active ones first.",
    ),
    ("console.runs.many", "A thousand ended runs are shown page by page, the newest first."),
    ("console.runs.start", "A run is started of a strategy in a user's folder or of any other file."),
    ("console.runs.prepare", "A run can be prepared and looked at before it is started or discarded."),
    ("console.runs.errors", "What is wrong with a strategy is said with its line, and the lines around it."),
    ("console.runs.picture", "The flow is a picture that shows the state of each step, also in words."),
    ("console.runs.figures", "Tokens and cost are shown for each step and in all, where prices are known."),
    ("console.runs.streams", "What is said is shown as it comes, of all steps or of one."),
    ("console.runs.live", "The page changes while it is watched, until and after the end of the run."),
    ("console.runs.steering", "A run is steered and stopped in place."),
    ("console.runs.answering", "People are answered in place; it is seen that others have answered."),
    ("console.runs.continue", "A run that has ended is continued."),
    ("console.runs.export", "The transcript is saved as Markdown."),
    ("console.runs.restart", "Runs of an earlier daemon are shown as they were."),
    ("console.runs.large", "Runs with many events and enormous texts are shown in part, and block nobody."),
    ("console.runs.keyboard", "Everything can be done with the keyboard alone, on a narrow screen, too."),
    ("console.runs.hostile", "Texts of models and files never become markup."),
)
