"""Run CLI actions, as documents declare them, in a real bash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import uvloop
from msgspec.structs import replace

from stringd.actions.answers import Answer
from stringd.actions.environment.action_environment import Environment
from stringd.actions.shell.cli_run import run_cli
from stringd.actions.values.typed_values import Value
from stringd.api.provenance import BY_HAND, attributed
from stringd.api.replies import Reply
from stringd.documents.syntax.actions import Action, parse_actions
from stringd.documents.syntax.parser import parse
from tests.documents.standing import standing


def declared(command: str, *parameters: str) -> Action:
    """The action whose fence holds this command and these parameters."""
    lines = ("~~~act.x", f"CLI {command}", *(f"  {it}" for it in parameters), "~~~")
    book = parse_actions(parse("\n".join(lines)).fences)
    assert book.diagnostics == ()
    assert book.actions["x"].target == command.rstrip()
    return book.actions["x"]


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """A home where actions run, and what their app gives them."""

    home: Path
    environment: Environment = field(default_factory=Environment)

    def reply(
        self, command: str, values: Mapping[str, Value] | None = None, **variables: str
    ) -> Answer | Reply:
        """What comes of a command with these values; the parameters are declared by them."""
        given = values or {}
        action = declared(command, *(f"{name}: {kind(value)}" for name, value in given.items()))
        return self.run(action, given, **variables)

    def run(self, action: Action, values: Mapping[str, Value], **variables: str) -> Answer | Reply:
        session = standing(self.home)
        session.state = replace(session.state, variables=attributed(variables, BY_HAND))
        return uvloop.run(
            run_cli(
                action, values, self.environment, directory=self.home, session=session, read_file=self.read
            )
        )

    def read(self, name: str) -> bytes:
        return (self.home / name).read_bytes()

    def answer(self, command: str, values: Mapping[str, Value] | None = None, **variables: str) -> Answer:
        """What a command that succeeds answers."""
        answer = self.reply(command, values, **variables)
        assert isinstance(answer, Answer), answer
        return answer

    def words(self, arguments: str, values: Mapping[str, Value]) -> list[str]:
        """The words that a program gets."""
        return self.answer(f"printf '%s\\0' {arguments}", values).text.split("\0")[:-1]


def kind(value: Value) -> str:
    return "tuple" if isinstance(value, tuple) else "string"
