"""Mask secrets in commands, replies and logs; this module alone decides what may be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches

from stringd.text.value_search import find_written, longest_beginning, longest_written

MASK = "********"
_QUOTED_MASK = f'"{MASK}"'
_WITH_PASSWORD_MASKED = rf"\g<kept>{MASK}"
_PLAIN_PASSWORD = re.compile(rf"[\w.%+=,:@-]+|{re.escape(MASK)}")
_SETTING, _ACTING = ("set",), ("act", "action")
_LIKE = 0.6
_LONGEST_WORD = 32
_HELP = frozenset({"--help", "-h"})
_COMMAND = re.compile(r"(?P<head>\s*/*\s*(?P<word>[^\s=${\"'.]*))(?P<member>\.[\w.-]*)?(?P<rest>.*)")
_PLAIN_VALUE = re.compile(
    r"""\s*\{[A-Za-z_][\w-]*\}[ \t]*=[ \t]*(?:"(?:[^"\\]|\\.)*"|'[^']*')[ \t\r]*""", re.ASCII
)
_PLAIN_TARGET = re.compile(r"\s*\{[A-Za-z_][\w-]*\}", re.ASCII)
# A value for a `$NAME`, with or without an equals sign, or for a name that may be meant as one.
_DOLLAR_NAME = r"\$[{(]?[A-Za-z_]\w*+[)}]?+[\"']?+\s*+"
_PLAIN_NAME = r"[A-Za-z_]\w*+[\"']?+\s*+"
_SECRET_VALUE = re.compile(rf"{_DOLLAR_NAME}:?=?\s*+(?=\S)", re.ASCII)
_NAMED_VALUE = re.compile(rf"\b{_PLAIN_NAME}:?=\s*+(?=\S)", re.ASCII)
_FLAG_VALUE = re.compile(r"(?:^|\s)--?[A-Za-z][\w-]*+(?:\s*[=:]\s*|\s+)(?=\S)", re.ASCII)
# With a `$` after the sign, the value may be on either side of it.
_TARGET = re.compile(
    rf"\s*[`\"']*+(?:{_DOLLAR_NAME}:?=?\s*+(?=\S)|{_PLAIN_NAME}:?=\s*+(?=[^\s$][^$]*\Z))", re.ASCII
)
_WITHOUT_VALUE = re.compile(rf"\s*(?:{_DOLLAR_NAME}=?|`{{3,}}\S*)\s*", re.ASCII)
_SECRET_IN_SHELL = re.compile(r"\s*\$[{(]?[A-Za-z_]\w*+[)}]?+\s+:?=\s+\S", re.ASCII)
# The parts of a URL with a password, some of them percent-encoded, maybe several times.
_PERCENT = r"%(?:25){0,7}"
_COLON, _AT = rf"(?::|{_PERCENT}3A)", rf"(?:@|{_PERCENT}40)"
_AT_SIGN, _LINES_AT_ONCE = re.compile(_AT, re.IGNORECASE), 4096
# Behind so many characters, only the plain passwords that a quick search finds are masked.
_SEARCHED_CLOSELY = 256 * 1024
_LIKELY_PASSWORD = re.compile(r":[\w.%+=,-]{1,256}(?=@)", re.ASCII)
# Browsers take one slash behind `http:`, any number and backslashes for them; JSON may escape slashes.
_SLASHES = r"\\*+/\\*+/"
_AUTHORITY = rf"(?:{_COLON}{_SLASHES}|\bhttps?:[/\\]|(?<![^\s\"'`(<=])//)[/\\]*+"
# Behind a quote, a comma or bracket ends the string of a JSON value.
_URL_USER = rf"(?:(?!{_COLON}|[\"'][,}}\]])[^\s/?#])*+{_COLON}"
# A port, maybe that of a variable, is no password although an @ follows later, nor is the rest of an address.
_PORT, _CLOSING_QUOTE = r"(?:\d*|\$\w+|\$?\{[^\s{}]*\})", r"[\"'](?:[\s,;:|&)\]}<>]|\Z)"
_ENCODED_END = r"(?P=code)(?:2F|3F|23)"
_NO_PORT = rf"(?!{_PORT}{_CLOSING_QUOTE})"
_NO_ADDRESS = rf"(?!{_PORT}(?:[\s/?#\\]|{_CLOSING_QUOTE}|\Z)|[\da-f:.]*(?:%[\w.~%-]*)?\])"
# No repetition passes the place where the same pattern could begin anew: the time is linear.
_IN_WORD = r"(?:(?<!\bhttp:)(?<!\bhttps:)\\[^\n/]|[^\s/?#\\])+"
_URL_PASSWORDS = tuple(
    re.compile(rf"(?P<kept>{before})(?P<password>{password})(?={_AT})", re.IGNORECASE | re.ASCII)
    for before, password in (
        # In quotes, it may have blanks.
        (
            rf"[\"'](?:[a-z][\w+.-]*+{_COLON}{_SLASHES}|https?:[/\\]{{2}}){_URL_USER}(?=\S){_NO_ADDRESS}",
            r"[^\n/?#\"']+",
        ),
        # Behind the last @ of the authority is the host. A password in which a slash is not encoded ends
        # with the word; its length is limited because it is looked for again behind each `://`.
        (
            _AUTHORITY + _URL_USER,
            rf"'[^'\n]+'|\"[^\"\n]+\"|{_NO_PORT}{_IN_WORD}|{_NO_ADDRESS}\S{{1,256}}",
        ),
        # Browsers need no slashes.
        (r"(?<![^\s\"'])https?:[^\s\"'/?#:]*+:", r"[^\s\"'/?#]+"),
        # In an encoded URL, what ends the authority is encoded as often as its slashes are.
        (
            rf"{_COLON}(?P<code>{_PERCENT})2F(?P=code)2F(?:(?!{_COLON}|{_ENCODED_END})[^\s&])*+{_COLON}",
            rf"(?:(?!{_ENCODED_END})[^\s&])+",
        ),
    )
)


