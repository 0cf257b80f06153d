"""CLI actions: a command line of an author's, run with a caller's values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stringd.actions.answers import Answer
from stringd.actions.environment import Environment
from stringd.actions.values import Value
from stringd.contracts.replies import Reply
from stringd.contracts.sessions import Session
from stringd.documents.actions import Action


async def run_cli(
    action: Action,
    values: Mapping[str, Value],
    environment: Environment,
    *,
    directory: Path,
    session: Session,
) -> Answer | Reply:
    """Run the command and return its answer, or the reply that tells with which status it failed."""
    raise NotImplementedError
