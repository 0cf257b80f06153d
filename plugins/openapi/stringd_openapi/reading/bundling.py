"""Bundle a description with the documents beside it that it refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urldefrag, urljoin

from msgspec import Struct, field

from stringd_openapi.reading.description_text import read_text
from stringd_openapi.reading.references import REF, references_in

MOST_DOCUMENTS = 200
"""The most documents that a description may consist of."""
BUNDLED = "x-documents"
"""The member of a bundled description that holds the other documents."""
_OUTSIDE = re.compile(rb"""\$ref["']?\s*:\s*["']?(?![#"'\s])""")


class Bundle(Struct, frozen=True, kw_only=True):
    """A description with everything that it refers to, or the addresses that are still `wanted`.

    `changed` tells whether the description differs from what was read.
    """

    document: Mapping[str, Any]
    wanted: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    changed: bool = False


class _Others(Struct):
    """The other documents: their numbers by address, and what is in them."""

    sources: Mapping[str, bytes | None]
    numbers: dict[str, int] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    wanted: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def reference(self, address: str, fragment: str) -> str | None:
        """Return the reference within the bundle; None if the document is not there (yet)."""
        if address not in self.sources:
            if address not in self.wanted and len(self.sources) + len(self.wanted) < MOST_DOCUMENTS:
                self.wanted.append(address)
            return None
        if self.sources[address] is None:
            self.unknown.append(address)
            return None
        if address not in self.numbers:
            self.numbers[address] = len(self.numbers) + 1
        pointer = fragment if fragment.startswith("/") else ""
        return f"#/{BUNDLED}/{self.numbers[address]}{pointer}"


def bundle(data: bytes, address: str, sources: Mapping[str, bytes | None]) -> Bundle:
    """Read a description and join it with its `sources` by address; those that are None are missing."""
    document = read_text(data)
    if not isinstance(document, dict) or (not sources and not _OUTSIDE.search(data)):
        return Bundle(document=document if isinstance(document, dict) else {})
    others = _Others(sources=sources)
    _localize(document, address, None, others)
    while missing := [it for it in others.numbers if it not in others.values]:
        for other in missing:
            others.values[other] = read_text(sources[other] or b"")
            _localize(others.values[other], other, others.numbers[other], others)
    if others.values:
        document[BUNDLED] = {str(others.numbers[it]): value for it, value in others.values.items()}
    return Bundle(
        document=document,
        wanted=tuple(others.wanted),
        unknown=tuple(dict.fromkeys(others.unknown)),
        changed=bool(others.values),
    )


def _localize(value: Any, address: str, number: int | None, others: _Others) -> None:
    """Make every reference of a document one within the bundle."""
    for it in list(references_in(value)):
        it[REF] = _local(it[REF], address, number, others)


def _local(reference: str, address: str, number: int | None, others: _Others) -> str:
    if reference.startswith("#"):
        return reference if number is None else f"#/{BUNDLED}/{number}{reference[1:]}"
    target, fragment = urldefrag(urljoin(address, reference))
    if target == address and number is None:
        return f"#{fragment}"
    return others.reference(target, fragment) or reference
