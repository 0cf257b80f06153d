"""Translate names of keys to the bytes that a terminal sends for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal

_TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|(\S+))', re.DOTALL)
_ESCAPED = re.compile(r"\\([\"\\])")
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}
_CURSOR = {"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
ESCAPE = "\x1b"
_MODIFIER = re.compile(r"(?i)(shift|alt|ctrl)\+(?=.)", re.DOTALL)
# Keys whose sequences a modifier becomes a parameter of.
_FUNCTION = re.compile(r"\x1b(?:O(?P<letter>[P-S])|\[(?P<number>\d+)~)")
_WITH_SHIFT = {"tab": "\x1b[Z"}
_WITH_CTRL = {"space": "\0", "backspace": "\b", "?": "\x7f", "/": "\x1f"}
_NAMED = {
    "enter": "\r",
    "return": "\r",
    "tab": "\t",
    "escape": ESCAPE,
    "esc": ESCAPE,
    "space": " ",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "insert": "\x1b[2~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    **{f"f{number}": f"\x1bO{letter}" for number, letter in enumerate("PQRS", 1)},
    **{f"f{number}": f"\x1b[{code}~" for number, code in enumerate((15, 17, 18, 19, 20, 21, 23, 24), 5)},
}
_PASTING = {"pastestart": "\x1b[200~", "pasteend": "\x1b[201~"}
NAMES = (
    "^A to ^Z, Enter, Tab, Escape, Space, Backspace, Delete, Insert, Home, End, PageUp, PageDown, "
    "Up, Down, Left, Right, F1 to F12, and any single character; all of them with Shift+, Alt+ and Ctrl+; "
    "PasteStart and PasteEnd around what is pasted"
)


class KeyModes(Struct, frozen=True, kw_only=True):
    """The modes of a terminal that decide what keys send."""

    application: bool = False
    """Whether the cursor keys are in application mode."""
    brackets_pastes: bool = False
    """Whether the program is told where a pasted text begins and ends."""


def encode_keys(text: str, modes: KeyModes) -> Sequence[bytes]:
    """Encode a line of keys and quoted texts in portions; refuse an unknown key and list the known ones.

    A portion ends with the Escape key: programs take what follows it at once for one key with it.
    """
    portions = [""]
    for keys in _encode(text, modes):
        portions[-1] += keys
        if keys == ESCAPE:
            portions.append("")
    return [it.encode() for it in portions if it]


def _encode(text: str, modes: KeyModes) -> Iterator[str]:
    position = 0
    while match := _TOKEN.match(text, position):
        position = match.end()
        quoted, name = match.groups()
        yield _ESCAPED.sub(r"\1", quoted) if name is None else _key(name, modes)


def _key(name: str, modes: KeyModes) -> str:
    lower = name.lower()
    if lower in _PASTING:
        return _PASTING[lower] if modes.brackets_pastes else ""
    if lower in _CURSOR:
        return f"\x1b{'O' if modes.application else '['}{_CURSOR[lower]}"
    if lower in _NAMED:
        return _NAMED[lower]
    if len(name) == 1:
        return name
    if len(name) == 2 and name[0] == "^" and "?" <= name[1].upper() <= "_":
        return chr(ord(name[1].upper()) ^ 64)
    if _MODIFIER.match(name):
        return _modified(name, modes)
    # The word is not repeated: it may be a secret that should have been quoted.
    raise Refusal(ErrorCode.INVALID_PARAMS, "Unknown key.", f"keys: {NAMES}", 'text: "in double quotes"')


def _modified(name: str, modes: KeyModes) -> str:
    """Return what a key sends together with others, as xterm encodes it."""
    pressed = set()
    while match := _MODIFIER.match(name):
        pressed.add(match[1].lower())
        name = name[match.end() :]
    lower = name.lower()
    parameter = 1 + sum(_MODIFIERS[it] for it in pressed)
    if lower in _CURSOR:
        return f"\x1b[1;{parameter}{_CURSOR[lower]}"
    if found := _FUNCTION.fullmatch(_NAMED.get(lower, "")):
        number, end = ("1", found["letter"]) if found["letter"] else (found["number"], "~")
        return f"\x1b[{number};{parameter}{end}"
    if "shift" in pressed:
        key = _WITH_SHIFT.get(lower) or _key(name.upper() if len(name) == 1 else name, modes)
    elif "ctrl" in pressed:
        key = _WITH_CTRL.get(lower) or _key(f"^{name}" if len(name) == 1 else name, modes)
    else:
        key = _key(name, modes)
    return f"{ESCAPE}{key}" if "alt" in pressed else key
