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
    ("questions.list", "GET /questions lists the open questions in order."),
    ("questions.errors", "Bad answers, unknown questions and users are refused in the documented shape."),
    ("questions.of_user", "A question of a user does not exist for the others."),
    ("answer.command", "/answer [id] text answers a question to anyone, in any topic of the same user."),
    ("answer.list", "/answer lists the open questions."),
    ("answer.masked", "The label of /answer never shows the answer."),
    ("answer.urgent", "/answer waits for no turn."),
)

QUESTIONS = (*ASKING, *ANSWERING)
