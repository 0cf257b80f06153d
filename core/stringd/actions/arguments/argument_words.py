"""Assign the words of a call to parameters: flags, their values, and operands."""

from __future__ import annotations

import re

from msgspec import Struct, field

from stringd.actions.arguments.schema import declared_flags
from stringd.actions.values.nested_flags import Path, split_path
from stringd.documents.syntax.actions import Action, Parameter
from stringd.documents.syntax.parameters import JSON
from stringd.errors import ErrorCode, Refusal
from stringd.text.action_words import Word
from stringd.text.masking import MASK

# A token that starts like a number, such as -33.87 or -3dB, is not a flag.
_FLAG = re.compile(r"(?:--(?P<long>[^\W\d][^=\s]*)|-(?P<short>[^\W\d_][^=\s]*))(?P<value>=)?")
_NAMED = re.compile(r"(?P<name>[^\W\d][\w-]*)=")
_TRUTH = frozenset({"true", "false"})


class ArgumentWords(Struct):
    """The words of a call by parameter, with None for a flag without a value.

    `parts` are the words of parts of a JSON value, such as `--key.sub`, with the path of each. `operands` are
    the words that are not assigned to a parameter yet.
    """

    by_name: dict[str, list[Word | None]] = field(default_factory=dict)
    parts: dict[str, list[tuple[Path, Word | None]]] = field(default_factory=dict)
    operands: list[Word] = field(default_factory=list)
    wants_help: bool = False

    def give(self, name: str, word: Word | None) -> None:
        """Add a word to a parameter."""
        self.by_name.setdefault(name, []).append(word)

    def give_part(self, name: str, path: Path, word: Word | None) -> None:
        """Add a word to a part of a parameter's value."""
        self.parts.setdefault(name, []).append((path, word))

    @property
    def given(self) -> frozenset[str]:
        """The parameters that flags or operands name."""
        return frozenset((*self.by_name, *self.parts))


def assign_words(words: tuple[Word, ...], action: Action) -> ArgumentWords:
    """Assign the words to the action's parameters; operands stay unassigned if help is requested."""
    assigner = _WordAssigner(action)
    rest = list(reversed(words))
    while rest:
        assigner.take(rest)
    if not assigner.words.wants_help:
        assigner.place_operands()
    return assigner.words


class _WordAssigner:
    """Assigns words from left to right."""

    def __init__(self, action: Action) -> None:
        self.words = ArgumentWords()
        self._action = action
        self._by_name = {it.name: it for it in action.parameters}
        self._by_alias = {it.alias: it for it in action.parameters if it.alias}

    def take(self, rest: list[Word]) -> None:
        word = rest.pop()
        if word.text == "--" and not word.quoted:
            self.words.operands += reversed(rest)
            rest.clear()
        elif flag := _flag_of(word):
            self._take_flag(word, flag, rest)
        else:
            self.words.operands.append(word)

    def place_operands(self) -> None:
        """Assign operands to the parameters that no flag has named, in the order of declaration."""
        by_order = []
        for word in self.words.operands:
            named = _NAMED.match(word.pieces[0].text) if not word.quoted else None
            if named and named["name"] in self._by_name:
                self.words.give(named["name"], word.behind(named.end()))
            else:
                by_order.append(word)
        given = self.words.given
        free = [name for name in self._by_name if name not in given]
        if len(by_order) > len(free):
            raise self._refusal(f"Too many values: {self._quoted(by_order[len(free)].text)}")
        for name, word in zip(free, by_order, strict=False):
            self.words.give(name, word)

    def _take_flag(self, word: Word, flag: re.Match[str], rest: list[Word]) -> None:
        if flag[0] in {"--help", "-h"}:
            self.words.wants_help = True
            return
        parameter, path = self._parameter(flag)
        if flag["value"]:
            value: Word | None = word.behind(flag.end())
        else:
            value = rest.pop() if rest and _is_value(rest[-1], parameter) else None
        if path:
            self.words.give_part(parameter.name, path, value)
        else:
            self.words.give(parameter.name, value)

    def _parameter(self, flag: re.Match[str]) -> tuple[Parameter, Path]:
        """Return the parameter of a flag, and the path of the part of its value that the flag names."""
        found = self._by_name.get(flag["long"]) if flag["long"] else self._by_alias.get(flag["short"])
        if found is not None:
            return found, ()
        name, path = (split_path(flag["long"]) if flag["long"] else None) or ("", ())
        found = self._by_name.get(name)
        if found is None or found.type != JSON:
            raise self._refusal(f"Unknown flag: {self._quoted(flag[0].removesuffix('='))}")
        return found, path

    def _quoted(self, word: str) -> str:
        # A word that belongs to no parameter may be part of a secret.
        return MASK if self._action.takes_secrets else word

    def _refusal(self, message: str) -> Refusal:
        return Refusal(ErrorCode.INVALID_PAYLOAD, message, f"declared: {declared_flags(self._action)}")


def _flag_of(word: Word) -> re.Match[str] | None:
    if word.quoted:
        return None
    found = _FLAG.match(word.pieces[0].text)
    return found if found and found["value"] else _FLAG.fullmatch(word.text)


def _is_value(word: Word, parameter: Parameter) -> bool:
    if parameter.type == "boolean":
        return word.text.lower() in _TRUTH
    return word.quoted or (word.text != "--" and _flag_of(word) is None)
