"""An app as a package: where it lies, who it says it is, and what it gives to its documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from stringd.actions.declared import DeclaredVariable, declared_variables
from stringd.actions.environment import ActionFunction, Environment
from stringd.contracts.checks import check_optional_text
from stringd.documents.files import read_text
from stringd.documents.sheet import Sheet, read_sheet
from stringd.plugin import Invocation, Package, Refusal
from stringd_app.entries import entry_in, named_entry

RECORD = ".stringd-package.json"
LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who an app is, by its author's word: two of one name and of different namespaces are two apps."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def key(self) -> str:
        """A text that no other identity has."""
        return f"{quote(self.namespace, safe='')}/{quote(self.name, safe='')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What is noted beside an installed app: who it is, and where it came from."""

    namespace: str
    name: str
    source: str

    @property
    def identity(self) -> Identity:
        """Who it is."""
        return Identity(namespace=self.namespace, name=self.name)

    def write(self, directory: Path) -> None:
        """Note it in an app's directory."""
        (directory / RECORD).write_text(json.dumps(asdict(self), indent=2), encoding="utf-8")


def read_origin(directory: Path) -> Origin:
    """Return what was noted beside an app; one that was put there by hand is what its document says."""
    try:
        noted = json.loads((directory / RECORD).read_text(encoding="utf-8"))
        check_optional_text("origin", *noted.values())
        return Origin(**noted)
    except (OSError, ValueError, TypeError, AttributeError):
        identity = identity_in(read_entry(entry_in(directory)).parsed.frontmatter, directory.name)
        return Origin(namespace=identity.namespace, name=identity.name, source="put there by hand")


def identity_in(frontmatter: Mapping[str, Any], fallback: str) -> Identity:
    """Return who a document says it is; without a name, it goes by that of its file or directory."""
    said = {key: str(frontmatter.get(key) or "").strip() for key in ("namespace", "name")}
    return Identity(namespace=said["namespace"] or LOCAL, name=said["name"] or fallback)


def read_entry(entry: Path) -> Sheet:
    """Read the document of an app, or refuse."""
    return read_sheet(read_text(entry, entry.name))


class AppPackage(Package):
    """An app that can be opened: `owner` is whose its `$NAME`s are."""

    def __init__(
        self,
        name: str,
        directory: Path,
        *,
        owner: str,
        source: str,
        functions: Mapping[str, ActionFunction] | None = None,
    ) -> None:
        super().__init__(f"app:{name}", directory)
        self.name = name
        self.owner = owner
        self.source = source
        self.functions = functions or {}
        self.entry = entry_in(directory)

    @cached_property
    def sheet(self) -> Sheet:
        """The document that the app opens with."""
        return read_entry(self.entry)

    @property
    def declared(self) -> tuple[DeclaredVariable, ...]:
        """The `$NAME`s that it says it needs."""
        return declared_variables(self.sheet.parsed.frontmatter)

    def file(self, path: str) -> Path:
        """Return the real path of a document in it, or refuse; a directory stands for its own document."""
        found = (self.directory / path).resolve() if path else self.entry
        if not found.is_relative_to(self.directory):
            raise Refusal("FILE_NOT_ALLOWED", f"Outside of {self.uri}: {path}")
        return named_entry(found) if found.is_dir() else found

    def environment(self, invocation: Invocation) -> Environment:
        """Return what the app's documents may use; its `$NAME`s are there in its own topics alone."""
        scope = invocation.topic.secret_scope()
        own = scope is not None and scope.owner == self.owner
        return Environment(
            secrets=invocation.daemon.secrets.of(scope) if scope and own else {},
            package=self.directory,
            functions=self.functions,
            declared=self.declared,
            keeper="" if own else self.uri,
        )
