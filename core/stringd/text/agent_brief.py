"""The brief from which an agent can use stringd, and its short form; the topic types add what they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

LONGEST_BRIEF = 3_500
LONGEST_SUMMARY = 1_500
_MOST_TYPES_SHOWN = 20

_HEAD = (
    "stringd gives you this machine and the web by commands to topics. A topic (type:name, any name, made at "
    "its first use) keeps its place and variables and runs one command at a time; topics run in parallel. "
    "Replies are Markdown: a status line, `---`, content; failures are `ERROR(CODE): what is wrong`, often "
    "with the nearest valid name."
)

_COMMANDS = """\
Commands begin with `/`. Lines below the first are the body, taken literally:
/open PATH|URL|DIR|#block|@link|PATH#block|PATH:L5-L10: show; --outline first, then --part N, of what is long
/ls [--tree], /find TEXT [PATH|URL] [--regex] [--names], /back, /refresh, /info, /source, /save URL [PATH]
/write PATH + body: a new file. /append PATH + body. /undo: the last edit
/edit PATH[#block|:L5-L9]: show with numbers; with a body: replace
/replace PATH [--all] + body `old`, `---`, `new`; /replace PATH#block or PATH:L5 + body: the new text
/edits + body of several, each below a line `=== /replace PATH` or the like: all or nothing
`#block` is the slug of a heading, `@name` a link on the page; /nav lists menus and links
/act: actions of the page. /act.name --help: its parameters. /act.name value --flag value: run it
/exec COMMAND: one shell command. /set {name} = "value": {name} in values of actions, $name in shells
/output [N] [--part P|--lines A-B|--grep TEXT]: what a long answer left out
/set {_limit} = "20000": longer answers. /answer: questions asked of you. /cancel: stop what runs
/topics, /close, /fork NAME, /help: all commands of a topic, /help NAME: one
Look before you edit: a file that has changed since you saw it is not overwritten."""

_SHORT = (
    "Use `string` with topics type:name (any name; each keeps its place and variables, runs one command at a "
    "time). Replies: a status line, `---`, Markdown; failures `ERROR(CODE): …`.\n"
    "/open PATH|URL|#block|@link, /ls, /find TEXT [PATH], /write PATH + body, /edit PATH:L5-L9 + body, "
    "/replace PATH + body (old, `---`, new), /undo, /exec COMMAND, /act (actions of the page; "
    "/act.name --help), /output (the rest of a long answer), /cancel. /help lists all, "
    "/help --brief explains in a page."
)


class Explained(Protocol):
    """A topic type, as briefs explain it."""

    @property
    def summary(self) -> str:
        """What topics of this type are, in one sentence."""

    @property
    def brief(self) -> str:
        """What an agent must know to use them, in a few lines."""

    @property
    def slash(self) -> str:
        """The prefix of commands."""


def agent_brief(types: Mapping[str, Explained]) -> str:
    """Return the page from which an agent can use everything, of at most `LONGEST_BRIEF` characters."""
    explained = [f"{name}: {it.brief or it.summary}" for name, it in sorted(types.items())]
    for shown in (explained, [f"{name}: {it.summary}" for name, it in sorted(types.items())]):
        text = "\n\n".join((_HEAD, _COMMANDS, "Topic types:\n" + "\n".join(shown)))
        if len(text) <= LONGEST_BRIEF:
            return text
    return "\n\n".join((_HEAD, _COMMANDS, _named("Topic types", sorted(types))))


def agent_summary(types: Mapping[str, Explained], ready: Sequence[str]) -> str:
    """Return the language in short, with the topic types and the topics that are ready to be opened."""
    kinds = [f"{name}: {_sentence(it)}" for name, it in sorted(types.items())][:_MOST_TYPES_SHOWN]
    text = "\n".join((_SHORT, "Topic types:", *kinds))
    if len(text) > LONGEST_SUMMARY:
        text = f"{_SHORT}\n{_named('Topic types', sorted(types))}"
    return _with_names(text, "Ready to open", ready)


def _sentence(it: Explained) -> str:
    return f"{it.summary} Commands begin with {it.slash}." if it.slash != "/" else it.summary


def _named(what: str, names: Sequence[str]) -> str:
    return _with_names("", what, names, LONGEST_SUMMARY // 3).strip()


def _with_names(text: str, what: str, names: Sequence[str], longest: int = LONGEST_SUMMARY) -> str:
    """Append as many of the names as fit, and the number of the others."""
    for count in range(len(names), 0, -1):
        rest = len(names) - count
        line = f"{what}: {', '.join(names[:count])}" + (f" and {rest} more" if rest else "")
        if len(text) + len(line) < longest:
            return f"{text}\n{line}"
    return text
