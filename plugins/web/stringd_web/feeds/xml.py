"""A bounded XML parser for feeds, with uniform namespace prefixes; declared entities are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5
from xml.parsers import expat

from msgspec import Struct, field

from stringd.plugin import ErrorCode, Refusal

MAX_DEPTH = 200
MAX_ELEMENTS = 200_000
MAX_NAMESPACES = 100
_DEFAULT = "xmlns"
_ATOM = "atom"
# Element names in these namespaces get no prefix; those in others, the usual prefix.
_UNPREFIXED = {
    "http://purl.org/rss/1.0/",
    "http://my.netscape.com/rdf/simple/0.9/",
    "http://channel.netscape.com/rdf/simple/0.9/",
    "http://backend.userland.com/rss2",
    "http://blogs.law.harvard.edu/tech/rss",
}
_PREFIXES = {
    "http://www.w3.org/2005/Atom": _ATOM,
    "http://purl.org/atom/ns#": _ATOM,
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/1999/xhtml": "html",
    "http://www.w3.org/2000/svg": "svg",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "http://search.yahoo.com/mrss/": "media",
}
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_BARE_AMPERSAND = re.compile(
    r"(<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z))|&(?!#\d+;|#x[0-9a-fA-F]+;|[A-Za-z][\w.-]*;)", re.DOTALL
)


class NotWellFormed(ValueError):
    """Text that is not well-formed XML, with the position of the error."""


class Element(Struct):
    """An element; `text` precedes its first child, `tail` follows its end tag."""

    name: str
    attributes: dict[str, str]
    text: str = ""
    tail: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, *names: str) -> Iterator[Element]:
        """Yield the children with any of these names."""
        return (it for it in self.children if it.name in names)

    def first(self, *names: str) -> Element | None:
        """Return the first child with the first of these names that occurs."""
        return next((it for name in names for it in self.all(name)), None)

    def child_text(self, *names: str) -> str:
        """Return the first non-empty text of a child with these names, in order of the names."""
        found = (it.whole_text().strip() for name in names for it in self.all(name))
        return next(filter(None, found), "")

    def whole_text(self) -> str:
        """Return all text in the element."""
        return "".join((self.text, *(it.whole_text() + it.tail for it in self.children)))


def read_xml(text: str, uri: str) -> Element | None:
    """Return the root of a document, or raise `NotWellFormed`; None if it exceeds the limits.

    A document that declares entities is refused.
    """
    text = _ILLEGAL.sub("", text).lstrip()
    try:
        return _Reader(uri).read(text)
    except expat.ExpatError:
        return _read_leniently(text, uri)


def _read_leniently(text: str, uri: str) -> Element | None:
    """Parse again with stray ampersands escaped."""
    try:
        return _Reader(uri).read(_BARE_AMPERSAND.sub(lambda found: found[1] or "&amp;", text))
    except expat.ExpatError as error:
        raise NotWellFormed(f"line {error.lineno}, column {error.offset + 1}") from None


class _LimitExceeded(Exception):
    """The document has more elements, namespaces or depth than any real feed."""


class _Reader:
    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._open = [Element("", {})]
        self._elements = 0
        self._namespaces: list[dict[str, str]] = [{}]
        self._text_pieces: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entity_declaration
        self._parser.SkippedEntityHandler = self._skipped_entity
        # Reports HTML's named entities as skipped instead of undefined; no DTD is fetched.
        self._parser.UseForeignDTD(True)

    def read(self, text: str) -> Element | None:
        try:
            self._parser.Parse(text, True)
        except _LimitExceeded:
            return None
        return self._open[0].children[0]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if len(self._open) > MAX_DEPTH or self._elements > MAX_ELEMENTS:
            raise _LimitExceeded
        self._flush_text()
        self._namespaces.append(self._declared(attributes))
        element = Element(self._qualified(name), attributes)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._flush_text()
        self._open.pop()
        self._namespaces.pop()

    def _characters(self, text: str) -> None:
        self._text_pieces.append(text)

    def _flush_text(self) -> None:
        """Store the text since the last tag, joined, since it may come in many pieces."""
        text, element = "".join(self._text_pieces), self._open[-1]
        self._text_pieces.clear()
        if element.children:
            element.children[-1].tail = text
        else:
            element.text = text

    def _declared(self, attributes: dict[str, str]) -> dict[str, str]:
        """Return the namespaces in scope in an element."""
        own = {key: value for key, value in attributes.items() if key.startswith(_DEFAULT)}
        namespaces = {**self._namespaces[-1], **own} if own else self._namespaces[-1]
        if len(namespaces) > MAX_NAMESPACES:
            raise _LimitExceeded
        return namespaces

    def _skipped_entity(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            self._characters(html5.get(f"{name};", f"&{name};"))

    def _refuse_entity_declaration(self, name: str, *_: object) -> None:
        raise Refusal(
            ErrorCode.LOAD_ERROR, f"The document declares entities of its own, such as {name}: {self._uri}"
        )

    def _qualified(self, name: str) -> str:
        prefix, colon, local = name.rpartition(":")
        space = self._namespaces[-1].get(f"{_DEFAULT}:{prefix}" if colon else _DEFAULT, "")
        if space in _UNPREFIXED or not (space or prefix):
            return local
        return f"{_PREFIXES.get(space, prefix) or space}:{local}"
