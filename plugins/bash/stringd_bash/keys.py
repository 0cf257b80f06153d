"""Translate names of keys to the bytes that a terminal sends for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stringd.plugin import ErrorCode, Refusal

_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))', re.DOTALL)
_ESCAPE = re.compile(r"\\([\"\\])")
_CURSOR = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
_ESC = "\x1b"
_NAMED = {
    "enter": "\r",
    "return": "\r",
    "tab": "\t",
    "escape": _ESC,
    "esc": _ESC,
    "space": " ",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "insert": "\x1b[2~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    **{f"f{number}": f"\x1bO{letter}" for number, letter in enumerate("PQRS", 1)},
    **{f"f{number}": f"\x1b[{code}~" for number, code in enumerate((15, 17, 18, 19, 20, 21, 23, 24), 5)},
}
NAMES = (
    "^A to ^Z, Enter, Tab, Escape, Space, Backspace, Delete, Insert, Home, End, PageUp, PageDown, "
    "Up, Down, Left, Right, F1 to F12, and any single character"
)


def encode_keys(text: str, *, application: bool) -> Sequence[bytes]:
    """Encode a line of keys and quoted texts in portions; refuse an unknown key and list the known ones.

    A portion ends with the Escape key: programs take what follows it at once for one key with it.
    """
    portions = [""]
    for keys in _encode(text, "O" if application else "["):
        portions[-1] += keys
        if keys == _ESC:
            portions.append("")
    return [it.encode() for it in portions if it]


def _encode(text: str, cursor_prefix: str) -> Iterator[str]:
    position = 0
    while match := _TOKEN.match(text, position):
        position = match.end()
        quoted, name = match.groups()
        yield _ESCAPE.sub(r"\1", quoted) if name is None else _key(name, cursor_prefix)


def _key(name: str, cursor_prefix: str) -> str:
    lower = name.lower()
    if lower.startswith("ctrl+"):
        name = f"^{name[len('ctrl+') :]}"
    if lower in _CURSOR:
        return f"\x1b{cursor_prefix}{_CURSOR[lower]}"
    if lower in _NAMED:
        return _NAMED[lower]
    if len(name) == 1:
        return name
    if len(name) == 2 and name[0] == "^" and "?" <= name[1].upper() <= "_":
        return chr(ord(name[1].upper()) ^ 64)
    # The word is not repeated: it may be a secret that should have been quoted.
    raise Refusal(ErrorCode.INVALID_PARAMS, "Unknown key.", f"keys: {NAMES}", 'text: "in double quotes"')