def without_url_passwords(text: str, *, may_run: bool = False) -> str:
    """Return a text with the password masked in each URL that has one, as in `ftp://user:password@host`.

    If the text `may_run`, whoever permits that sees everything in it that could mean something to a shell.
    """
    if "%" not in text and ("@" not in text or ":" not in text):
        return text
    replacement = _with_plain_password_masked if may_run else _WITH_PASSWORD_MASKED
    tail = _LIKELY_PASSWORD.sub(f":{MASK}", text[_SEARCHED_CLOSELY:])
    text = text[:_SEARCHED_CLOSELY]
    pieces: list[str] = []
    position = 0
    # A URL ends with its line: those without an @ are only copied. Not each line alone, as many may have one.
    while sign := _AT_SIGN.search(text, position):
        start = max(position, text.rfind("\n", position, sign.start()) + 1)
        end = text.find("\n", sign.end() + _LINES_AT_ONCE)
        lines = text[start : end if end >= 0 else len(text)]
        position, before = start + len(lines), text[position:start]
        for found in _URL_PASSWORDS:
            lines = found.sub(replacement, lines)
        pieces += (before, lines)
    return "".join((*pieces, text[position:], tail)) if pieces or tail else text


def _with_plain_password_masked(found: re.Match[str]) -> str:
    return found.expand(_WITH_PASSWORD_MASKED) if _PLAIN_PASSWORD.fullmatch(found["password"]) else found[0]


def masked_setting(text: str) -> str:
    """Return the first line of a `/set` with everything masked that may be a secret."""
    line = text.partition("\n")[0]
    found = _COMMAND.match(line)
    return line if found is None else found["head"] + masked_assignment(line[found.end("head") :])


def masked_assignment(line: str) -> str:
    """Return an assignment with its value masked, unless it is that of a `{name}`."""
    if not line.strip() or line.strip() in _HELP or _PLAIN_VALUE.fullmatch(line):
        return line
    if plain := _PLAIN_TARGET.match(line):
        return line[: plain.end()] + _without_values(line[plain.end() :])
    if _WITHOUT_VALUE.fullmatch(line):
        return line
    target = _TARGET.match(line)
    indented = line[: len(line) - len(line.lstrip())]
    return line[: target.end()] + _QUOTED_MASK if target else indented + MASK


def masked_unknown(text: str) -> str:
    """Return the first line of an unknown command, with values of apparent assignments and calls masked."""
    line = text.partition("\n")[0]
    found = _COMMAND.match(line)
    if found is None:
        return line
    head, rest = found["head"] + (found["member"] or ""), found["rest"]
    # Only calls have a member.
    if _is_like(found["word"], _ACTING) or found["member"]:
        return f"{head} {MASK}" if rest.strip() else line
    if _means_setting(found):
        return masked_setting(line)
    return _without_values(line)


def masked_in_shell(text: str) -> str:
    """Return a shell's text without passwords in URLs; a seeming `/set` or `/act` is masked like those."""
    return masked_if_mistyped(without_url_passwords(text))


