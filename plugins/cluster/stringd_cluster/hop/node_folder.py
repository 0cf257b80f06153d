"""Where the identity of a node is, for what needs no cryptography."""

from __future__ import annotations

from pathlib import Path

FOLDER = "cluster"
RECORD = "node.json"


def has_identity(data_dir: Path) -> bool:
    """Whether a data directory belongs to a node, as far as that can be seen."""
    return (data_dir / FOLDER / RECORD).is_file()
