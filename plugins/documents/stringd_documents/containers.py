"""Documents that are ZIP archives of XML, read within limits."""

from __future__ import annotations

import io
import re
import zipfile
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from xml.etree import ElementTree as ET

from msgspec import Struct

from stringd.plugin import LoadedBytes
from stringd_documents.refusals import encrypted, unreadable

ZIP = b"PK\x03\x04"
MOST_MEMBERS = 20_000
LARGEST_MEMBER = 64 * 1024 * 1024
MOST_BYTES = 2 * LARGEST_MEMBER
_ENCRYPTED = 0x1
_OF_RELATIONSHIPS = "/relationships}"
# A document type without declarations of its own, at the beginning.
_HARMLESS_TYPE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?<!DOCTYPE\s[^\[\]>]*>")
_MANIFEST, _ENCRYPTION_DATA = "META-INF/manifest.xml", b"encryption-data"
_MACROS = "vbaProject.bin"


class Relationship(Struct, frozen=True, kw_only=True):
    """What a member of an Office document refers to: another member by its name, or a URL."""

    kind: str
    target: str


class Container:
    """A ZIP archive in memory; its members are read up to limits, whatever they claim to be."""

    def __init__(self, loaded: LoadedBytes) -> None:
        self._loaded = loaded
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(loaded.body))
        except zipfile.BadZipFile:
            raise unreadable(loaded, "it is damaged: its end is missing.") from None
        self._left = MOST_BYTES
        self.names = frozenset(self._zip.namelist())
        if len(self.names) > MOST_MEMBERS:
            raise unreadable(loaded, f"it has more than {MOST_MEMBERS:,} parts.")

    @cached_property
    def media_type(self) -> str:
        """The media type that OpenDocument and EPUB name inside; empty for other archives."""
        return (
            self.bytes_of("mimetype").decode("ascii", "replace").strip() if "mimetype" in self.names else ""
        )

    @property
    def has_macros(self) -> bool:
        """Whether it contains a program in Visual Basic."""
        return any(name.endswith(_MACROS) for name in self.names)

    def refuse_encrypted(self) -> None:
        """Refuse an OpenDocument file whose members are encrypted."""
        # Not read as XML: that of old files has prefixes without a namespace.
        if _MANIFEST in self.names and _ENCRYPTION_DATA in self.bytes_of(_MANIFEST):
            raise encrypted(self._loaded)

    def bytes_of(self, name: str) -> bytes:
        """Return the content of a member, or refuse one that is too large or encrypted."""
        info = self._zip.getinfo(name)
        if info.flag_bits & _ENCRYPTED:
            raise encrypted(self._loaded)
        most = min(LARGEST_MEMBER, self._left)
        with self._zip.open(info) as member:
            data = member.read(most + 1)
        self._left -= len(data)
        if len(data) > most:
            reason = f"unpacked, it is larger than {MOST_BYTES // 1024**2} MiB, or a part of it is too large."
            raise unreadable(self._loaded, reason)
        return data

    def bytes_if_small(self, name: str) -> bytes:
        """Return the content of a member; nothing if there is none, or it says that it is too large."""
        most = min(LARGEST_MEMBER, self._left)
        is_small = name in self.names and self._zip.getinfo(name).file_size <= most
        return self.bytes_of(name) if is_small else b""

    def xml(self, name: str) -> ET.Element:
        """Return the root element of a member, or refuse one that may declare entities."""
        return parse_xml(self.bytes_of(name), self._loaded)

    def xml_if_there(self, name: str) -> ET.Element | None:
        """Return the root element of a member; None if there is no such member."""
        return self.xml(name) if name in self.names else None

    def relationships(self, name: str = "") -> dict[str, Relationship]:
        """Return what a member of an Office document, or the whole, refers to, by id."""
        path = PurePosixPath(name)
        root = self.xml_if_there(str(path.parent / "_rels" / f"{path.name}.rels"))
        return {it.get("Id", ""): _relationship(path, it) for it in (root if root is not None else ())}

    def main_part(self) -> str:
        """Return the name of the member with the content of an Office document, or refuse."""
        for it in self.relationships().values():
            if it.kind == "officeDocument":
                return it.target
        raise unreadable(self._loaded, "it is damaged: nothing in it says where its content is.")

    def title(self) -> str | None:
        """Return the title that an Office or OpenDocument file is given among its properties."""
        for name in ("docProps/core.xml", "meta.xml"):
            properties = self.xml_if_there(name)
            found = properties.find(".//title") if properties is not None else None
            if found is not None and (title := " ".join("".join(found.itertext()).split())):
                return title
        return None


def _relationship(path: PurePosixPath, element: ET.Element) -> Relationship:
    kind = element.get("Type", "").rpartition("/")[2]
    return Relationship(kind=kind, target=_resolved(path, element))


def _resolved(path: PurePosixPath, relationship: ET.Element) -> str:
    """Return the target of a relationship: a URL, or the name of a member."""
    target = relationship.get("Target", "")
    if relationship.get("TargetMode") == "External":
        return target
    if target.startswith("/"):
        return target.lstrip("/")
    parts: list[str] = []
    for part in (path.parent / target).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


class _Builder(ET.TreeBuilder):
    """Refuses document types, which can declare entities."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError("it declares entities")


def parse_xml(data: bytes, loaded: LoadedBytes) -> ET.Element:
    """Parse XML with local names, or refuse one that is not well-formed or may declare entities.

    The formats have several namespaces for the same names. Ids of relationships begin with `r:`.
    """
    # Old files name a document type; what it declares elsewhere is never fetched.
    builder = ET.TreeBuilder() if _HARMLESS_TYPE.match(data) else _Builder()
    parser = ET.XMLParser(target=builder)  # noqa: S314
    try:
        parser.feed(data)
        root: ET.Element = parser.close()
    except (ET.ParseError, ValueError) as error:
        raise unreadable(loaded, f"its XML is invalid: {error}") from None
    for element in root.iter():
        element.tag = _local(element.tag)
        if element.attrib:
            element.attrib = {_local_attribute(name): value for name, value in element.attrib.items()}
    return root


@lru_cache(maxsize=4096)
def _local(name: str) -> str:
    return name.rpartition("}")[2]


@lru_cache(maxsize=4096)
def _local_attribute(name: str) -> str:
    return f"r:{_local(name)}" if _OF_RELATIONSHIPS in name else _local(name)
