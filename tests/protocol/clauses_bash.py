"""Requirements on bash topics."""

from __future__ import annotations

from tests.protocol.records import requirements

BASH = requirements(
    "docs/reference/bash-topics.md",
    ("bash.persists", "One interactive bash per topic; its state persists."),
    ("bash.start", "It starts in the user's home, HOME is that, without startup files but the named one."),
    ("bash.marks", "The runtime's marks can't be swallowed, forged or closed by a program."),
    ("bash.plain_text", "Text that does not begin with // is shell input, of any shape."),
    ("bash.output.terminal", "Escape sequences and CR lines are resolved, lines are not wrapped."),
    ("bash.output.utf8", "UTF-8 is decoded incrementally; what is none breaks nothing."),
    ("bash.output.modes", "Terminal modes are clean again for the next command."),
    ("bash.output.limit", "Head and tail of long output are shown, the cut stated; (no output) for none."),
    (
        "bash.output.bounded",
        "Nothing printed holds up the daemon: what takes long to draw is drawn elsewhere, and stopped.",
    ),
    (
        "bash.output.plain",
        "What can't be drawn within its time and memory is shown as plain text, and the reply says so.",
    ),
    (
        "bash.output.any",
        "Any sequence is tolerated, split anywhere; no text is lost that a terminal would show.",
    ),
    ("bash.output.clean", "Of the control characters only line breaks and tabs reach a reply."),
    (
        "bash.output.echo",
        "Of what is typed only that is left out which the terminal or a line editor has repeated.",
    ),
    ("bash.queries", "Usual queries of programs to their terminal are answered at once."),
    (
        "bash.queries.unasked",
        "A query in a text that is only shown is not answered, and nothing of the text is lost.",
    ),
    (
        "bash.output.echo.lines",
        "Of several lines sent at once, each is left out where it is echoed, with its prompt.",
    ),
    ("bash.status", "The status is real; ok is false and the code EXIT_n for N other than 0."),
    ("bash.replaced", "A dead shell is replaced, and the reply says so."),
    (
        "bash.replaced.later",
        "The first reply after a shell was lost unnoticed, also with the daemon, says so.",
    ),
    ("bash.home", "Without the user's home no shell starts: NOT_FOUND, with the path and what to do."),
    ("bash.file_limit", "`ulimit -f 0` ends no topic: what can't write fails, and traps are kept."),
    ("bash.help", "//help begins with the system line Bash Session, also that of one command."),
    ("bash.waiting", "A program that waits for input is answered within 1 s as waiting, with code null."),
    ("bash.running", "One that runs at the topic's limit is answered as running, with code null."),
    ("bash.stdin", "Then plain text is its stdin, replies show what is new, the last one has the status."),
    ("bash.conflict", "A text queued before the program could be known is refused, never typed."),
    ("bash.wait", "//wait waits for the program, also after its client gave up."),
    ("bash.signals", "//interrupt sends SIGINT, //kill SIGKILL to the foreground group."),
    (
        "bash.wait.text",
        "//wait N with a text sends that in its turn and answers after N seconds at the latest.",
    ),
    ("bash.empty", "While a program runs, an empty text is an empty line; else it is refused as ever."),
    (
        "bash.stdin.long",
        "No line is cut in silence, however long: it is fed in pieces, or refused with the way out.",
    ),
    (
        "bash.stdin.paced",
        "Lines for a line editor are typed as it reads them, so that none is echoed elsewhere.",
    ),
    ("bash.keys.text", "Texts and keys in one request: what follows Escape is no part of that key."),
    (
        "bash.screen.changes",
        "After the first picture of a screen a reply shows the rows that have changed; //screen all.",
    ),
    ("bash.type", "//type presses keys in order and leaves their output to the next reply."),
    ("bash.type.secret", "//type --secret is masked, and refused where the program would show it."),
    ("bash.run", "//run has the shell evaluate a text; it is never typed into a program."),
    ("bash.keys.modified", "Keys with Shift, Alt and Ctrl are sent as xterm sends them; pastes in brackets."),
    ("bash.keys", "//keys presses named keys and types quoted text without a newline."),
    ("bash.reset", "//reset ends everything, also what ignores signals; a new shell at home."),
    ("bash.urgent", "//interrupt, //kill, //keys and //reset bypass the queue, even a full one."),
    ("bash.served", "The request being served gets the status."),
    ("bash.secrets", "What is typed at a prompt without echo is masked everywhere."),
    ("bash.screen", "Full-screen programs are shown as a screen of the topic's {_size}."),
    ("bash.background", "Background output appears with the next reply, marked."),
    (
        "bash.background.flows",
        "A background job never stalls: its output is read at any time, head and tail of it kept.",
    ),
    (
        "bash.jobs",
        "//jobs lists background jobs by the shell's numbers: state, age, command, last line; at any time.",
    ),
    (
        "bash.jobs.output",
        "//jobs n shows what it may have printed between texts, and says where that is mixed.",
    ),
    ("bash.jobs.kill", "//jobs n --kill ends a job with all that it has started, whatever it ignores."),
    ("bash.variables", "Variables that the user sets are exported, those that begin with _ are not."),
    ("bash.end", "The end of topic, user or daemon, kill -9 included, ends the whole process tree."),
    ("bash.programs", "Forty programs and more are answered in time and leave the topic usable."),
    ("bash.many", "A hundred topics at once."),
)
