"""Pages that are made to overwhelm a parser are cut down before one sees them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

_FORMATTING = "b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_NESTING = (
    "div|ul|ol|dl|table|blockquote|section|article|aside|nav|main|header|footer|form|fieldset|details|figure|center|"
    "menu|dir|address|object|applet|marquee|pre|listing|h[1-6]"
)
_INLINE = f"{_FORMATTING}|a|span|button|ruby|svg|math|label|sup|sub|kbd|samp|var|cite|q|abbr|del|ins|mark"
_ATTRIBUTES = r"""(?:[^>"']|"[^"]*"|'[^']*')*+"""
_WITH_ATTRIBUTES = re.compile(rf"<(?=[bcefinstuBCEFINSTU])(?i:{_FORMATTING})\s{_ATTRIBUTES}>")
_NAME = re.compile(r"<\w+")
_NESTED = re.compile(rf"<(/?(?:{_NESTING}))\b", re.IGNORECASE)
_COUNTED = re.compile(rf"(?:{_NESTING}|{_INLINE})\Z", re.IGNORECASE)
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/>]*)({_ATTRIBUTES})>")
_OPTIONS = re.compile(r"(</?)(?=(?:select|option|optgroup)\b)", re.IGNORECASE)
_SMALL = 300_000
_DEEPEST = 300
_MOST_FORMATS = 300
_MOST_OPTIONS = 3000
_MOST_ATTRIBUTES = 500
_LONGEST_TAG = 30_000


def bounded(text: str) -> str:
    """Return HTML that is parsed in a time that grows with its length: nearly all pages as they are."""
    text = _with_few_formats(text)
    if len(text) <= _SMALL:
        return text
    if len(_OPTIONS.findall(text)) > _MOST_OPTIONS:
        text = _OPTIONS.sub(r"\1x-", text)
    has_long_tags = max(map(len, text.split("<"))) > _LONGEST_TAG
    return flattened(text) if has_long_tags or _is_deep(text) else text


def flattened(text: str) -> str:
    """Return HTML without the tags that are nested too deeply; what is in them stays."""
    return _TAG.sub(_Depth().kept, text)


def _with_few_formats(text: str) -> str:
    """Leave few kinds of bold and italics: a parser begins those that do not end anew in each paragraph."""
    kinds = set(_WITH_ATTRIBUTES.findall(text))
    if len(kinds) <= _MOST_FORMATS:
        return text
    return _WITH_ATTRIBUTES.sub(lambda tag: f"{_NAME.match(tag[0])[0]}>", text)  # type: ignore[index]


def _is_deep(text: str) -> bool:
    """Tell whether elements of any one name stand in each other too deeply."""
    tags = [it.lower() for it in _NESTED.findall(text)]
    frequent = [name for name, count in Counter(tags).items() if count > _DEEPEST and name[0] != "/"]
    return any(_depth(name, tags) > _DEEPEST for name in frequent)


def _depth(name: str, tags: list[str]) -> int:
    steps = {name: 1, f"/{name}": -1}
    levels = list(accumulate(map(steps.__getitem__, filter(steps.__contains__, tags))))
    lowest = accumulate(levels, min)
    return max(level - low for level, low in zip(levels, lowest, strict=True)) + 1


class _Depth:
    """How deeply the tags of a page are nested, as they come."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def kept(self, tag: re.Match[str]) -> str:
        """Return a tag as it goes to the parser."""
        end, name, attributes = tag[1], tag[2].lower(), tag[3]
        if _COUNTED.match(name) and not (self._close(name) if end else self._begin(name)):
            return ""
        if len(attributes) > _MOST_ATTRIBUTES and len(pieces := attributes.split()) > _MOST_ATTRIBUTES:
            return f"<{end}{name} {' '.join(pieces[:_MOST_ATTRIBUTES])}>"
        return tag[0]

    def _begin(self, name: str) -> bool:
        if len(self._open) >= _DEEPEST:
            self._left_out[name] += 1
            return False
        self._open.append(name)
        self._counts[name] += 1
        return True

    def _close(self, name: str) -> bool:
        if self._left_out[name]:
            self._left_out[name] -= 1
            return False
        while self._counts[name]:
            ended = self._open.pop()
            self._counts[ended] -= 1
            if ended == name:
                break
        return True
