"""Writes distributions that are discovered through their entry points like installed ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write_distribution(
    folder: Path,
    name: str,
    version: str,
    entry_points: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str],
) -> Path:
    """Write modules and their metadata into a directory for `PYTHONPATH`, and return it."""
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    (metadata / "entry_points.txt").write_text(_entry_points(entry_points), encoding="utf-8")
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
    return folder


def write_plugin(folder: Path, name: str, source: Path) -> Path:
    """Write a distribution with one plugin, whose module is a copy of a file, and return its directory."""
    module = f"stringd_{name}"
    points = {"stringd.plugins": {name: module}}
    text = source.read_text(encoding="utf-8")
    return write_distribution(folder, f"stringd-{name}", "1.0", points, {module: text})


def _entry_points(groups: Mapping[str, Mapping[str, str]]) -> str:
    return "\n".join(
        "\n".join((f"[{group}]", *(f"{name} = {target}" for name, target in points.items()), ""))
        for group, points in groups.items()
    )