def masked_if_mistyped(text: str) -> str:
    """Return a shell's text, masked like a `/set` or `/act` if it seems to be one."""
    if text.startswith("/"):
        found = _COMMAND.match(text)
        meant = found is not None and _is_like(found["word"], _SETTING + _ACTING)
        return masked_unknown(text) if meant else text
    return masked_unknown(text) if _SECRET_IN_SHELL.match(text) else text


def may_be_kept(line: str, shown: str) -> bool:
    """Whether a command may be kept in a history, judged by its text and by its label `shown`."""
    found = _COMMAND.match(line)
    if found and _means_setting(found) and masked_unknown(line) != line:
        return False
    if without_url_passwords(line) != line:
        return False
    return shown.count(MASK) <= line.count(MASK)


def mask_values(text: str, values: Mapping[str, str]) -> str:
    """Return a text with each value replaced by what it maps to, in any encoding."""
    return _masked(text, values, len(text))


def mask_bytes(data: bytes, values: Mapping[str, str]) -> bytes:
    """Return a text of an unknown charset with each value replaced, as `mask_values` does."""
    written = {
        value.encode(charset, "ignore").decode("latin-1"): shown
        for value, shown in values.items()
        for charset in ("utf-8", "latin-1")
    }
    return mask_values(data.decode("latin-1"), written).encode("latin-1")


def mask_beginning(text: str, values: Mapping[str, str], most: int) -> str:
    """Return the first `most` characters of a text after masking; values across the cut are found."""
    margin = margin_of(values)
    length = most
    # The end of a slice may be the beginning of a value.
    while len(shown := _masked(text[: length + margin], values, length)) < most and length < len(text):
        length *= 2
    return shown[:most]


def mask_piece(text: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Mask a piece of a longer text; also return its unmasked end, if that may begin a value."""
    if not values:
        return text, ""
    spans = [span for span, _ in find_written(text, values.keys())]
    end = len(text) - longest_beginning(text, values.keys())
    # A found value stays complete, even if its end may begin another one.
    while cut := max((it[1] for it in spans if it[0] < end < it[1]), default=0):
        end = len(text) - longest_beginning(text[cut:], values.keys())
    return _masked(text, values, end), text[end:]


def mask_head(text: str, values: Mapping[str, str]) -> str:
    """Mask a text whose end was cut off, without what may be the beginning of a value there."""
    return _masked(text, values, max(len(text) - margin_of(values), 0))


def mask_tail(text: str, values: Mapping[str, str]) -> str:
    """Mask a text whose beginning was cut off, without what may be the end of a value there."""
    return _masked(text, values, len(text))[margin_of(values) :]


def margin_of(values: Mapping[str, str]) -> int:
    """Return how many characters next to a cut may belong to a value."""
    return max(map(longest_written, values), default=0)


def _masked(text: str, values: Mapping[str, str], length: int) -> str:
    """Return the first `length` characters of a text, with the values replaced that begin in them."""
    # The password in a value that is a URL may have been masked before.
    values = {it: shown for value, shown in values.items() for it in (without_url_passwords(value), value)}
    found = ((*span, values[value]) for span, value in find_written(text, values.keys()))
    # The longest of those that begin at the same place: one value may be a prefix of another.
    spans = sorted(found, key=lambda it: (it[0], -it[1]))
    pieces: list[str] = []
    position = 0
    for start, end, shown in spans:
        if position <= start < length:
            pieces += (text[position:start], shown)
        position = max(position, end) if start < length else position
    return "".join((*pieces, text[position:length]))


def _means_setting(found: re.Match[str]) -> bool:
    return _is_like(found["word"] + (found["member"] or "").replace(".", ""), _SETTING)


def _is_like(word: str, names: tuple[str, ...]) -> bool:
    return bool(get_close_matches(word[:_LONGEST_WORD].lower(), names, n=1, cutoff=_LIKE))


def _without_values(line: str) -> str:
    secret, named = _SECRET_VALUE.search(line), _NAMED_VALUE.search(line)
    if (flag := _FLAG_VALUE.search(line)) and not (named and named.start() < flag.start()):
        return line[: flag.end()] + MASK
    first = min((it for it in (secret, named) if it), key=re.Match.start, default=None)
    if first is None:
        return line
    is_doubtful = first is named and "$" in line[named.end() :]
    return line[: first.start()] + MASK if is_doubtful else line[: first.end()] + _QUOTED_MASK
