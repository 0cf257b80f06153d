"""An app as a package: where it lies, and what it gives to its documents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from stringd.plugin import Invocation, Package, Refusal
from stringd.plugin.actions import (
    ActionFunction,
    DeclaredVariable,
    Environment,
    declared_variables,
    exported_names,
)
from stringd.plugin.documents import ParsedDocument
from stringd.plugin.files import real_path
from stringd_app.entries import entry_in, named_entry, read_entry


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
    def sheet(self) -> ParsedDocument:
        """The document that the app opens with."""
        return read_entry(self.entry)

    @property
    def declared(self) -> tuple[DeclaredVariable, ...]:
        """The `$NAME`s that it says it needs."""
        return declared_variables(self.sheet.parsed.frontmatter)

    def file(self, path: str) -> Path:
        """Return the real path of a document in it, or refuse; a directory stands for its own document."""
        found = real_path(self.directory / path) if path else self.entry
        if not found.is_relative_to(self.directory):
            raise Refusal("FILE_NOT_ALLOWED", f"Outside {self.uri}: {path}")
        return named_entry(found) if found.is_dir() else found

    def environment(self, invocation: Invocation) -> Environment:
        """Return what the app's documents may use; its `$NAME`s are there in its own topics alone."""
        scope = invocation.topic.secret_scope()
        own = scope is not None and scope.owner == self.owner
        return Environment(
            secrets=invocation.runtime.secrets.of(scope) if scope and own else {},
            package=self.directory,
            functions=self.functions,
            declared=self.declared,
            secrets_topic="" if own else self.uri,
            exports=exported_names(self.sheet.parsed.frontmatter),
        )
