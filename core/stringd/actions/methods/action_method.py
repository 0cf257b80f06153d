"""The hook `stringd_action_methods` and its records: how a plugin carries out `CALL name target` actions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from stringd.actions.answers import Answer
from stringd.actions.environment.action_environment import Environment
from stringd.actions.results.action_files import ActionFiles
from stringd.actions.templates.template_run import FileToSave
from stringd.actions.values.secret_taint import Taint
from stringd.actions.values.typed_values import Value
from stringd.api.checks import check_async, check_optional_text, check_sync, check_word
from stringd.api.commands import Invocation
from stringd.api.runtime import Runtime
from stringd.documents.pages.page import Page
from stringd.documents.syntax.actions import Action
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.extensions.hookspecs import hookspec

SECONDS = 180.0


class ActionCall(Struct, frozen=True, kw_only=True):
    """One call of an action, with what the action may use.

    `values` are the arguments by parameter, with defaults for those that were not given. `variables` are the
    topic's variables that the document may use, and `taint` tells which values hold a secret. `confirmed`
    lifts the restrictions on documents that are not the user's own; an `unasked` call runs by default.
    """

    invocation: Invocation
    page: Page
    action: Action
    values: Mapping[str, Value]
    environment: Environment
    variables: Mapping[str, str] = field(default_factory=dict)
    taint: Taint = field(default_factory=Taint)
    confirmed: bool = False
    unasked: bool = False

    @property
    def package(self) -> Path | None:
        """The directory of the document's app, if it belongs to one."""
        return self.environment.package

    def taken_names(self) -> frozenset[str]:
        """Return the names that an answer should not use: those of the page's own shortcuts."""
        return frozenset(self.page.sheet.shortcuts.by_id)

    def read(self, path: str) -> bytes:
        """Return the content of a file that the user may read, or refuse."""
        return self._files.read(path)

    async def save(self, path: str, data: bytes) -> bool:
        """Write a file that the user may write, or refuse; return whether there was one already."""
        return await self._files.save(FileToSave(path=path, data=data))

    @property
    def _files(self) -> ActionFiles:
        return ActionFiles(self.invocation, self.environment)


Run: TypeAlias = Callable[[ActionCall], Awaitable[Answer]]
Describe: TypeAlias = Callable[[Action, Path | None], str]
Check: TypeAlias = Callable[[Action, Path | None], Iterable[Diagnostic]]


class ActionMethod(Struct, frozen=True, kw_only=True):
    """A way to carry out actions: documents name it, `CALL name target`.

    `describe` returns what `/act.id --help` says below the flags, and `check` the flaws of an action; both
    get the directory of the document's app, and may block. A call that takes more than `seconds` is ended,
    unless the topic's `{_timeout}` says otherwise; with None the method has limits of its own.
    """

    name: str
    summary: str
    run: Run
    describe: Describe | None = None
    check: Check | None = None
    seconds: float | None = SECONDS

    def __post_init__(self) -> None:
        check_word("action method", self.name)
        check_optional_text(f"summary of action method {self.name}", self.summary)
        check_async(f"action method {self.name}", self.run, takes=1)
        for what, function in (("description", self.describe), ("check", self.check)):
            if function is not None:
                check_sync(f"{what} of action method {self.name}", function, takes=2)


def flaw_of_action(action: Action, reason: str, remedy: str) -> Diagnostic:
    """Return the diagnostic of an action that its method cannot carry out as declared."""
    arguments = {"reason": reason, "remedy": remedy}
    return Diagnostic(DiagnosticCode.ACTION_CALL_FLAWED, action.line, arguments, subject=f"act.{action.id}")


@hookspec
def stringd_action_methods(runtime: Runtime) -> Iterable[ActionMethod]:
    """Add ways to carry out actions, which the user's own documents call with `CALL name target`."""
    return ()
