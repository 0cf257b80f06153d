"""CLI actions: a command line of an author's, run with a caller's values."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from stringd.actions.answers import Answer
from stringd.actions.environment import Environment
from stringd.actions.placeholders import ReadFile
from stringd.actions.slots import Piece, Place, Sibling, find_places
from stringd.actions.values import Value, as_text
from stringd.contracts.replies import Reply
from stringd.contracts.sessions import Session
from stringd.documents.actions import Action
from stringd.errors import Refusal
from stringd.one_shot import exit_reply, run_one_shot
from stringd.program_environment import author_environment
from stringd.text.counts import counted

TIME_LIMIT = 180.0
OUTPUT_LIMIT = 10 * 1024 * 1024
_PREFIX = "_STRINGD_"
_PACKAGE = f"{_PREFIX}PACKAGE"
_SHOWN = 80
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


async def run_cli(
    action: Action,
    values: Mapping[str, Value],
    environment: Environment,
    *,
    directory: Path,
    session: Session,
    read_file: ReadFile,
) -> Answer | Reply:
    """Run the command and return its answer, or the reply that tells with which status it failed."""
    names = frozenset(it.name for it in action.parameters)
    filled = CommandText(find_places(action.target, names), values, environment.package, read_file)
    finished = await run_one_shot(
        filled.text,
        session=session,
        directory=directory,
        environment={**environment.secrets, **author_environment(session), **filled.environment},
        seconds=TIME_LIMIT,
        output_limit=OUTPUT_LIMIT,
    )
    return exit_reply(finished, directory) if finished.status else _answer(finished.output)


class CommandText:
    """What the shell gets: a text that holds nothing of any value, and the values as its environment."""

    def __init__(
        self,
        pieces: tuple[Piece, ...],
        values: Mapping[str, Value],
        package: Path | None,
        read_file: ReadFile,
    ) -> None:
        self.environment: dict[str, str] = {}
        # A value that stands in several places is passed on once: there is a limit to the whole environment.
        self._names: dict[str, str] = {}
        self._values = values
        self._package = package
        self._read_file = read_file
        self.text = "".join(map(self._written, pieces))

    def _written(self, piece: Piece) -> str:
        if isinstance(piece, Place):
            return self._value(piece)
        return piece if isinstance(piece, str) else self._sibling(piece)

    def _value(self, place: Place) -> str:
        value = place.slot.taken_from(self._values.get(place.slot.name), self._read_file)
        if value is None:
            return ""
        if place.reading.numeric:
            return _number(place.slot.name, as_text(value))
        name = self._kept(place.slot.name, as_text(value))
        return f"{place.reading.before}${{{name}}}{place.reading.after}"

    def _kept(self, parameter: str, text: str) -> str:
        if "\0" in text:
            raise Refusal("INVALID_PARAMS", f"{parameter}: a command's argument can't hold a NUL character.")
        try:
            os.fsencode(text)
        except UnicodeEncodeError:
            raise Refusal(
                "INVALID_PARAMS", f"{parameter}: a text can't hold half a surrogate pair."
            ) from None
        name = self._names.setdefault(text, f"{_PREFIX}{len(self._names) + 1}")
        self.environment[name] = text
        return name

    def _sibling(self, word: Sibling) -> str:
        if self._package is None or not _lies_in(self._package, word.path):
            return str(word)
        self.environment[_PACKAGE] = str(self._package)
        return f'"${{{_PACKAGE}}}"{word.quote}/{word.path}{word.quote}'


def _number(parameter: str, text: str) -> str:
    """Return a number as it may stand in what the shell computes."""
    if not _WHOLE_NUMBER.fullmatch(text):
        message = f"{parameter}: the shell computes with it, so it must be a whole number, not {_told(text)}."
        raise Refusal("INVALID_PARAMS", message)
    number = int(text)
    return f"({number})" if number < 0 else str(number)


def _told(text: str) -> str:
    # A default may be a secret, which nobody finds any more once it is cut.
    return repr(text) if len(text) <= _SHOWN else counted(len(text), "character")


def _lies_in(package: Path, path: str) -> bool:
    found = Path(os.path.realpath(package / path))
    return found.exists() and found.is_relative_to(os.path.realpath(package))


def _answer(output: str) -> Answer:
    body = _body(output)
    media_type = "text/plain" if isinstance(body, str) else "application/json"
    return Answer(body=body, text=output.removesuffix("\n"), media_type=media_type)


def _body(output: str) -> object:
    """Return what JSON says; a number stays as it is written."""
    try:
        body = json.loads(output)
    except (ValueError, RecursionError):
        return output.removesuffix("\n")
    return output.strip() if isinstance(body, int | float) and not isinstance(body, bool) else body
