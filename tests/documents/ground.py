"""A home with files, a directory outside of it, and links between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stringd.documents.paths.resolving import resolve
from stringd.errors import Refusal
from stringd.files.typed_paths import FileTarget
from tests.documents.standing import Standing, standing

NAMES = [
    "notes.md",
    "a b.md",
    "it's.md",
    "größe/日本.md",
    "c#.md",
    "c#/d#e#f.md",
    "x:L5",
    "~other",
    "docs/in.md",
]


@dataclass(frozen=True)
class Ground:
    """A home with files, a place outside, and links between them."""

    root: Path
    home: Path = field(init=False)
    outside: Path = field(init=False)
    allowed: Path = field(init=False)

    def __post_init__(self) -> None:
        for name in ("home", "outside", "allowed"):
            object.__setattr__(self, name, self.root / name)
            (self.root / name).mkdir()
        for name in NAMES:
            (self.home / name).parent.mkdir(exist_ok=True)
            (self.home / name).write_text("text\n", encoding="utf-8")
        (self.outside / "secret.md").write_text("secret\n", encoding="utf-8")
        self._link()

    def _link(self) -> None:
        links = {
            "out": self.outside,
            "out.md": self.outside / "secret.md",
            "dangling": self.outside / "nothing",
            "chain": self.home / "chain2",
            "chain2": self.home / "out",
            "near": self.home / "docs",
            "circle": self.home / "circle",
            "winding": Path("circle/../out.md"),
            "up": self.root,
        }
        for name, target in links.items():
            (self.home / name).symlink_to(target)
        (self.outside / "back").symlink_to(self.home / "docs")

    def session(self, **state: str) -> Standing:
        return standing(self.home, allowed=(self.allowed,), **state)

    def resolve(self, typed: str, **state: str) -> FileTarget:
        return resolve(typed, self.session(**state), full_access=False)

    def refusal(self, typed: str, **state: str) -> Refusal:
        with pytest.raises(Refusal) as refused:
            self.resolve(typed, **state)
        return refused.value
