"""Several files are replaced together; if that fails, nothing is left of the new texts."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from stringd.documents.editing.replaced_files import FileChange, replaced_files
from stringd.errors import ErrorCode, Refusal
from stringd.files.open_directory import Directory

NAMES = ("a", "b", "c")


@pytest.fixture
def changes(tmp_path: Path) -> list[FileChange]:
    """Write a file into each of several directories, and return changes of all."""
    found = []
    for name in NAMES:
        path = tmp_path / name / "text.md"
        path.parent.mkdir()
        path.write_text("old\n", encoding="utf-8")
        found.append(FileChange(path=path, shown=f"{name}/text.md", before="old\n", after="new\n"))
    return found


@pytest.fixture(params=NAMES)
def stuck(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have no file removed from one of the directories, whose name is returned."""
    inode = (tmp_path / request.param).stat().st_ino
    remove = Directory.remove

    def removed(self: Directory, name: str) -> None:
        if os.fstat(self.descriptor).st_ino == inode:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        remove(self, name)

    monkeypatch.setattr(Directory, "remove", removed)
    name: str = request.param
    return name


def entries(folder: Path) -> dict[str, int]:
    """Return the number of files in each directory."""
    return {name: sum(1 for _ in (folder / name).iterdir()) for name in NAMES}


def replace_in_vain(changes: list[FileChange], folder: Path) -> None:
    """Fail when all new texts are written."""
    with replaced_files(changes):
        assert entries(folder) == dict.fromkeys(NAMES, 2)
        raise Refusal(ErrorCode.CONFLICT, "on purpose")


def test_a_failure_to_remove_a_new_text_leaves_no_other(
    changes: list[FileChange], stuck: str, tmp_path: Path
) -> None:
    held = sum(1 for _ in Path("/proc/self/fd").iterdir())
    with pytest.raises(Refusal, match="on purpose"):
        replace_in_vain(changes, tmp_path)
    assert entries(tmp_path) == {it: 2 if it == stuck else 1 for it in NAMES}
    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == held
    assert {it.path.read_text(encoding="utf-8") for it in changes} == {"old\n"}
