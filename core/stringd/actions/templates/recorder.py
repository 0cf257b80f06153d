"""What a template in the seeds' language leaves behind beside its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jinja2 import Undefined

from stringd.actions.templates.json_text import text_of
from stringd.actions.templates.limits import NAMES, Budget, TooMuch

_MOST_SAVES = 100


class TemplateFault(Exception):
    """A template that can't be meant; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveOrder:
    """A text of the answer's that is to become a file."""

    text: str
    decode: str
    path: str


class Recorder:
    """The names that a template sees, and those that it gives. Its methods are what compiled lines call."""

    def __init__(self, params: Mapping[str, object], variables: Mapping[str, str]) -> None:
        self._known = {**variables, **params}
        self.variables: dict[str, str] = {}
        self.values: dict[str, str | tuple[str, ...]] = {}
        self.saves: list[SaveOrder] = []
        self._numbers: Counter[str] = Counter()
        self._labels: dict[str, str] = {}

    def assign(self, name: str, value: object) -> None:
        """Make a value the topic's variable; later lines see it before a parameter of that name."""
        self._known[name] = text_of(value)
        # As everywhere, what begins with _ is a setting of the runtime's, not of a template's.
        if not name.startswith("_"):
            self.variables[name] = text_of(value)

    def look(self, name: str, written: str) -> object:
        """Return what a name stands for, or the text as written when it stands for nothing."""
        return self._known.get(name, written)

    def knows(self, name: str) -> bool:
        """Tell whether a name stands for anything."""
        return name in self._known

    def text(self, *parts: object) -> str:
        """Return the parts as one text."""
        return "".join(map(text_of, parts))

    def bind(self, label: str, numbered: bool, *parts: object) -> None:
        """Let `@label`, or the next number of it, stand for a value, or for several as a tuple."""
        self._bind(label, numbered, text_of(parts[0]))

    def bind_tuple(self, label: str, numbered: bool, *parts: object) -> None:
        """Let `@label`, or the next number of it, stand for a tuple."""
        self._bind(label, numbered, tuple(map(text_of, parts)))

    def label(self, name: str, written: str) -> str:
        """Return how `@name` is called that was given last, or the text as written."""
        return self._labels.get(name, written)

    def rows(self, value: object) -> Iterable[object]:
        """Return what a loop goes through: a list's items, or an object's values."""
        if isinstance(value, dict):
            return value.values()
        return value if isinstance(value, list | tuple) else ()

    def save(self, line: int, value: object, decode: str, path: str) -> None:
        """Have a value written to a file."""
        if value is None or isinstance(value, Undefined):
            raise TemplateFault("there is nothing to save at that path of the answer", line)
        if not path.strip():
            raise TemplateFault("to: names no file", line)
        if len(self.saves) == _MOST_SAVES:
            raise TemplateFault(f"more than {_MOST_SAVES} files to save", line)
        self.saves.append(SaveOrder(text=text_of(value), decode=decode, path=path))

    def check_size(self) -> None:
        """Raise `TooMuch` when what is left behind is too large, or the files that are to be saved."""
        left, saved = Budget(), Budget()
        for text in (*self.variables.values(), *map(text_of, self.values.values())):
            left.spent(text)
        for order in self.saves:
            saved.spent(order.text)

    def _bind(self, label: str, numbered: bool, value: str | tuple[str, ...]) -> None:
        name = label
        if numbered:
            self._numbers[label] += 1
            name = f"{label}-{self._numbers[label]}"
        if len(self.values) == NAMES and name not in self.values:
            raise TooMuch(f"it names more than {NAMES:,} values")
        self.values[name] = value
        self._labels[label] = f"@{name}"
