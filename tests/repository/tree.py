"""The files of the repository, without generated ones."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LEFT_BY_TOOLS = {
    ".git",
    ".venv",
    ".stringd",
    ".hypothesis",
    ".import_linter_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "__pycache__",
    "build",
    "dist",
}


def files(folder: Path = ROOT) -> list[Path]:
    """Every file that belongs to the repository."""
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.name in LEFT_BY_TOOLS or entry.name.endswith(".egg-info"):
            continue
        found.extend(files(entry) if entry.is_dir() else [entry])
    return found


def settings() -> dict[str, Any]:
    """pyproject.toml, parsed."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def sources() -> list[Path]:
    """Every module that the wheel ships."""
    return [
        path
        for path in files()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in {"core", "plugins"}
    ]
