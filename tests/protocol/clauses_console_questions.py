"""Requirements on the console's page of questions."""

from __future__ import annotations

from tests.protocol.records import requirements

CONSOLE_QUESTIONS = requirements(
    "docs/reference/console.md#questions",
    ("console.questions.seen", "A question shows everything that is to be seen before it is answered."),
    ("console.questions.exact", "Different questions look different, whatever their texts."),
    ("console.questions.hostile", "Texts of agents are neither markup nor controls of the page."),
    ("console.questions.root", "That a command runs as root is shown in words and in its button."),
    ("console.questions.heading", "A heading leaves out only what the command below it repeats."),
    ("console.questions.long", "Long texts are cut with the amount that is hidden, and shown on demand."),
    ("console.questions.newest", "The newest question comes first; the badge and the title count them."),
    ("console.questions.answers", "Each kind is answered; a wrong answer leaves the question open."),
    ("console.questions.told", "Whoever comes later is told who answered, and through what."),
    ("console.questions.gone", "Withdrawn and expired questions say so, and vanish."),
    ("console.questions.shown", "The time to answer starts when a question is on a visible screen."),
    ("console.questions.access", "Only a page of the console that has signed in answers."),
    (
        "console.questions.attached",
        "A page attaches the operator; one that closes leaves its questions open.",
    ),
    ("console.questions.many", "Fifty questions at once are shown and answered."),
    ("console.questions.keys", "Keys answer the question that has the focus, and lead to others."),
    ("console.questions.typed_ahead", "Keys that were typed ahead, or are held, answer nothing."),
    ("console.questions.other", "A key that was meant for another question answers nothing."),
    ("console.questions.steady", "A click counts only for what has been under the pointer for a while."),
    ("console.questions.comment", "A word can go with a denial; what is typed survives changes of the list."),
    ("console.questions.extras", "A command can be edited, and the like granted."),
    ("console.questions.secret", "A secret is never shown, and kept nowhere in the browser."),
    ("console.questions.choices", "A choice is made by a key or a click."),
    ("console.questions.wide", "A page of 360 pixels shows everything."),
    ("console.questions.accessible", "Questions of all kinds keep the rules of axe-core."),
    ("console.questions.fast", "A question is on the screen soon after it is asked."),
    ("console.questions.everywhere", "Pages and `stringd approve` can be used at the same time."),
    ("console.questions.background", "A tab in the background counts what waits."),
    ("console.questions.restart", "A page of a daemon that has ended answers nothing."),
)
