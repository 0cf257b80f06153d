"""Requirements on questions: asking, answering, the operator, and the places to answer."""

from __future__ import annotations

from tests.protocol.records import requirements

ASKING = requirements(
    "Activity: questions",
    ("questions.ask", "A command, run or plugin asks a question and awaits its first valid answer."),
    ("questions.kinds", "The kinds are approve, text, secret and choice; each takes answers of its kind."),
    ("questions.check", "The asker may refuse an answer; the question stays open."),
    ("questions.comment", "An answer may come with a comment."),
    ("questions.extras", "An answer may have further fields that the asker has named, and no others."),
    ("questions.first_wins", "The first valid answer wins; whoever comes later is told who gave it."),
    ("questions.expires", "A question may expire."),
    ("questions.bounds", "The number of open questions and the sizes of their texts are bounded."),
    ("questions.withdrawn.cancelled", "A question is withdrawn when the task that asked it is cancelled."),
    ("questions.withdrawn.disconnected", "... when the client of its command disconnects."),
    ("questions.withdrawn.topic", "... when its topic or user ends."),
    ("questions.withdrawn.shutdown", "... when the daemon stops."),
    ("questions.not_kept", "Questions and answers are in memory only."),
    ("questions.events", "Being asked, answered and withdrawn are events, which never hold an answer."),
    ("questions.secret", "An answer to a secret is never shown, logged or kept."),
    ("questions.stream_comment", "While a command waits for an answer, its stream says so in comments."),
)

ANSWERING = requirements(
    "Activity: places to answer",
    ("questions.client", "The Python clients list and answer questions."),
    ("questions.list", "GET /questions lists the open questions in order."),
    ("questions.errors", "Bad answers, unknown questions and users are refused in the documented shape."),
    ("questions.of_user", "A question of a user does not exist for the others."),
    ("answer.command", "/answer [id] text answers a question to anyone, in any topic of the same user."),
    ("answer.list", "/answer lists the open questions."),
    ("answer.masked", "The label of /answer never shows the answer."),
    ("answer.urgent", "/answer waits for no turn."),
)

OPERATOR = requirements(
    "Activity: the operator",
    ("operator.none", "Where there can be no operator, a question to a person is refused at once."),
    ("operator.absent", "Where none is attached, it is refused at once, unless it waits for one."),
    ("operator.token", "Only the operator's token answers for a person."),
    ("operator.shown", "The time of a question to a person begins when it is shown."),
    ("operator.stream", "A stream tells every front end of every change; with the token it attaches one."),
    ("operator.secret_token", "The token is in no file, environment, log or reply."),
    ("operator.new_life", "Each life of the daemon has a token of its own."),
    ("operator.handed_over", "The token is shown on the daemon's terminal or handed to an inherited socket."),
    ("operator.not_dumpable", "The memory of a daemon with an operator is closed to the same user."),
)

APPROVE = requirements(
    "Activity: stringd approve",
    ("approve.keys", "It shows questions as they come; keys, lines and hidden lines answer them."),
    ("approve.start", "It starts the daemon if there is none, and gets its token."),
    ("approve.flush", "What was typed before a question was shown does not answer it."),
    ("approve.restores", "The terminal is as it was when it ends, in whatever way."),
    ("approve.escapes", "Texts are shown so that no two look the same and none imitates the program."),
    ("approve.colour", "NO_COLOR and a dumb terminal are honoured."),
    ("approve.leaves", "A question outlives the terminal that shows it."),
    ("approve.told", "It tells when a question was answered elsewhere or withdrawn."),
    ("approve.script", "--json and --once are for scripts."),
)

PASSWORDS = requirements(
    "Activity: passwords of programs",
    ("password.asked", "A program that asks for a password publishes a secret question beside its reply."),
    ("password.typed", "The person's answer goes into the program, unseen by agents and logs."),
    ("password.withdrawn", "It is withdrawn when the program stops asking or the agent types."),
    ("password.again", "A program that asks again is asked for again."),
)

QUESTIONS = (*ASKING, *ANSWERING, *OPERATOR, *APPROVE, *PASSWORDS)
