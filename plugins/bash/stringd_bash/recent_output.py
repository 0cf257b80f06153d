"""The last output of a topic, from which its screen can be drawn whenever somebody looks at it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stringd.plugin.terminal import ALTERNATE, private_modes
from stringd_bash.keys import KeyModes
from stringd_bash.secret_prompts import asks_secret

_APPLICATION_KEYS, _BRACKETED_PASTE = 1, 2004
_EDITING = ALTERNATE | {_APPLICATION_KEYS, _BRACKETED_PASTE}
FRESH_LINE = "\x1b[!z"
"""An instruction of our own: begin a line, unless the cursor is at the beginning of one."""
# What a terminal is left with whose program has ended, whatever that has done.
_AFTER_PROGRAM = b"\x1b[!p\x1b[m\x1b(B\x1b)B\x0f\x1b[?1049;1;2004l\x1b[?25h"
_LIMIT = 128 * 1024
_SLACK = 64 * 1024
_LONGEST_MODE = 64
_LAST_LINE = 2048
_FORGOTTEN_STYLES = 32
# What outlasts the text around it, besides private modes: the look of characters, the scrolling region,
# character sets and resets.
_LASTING = re.compile(
    rb"\x1b\[[0-9;:]*+m|\x1b\[\??[0-9;]*+[hl]|\x1b\[[0-9;]*+r|\x1b[()][0-9A-Z]|\x1b\[!p|\x1bc|[\x0e\x0f]"
)
_RESETS = frozenset({b"\x1bc", b"\x1b[!p"})
_PLAIN = frozenset({b"\x1b[m", b"\x1b[0m"})


class RecentOutput:
    """Keeps the last output, and of what came before only what still determines how it looks."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._before = LastingState()
        self.received = 0
        """The number of bytes ever added."""
        self._modes: set[int] = set()
        self._tail = b""
        self._cursor_line, self._cursor_line_at = "", -1
        self._watchers: set[Callable[[], None]] = set()

    def add(self, data: bytes) -> None:
        """Append output."""
        self.received += len(data)
        self._data += data
        self._follow_modes(data)
        if len(self._data) > _LIMIT + _SLACK:
            self._trim()
        for notify in self._watchers:
            notify()

    def notify(self) -> None:
        """Tell the watchers of a change that is not in the output."""
        for notify in self._watchers:
            notify()

    def since(self, position: int) -> bytes:
        """Return the output after so many received bytes, after the lasting state if some is lost."""
        start = self.received - len(self._data)
        if position < start:
            return self._before.instructions + bytes(self._data)
        return bytes(self._data[position - start :])

    def begin_program(self, directory: str, label: str) -> None:
        """Show a prompt and the text that is evaluated, as a terminal would; it is new to all programs."""
        prompt = f"{FRESH_LINE}\x1b[2m{directory} $\x1b[m \x1b[1m{label}\x1b[m\r\n"
        self.add(_AFTER_PROGRAM + prompt.encode(errors="replace"))
        self._modes.clear()

    @property
    def key_modes(self) -> KeyModes:
        """The modes that decide what keys send."""
        modes = self._modes
        return KeyModes(application=_APPLICATION_KEYS in modes, brackets_pastes=_BRACKETED_PASTE in modes)

    @property
    def is_editor(self) -> bool:
        """Whether the program itself shows what is typed, as editors, pagers and line editors do."""
        return bool(self._modes & _EDITING)

    @property
    def asks_secret(self) -> bool:
        """Whether the last line looks like a prompt for a secret."""
        if self._cursor_line_at == self.received and asks_secret(self._cursor_line):
            return True
        return asks_secret(self._data[-_LAST_LINE:].decode(errors="replace"))

    def note_cursor_line(self, text: str, position: int) -> None:
        """Take note of what stands before the cursor on a screen that shows so much of the output."""
        self._cursor_line, self._cursor_line_at = text, position

    def end_program(self) -> None:
        """Show the main screen again."""
        self.add(_AFTER_PROGRAM)
        self._modes.clear()

    @contextmanager
    def watch(self, notify: Callable[[], None]) -> Iterator[None]:
        """Call a function after each addition."""
        self._watchers.add(notify)
        try:
            yield
        finally:
            self._watchers.discard(notify)

    def _follow_modes(self, data: bytes) -> None:
        joined = self._tail + data
        self._tail = joined[-_LONGEST_MODE:]
        if b"\x1b[?" in joined:
            for mode, is_set in private_modes(joined.decode("latin-1")):
                (self._modes.add if is_set else self._modes.discard)(mode)

    def _trim(self) -> None:
        """Forget the oldest output, up to the end of a line if there is one."""
        excess = len(self._data) - _LIMIT
        end = self._data.find(b"\n", excess, excess + _SLACK) + 1 or excess
        self._before.add(bytes(self._data[:end]))
        del self._data[:end]


class LastingState:
    """What output leaves behind that determines how later output looks."""

    def __init__(self) -> None:
        self._settings: dict[bytes, bytes] = {}
        self._styles: list[bytes] = []

    @property
    def instructions(self) -> bytes:
        """What brings a new terminal into this state."""
        return b"".join((*self._settings.values(), *self._styles))

    def add(self, data: bytes) -> None:
        """Take into account what comes next."""
        if b"\x1b" in data or b"\x0e" in data or b"\x0f" in data:
            for found in _LASTING.finditer(data):
                self._apply(found[0])

    def _apply(self, instruction: bytes) -> None:
        if instruction in _RESETS:
            self._settings.clear()
            self._styles.clear()
        elif instruction.endswith(b"m"):
            self._styles = [] if instruction in _PLAIN else [*self._styles[-_FORGOTTEN_STYLES:], instruction]
        else:
            # A setting and its opposite have the same key.
            key = instruction[:-1] if instruction[-1:] in b"hl" else instruction[:2]
            key = b"\x0e" if instruction in {b"\x0e", b"\x0f"} else key
            self._settings.pop(key, None)
            self._settings[key] = instruction
