"""Requirements on questions: asking, answering, the operator, and the places to answer."""

from __future__ import annotations

from tests.protocol.records import requirements

ASKING = requirements(
    "docs/reference/questions.md",
    ("questions.ask", "A command, service or plugin asks a question and awaits the first valid answer."),
    ("questions.kinds", "The kinds are approve, text, secret and choice; each takes answers of its kind."),
    ("questions.check", "The asker may reject an answer; the question stays open."),
    ("questions.comment", "An answer may have a comment."),
    ("questions.extras", "An answer may only have additional fields that the asker allows."),
    ("questions.first_wins", "The first valid answer wins; later ones are refused with its author."),
    ("questions.expires", "A question may expire."),
    ("questions.bounds", "The number of open questions and the sizes of their texts are limited."),
    ("questions.withdrawn.cancelled", "A question is withdrawn when the task that asked it is cancelled."),
    ("questions.withdrawn.disconnected", "... when the client of its command disconnects."),
    ("questions.withdrawn.topic", "... when its topic or user ends."),
    ("questions.withdrawn.shutdown", "... when the daemon stops."),
    ("questions.not_kept", "Questions and answers are in memory only."),
    ("questions.events", "Events report asking, answering and withdrawal, but never the answer."),
    ("questions.secret", "The answer to a secret question is never shown, logged or stored."),
    ("questions.stream_comment", "While a command waits for an answer, its stream says so in comments."),
)

ANSWERING = requirements(
    "docs/reference/questions.md#get-questions",
    ("questions.client", "The Python clients list and answer questions."),
    ("questions.list", "GET /questions lists the open questions in order."),
    ("questions.errors", "Invalid answers, unknown questions and users are refused as documented."),
    ("questions.of_user", "A question of a user does not exist for others."),
    ("answer.command", "/answer [id] text answers a question to anyone, in any topic of the same user."),
    ("answer.list", "/answer lists the open questions."),
    ("answer.masked", "The label of /answer never shows the answer."),
    ("answer.urgent", "/answer does not wait for its turn."),
)

OPERATOR = requirements(
    "docs/reference/questions.md#who-may-answer",
    ("operator.none", "A daemon without an operator immediately refuses questions to a person."),
    ("operator.absent", "While no operator is attached, they are refused, unless they wait for one."),
    ("operator.token", "Answering for a person requires the operator's token."),
    ("operator.shown", "The time to answer a question to a person starts when it is shown."),
    ("operator.stream", "A stream reports every change; with the token, it attaches an operator."),
    ("operator.secret_token", "The token is in no file, environment, log or reply."),
    ("operator.new_life", "Each run of the daemon has a new token."),
    (
        "operator.handed_over",
        "The token is shown on the daemon's terminal or written to an inherited socket.",
    ),
    (
        "operator.not_dumpable",
        "Other processes of the user cannot read the memory of a daemon with an operator.",
    ),
)

APPROVE = requirements(
    "docs/reference/questions.md#stringd-approve",
    ("approve.keys", "It shows questions as they are asked; keys, lines and hidden lines answer them."),
    ("approve.extras", "Suggestions for additional fields are edited in a line, and sent with the answer."),
    ("approve.start", "It starts the daemon if none is running, and gets its token."),
    ("approve.flush", "Input that was typed before a question was shown is discarded."),
    ("approve.restores", "The terminal is restored, however it ends."),
    ("approve.escapes", "Different texts look different, and none imitates the program."),
    ("approve.colour", "NO_COLOR and a dumb terminal are honoured."),
    ("approve.leaves", "A question stays open when the terminal that shows it is closed."),
    ("approve.told", "It reports that a question was answered elsewhere or withdrawn."),
    ("approve.script", "--json and --once are for scripts."),
)

PASSWORDS = requirements(
    "docs/reference/bash-topics.md#passwords-of-programs",
    (
        "password.asked",
        "A password prompt of a program publishes a secret question in addition to the reply.",
    ),
    ("password.typed", "The person's answer is typed into the program, and is in no reply or log."),
    ("password.withdrawn", "It is withdrawn when the program stops asking or the agent types."),
    ("password.again", "A further prompt of the program is a new question."),
)

QUESTIONS = (*ASKING, *ANSWERING, *OPERATOR, *APPROVE, *PASSWORDS)
