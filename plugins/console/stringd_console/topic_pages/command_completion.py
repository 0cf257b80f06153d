"""What the beginning of a command can become: commands, and what the topic's document and directory offer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from stringd.plugin import CommandHelp, Refusal, Runtime, Session, TopicName, User
from stringd.plugin.documents import ParsedDocument, confine, working_directory
from stringd.plugin.text import shortened
from stringd.plugin.workers import READING
from stringd_console.page_content.shown_text import shown_text
from stringd_console.topic_pages.topic_document import document_of

_MOST = 12
_MOST_ENTRIES = 2_000
_LONGEST_TEXT = 1_000
_ACTING = "act"
_HELP = "help"


class Completion(Struct, frozen=True, kw_only=True):
    """A whole text to send, what is shown of it, and what it does."""

    value: str
    label: str
    about: str = ""


async def completions(runtime: Runtime, user: User, topic: TopicName, text: str) -> Sequence[Completion]:
    """Return what the beginning of a command can become, the best first."""
    slash = runtime.topic_types[topic.type].slash
    if not text.startswith(slash) or "\n" in text or len(text) > _LONGEST_TEXT:
        return ()
    session, commands = runtime.session(user.id, topic), runtime.commands(topic.type)
    document = await document_of(runtime, session)
    word, blank, rest = text.removeprefix(slash).partition(" ")
    if not blank:
        return [*islice(_commands(slash, word, commands, document), _MOST)]
    before, _, last = rest.rpartition(" ")
    head = f"{slash}{word} {before} " if before else f"{slash}{word} "
    found = [*islice(_arguments(word, last, commands, document), _MOST)]
    if not found and session and session.shows_documents and not last.startswith(("@", "#", "-", "{", "$")):
        found = await READING.run(_paths, session, last, runtime.config.full_access)
    return [Completion(value=f"{head}{it.value}", label=it.label, about=it.about) for it in found]


def _commands(
    slash: str, word: str, commands: Mapping[str, CommandHelp], document: ParsedDocument | None
) -> Iterator[Completion]:
    """Yield the commands that begin with a word, and the calls of the page's actions."""
    for name, it in commands.items():
        if name.startswith(word.lower()):
            yield Completion(value=f"{slash}{name} ", label=f"{slash}{name}", about=it.summary)
    if document and _ACTING in commands and word.startswith(f"{_ACTING}."):
        for action in document.actions.actions.values():
            name = f"{_ACTING}.{action.id}"
            if name.startswith(word):
                yield Completion(
                    value=f"{slash}{name} ", label=f"{slash}{name}", about="An action of the document."
                )


def _arguments(
    word: str, last: str, commands: Mapping[str, CommandHelp], document: ParsedDocument | None
) -> Iterator[Completion]:
    """Yield the names that an argument can be: of commands, links or blocks."""
    if word == _HELP:
        names = {name: it.summary for name, it in commands.items()}
    elif document and last.startswith("@"):
        names = {f"@{name}": it.label for name, it in document.shortcuts.by_id.items()}
    elif document and last.startswith("#"):
        names = {f"#{name}": "" for name in document.parsed.blocks}
    else:
        return
    for name, about in names.items():
        if name.startswith(last):
            yield Completion(value=name, label=name, about=shown_text(shortened(about, 100)))


def _paths(session: Session, typed: str, full_access: bool) -> list[Completion]:
    """Return the files and directories that a path can be, as far as the user may see them."""
    folder, slash, name = typed.rpartition("/")
    try:
        path = confine(_folder(session, folder + slash), typed, session.user, full_access=full_access)
        with os.scandir(path) as entries:
            named = (it for it in islice(entries, _MOST_ENTRIES) if it.name.startswith(name))
            found = sorted((it.name, it.is_dir()) for it in named)
    except (OSError, ValueError, Refusal):
        return []
    shown = (it for it in found if name.startswith(".") or not it[0].startswith("."))
    # Names that are not what they look like have to be typed.
    plain = (it for it in shown if shown_text(it[0]) == it[0])
    return [_path(folder + slash + entry, is_folder) for entry, is_folder in islice(plain, _MOST)]


def _folder(session: Session, typed: str) -> Path:
    if typed.startswith("~/"):
        return session.user.home / typed.removeprefix("~/")
    return working_directory(session) / typed


def _path(name: str, is_folder: bool) -> Completion:
    whole = f"{name}/" if is_folder else name
    return Completion(value=whole, label=whole, about="directory" if is_folder else "")
