"""An app as a package: its directory, and the environment of its documents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from stringd.plugin import ErrorCode, Invocation, Package, Refusal, SecretScope
from stringd.plugin.actions import (
    ActionFunction,
    DeclaredVariable,
    Environment,
)
from stringd.plugin.documents import ParsedDocument
from stringd.plugin.files import real_path
from stringd_app.entry_document import named_entry, read_entry

TOPIC_TYPE = "app"


class AppPackage(Package):
    """An app that can be opened; `owner` is the owner of its `$NAME`s.

    It is the person's `own` unless it was installed from the web.
    """

    def __init__(
        self,
        name: str,
        directory: Path,
        *,
        entry: Path,
        sheet: ParsedDocument | None = None,
        owner: str,
        source: str,
        functions: Mapping[str, ActionFunction] | None = None,
        own: bool = True,
    ) -> None:
        super().__init__(f"app:{name}", directory)
        self.name = name
        self.owner = owner
        self.source = source
        self.functions = functions or {}
        self.own = own
        self.entry = entry
        if sheet:
            self.sheet = sheet

    @cached_property
    def sheet(self) -> ParsedDocument:
        """The entry document."""
        return read_entry(self.entry)

    @property
    def declared(self) -> tuple[DeclaredVariable, ...]:
        """The `$NAME`s that it declares."""
        return self.sheet.parsed.declarations.secrets

    @property
    def finds_all(self) -> bool:
        """Whether `/find` on one of its pages looks through all of them."""
        return self.sheet.parsed.frontmatter.get("find") == TOPIC_TYPE

    def file(self, path: str) -> Path:
        """Return the real path of a document in the app, or refuse; for a directory, that of its entry."""
        found = real_path(self.directory / path) if path else self.entry
        if not found.is_relative_to(self.directory):
            raise Refusal(ErrorCode.FILE_NOT_ALLOWED, f"Outside {self.uri}: {path}")
        return named_entry(found) if found.is_dir() else found

    def environment(self, invocation: Invocation) -> Environment:
        """Return what the app's documents may use; its `$NAME`s are only available in its own topics."""
        name, user = invocation.session.name, invocation.session.user
        # The name of an app topic resolves to this very app: looking it up again is not necessary.
        own = (name.type, name.name) == (TOPIC_TYPE, self.name)
        scope = SecretScope(user_id=user.id, owner=self.owner, config=name.config)
        return Environment(
            secrets=invocation.runtime.secrets.of(scope) if own else {},
            package=self.directory,
            own=self.own,
            functions=self.functions,
            declared=self.declared,
            secrets_topic="" if own else self.uri,
            exports=self.sheet.parsed.declarations.exported,
        )
