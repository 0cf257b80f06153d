"""Record the variables, values and files that a template in the short template language makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from jinja2 import Undefined
from msgspec import Struct

from stringd.actions.templates.limits import NAMES, LimitCounter, LimitExceeded
from stringd.actions.templates.response_values import text_of

_MOST_SAVES = 100


class TemplateError(Exception):
    """An error in a template; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class SaveRequest(Struct, frozen=True, kw_only=True):
    """A request to save a text of the answer as a file."""

    text: str
    decode: str
    path: str


class Recorder:
    """The names that a template reads and defines; compiled templates call its methods."""

    def __init__(self, params: Mapping[str, object], variables: Mapping[str, str]) -> None:
        self._known = {**variables, **params}
        self.variables: dict[str, str] = {}
        self.values: dict[str, str | tuple[str, ...]] = {}
        self.saves: list[SaveRequest] = []
        self._numbers: Counter[str] = Counter()
        self._labels: dict[str, str] = {}
        self._hits = self._misses = 0

    @property
    def misses_all(self) -> bool:
        """Whether there are paths into the body of the response, none of which is in it."""
        return self._misses > 0 and self._hits == 0

    def seek(self, value: object) -> object:
        """Return what a path into the body of the response has found, and count it."""
        if isinstance(value, Undefined):
            self._misses += 1
        else:
            self._hits += 1
        return value

    def assign(self, name: str, value: object) -> None:
        """Set a variable of the topic; in later lines it takes precedence over a parameter of that name."""
        self._known[name] = text_of(value)
        # Names that begin with _ are settings of the runtime, which templates cannot change.
        if not name.startswith("_"):
            self.variables[name] = text_of(value)

    def look(self, name: str, written: str) -> object:
        """Return the value of a name, or the placeholder as written if the name is unknown."""
        return self._known.get(name, written)

    def knows(self, name: str) -> bool:
        """Return whether a name is known."""
        return name in self._known

    def text(self, *parts: object) -> str:
        """Return the parts as one text."""
        return "".join(map(text_of, parts))

    def bind(self, label: str, numbered: bool, *parts: object) -> None:
        """Bind `@label`, or its next numbered name, to a value."""
        self._bind(label, numbered, text_of(parts[0]))

    def bind_tuple(self, label: str, numbered: bool, *parts: object) -> None:
        """Bind `@label`, or its next numbered name, to a tuple."""
        self._bind(label, numbered, tuple(map(text_of, parts)))

    def label(self, name: str, written: str) -> str:
        """Return the last name bound for a label, or the placeholder as written if there is none."""
        return self._labels.get(name, written)

    def rows(self, value: object) -> Iterable[object]:
        """Return the items of a list or the values of an object, for a loop."""
        if isinstance(value, dict):
            return value.values()
        return value if isinstance(value, list | tuple) else ()

    def save(self, line: int, value: object, decode: str, path: str) -> None:
        """Request that a value is saved as a file."""
        if value is None or isinstance(value, Undefined):
            raise TemplateError("there is nothing to save at that path of the answer", line)
        if not path.strip():
            raise TemplateError("to: names no file", line)
        if len(self.saves) == _MOST_SAVES:
            raise TemplateError(f"more than {_MOST_SAVES} files to save", line)
        self.saves.append(SaveRequest(text=text_of(value), decode=decode, path=path))

    def check_size(self) -> None:
        """Raise `LimitExceeded` if the variables and values, or the files to save, are too large."""
        kept, saved = LimitCounter(), LimitCounter()
        for text in (*self.variables.values(), *map(text_of, self.values.values())):
            kept.count_text(text)
        for order in self.saves:
            saved.count_text(order.text)

    def _bind(self, label: str, numbered: bool, value: str | tuple[str, ...]) -> None:
        name = label
        if numbered:
            self._numbers[label] += 1
            name = f"{label}-{self._numbers[label]}"
        if len(self.values) == NAMES and name not in self.values:
            raise LimitExceeded(f"it names more than {NAMES:,} values")
        self.values[name] = value
        self._labels[label] = f"@{name}"
