"""What an action coded in Python may know of its call, beside its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stringd.plugin import User


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The topic that an action runs in, and the app's `$NAME`s there."""

    user: User
    topic: str
    directory: Path
    variables: Mapping[str, str]
    secrets: Mapping[str, str]
