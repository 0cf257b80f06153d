"""Opening files without following links: by one system call, and component by component."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd.files.nofollow import open_nofollow, walk

WAYS = [open_nofollow, walk]
Open = Callable[..., int]
PARTS = ["inside", "up", "near", "file", "out", "none"]


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with directories, files, and links that lead on or out."""
    root = Path(os.path.realpath(tmp_path_factory.mktemp("ground")))
    (root / "inside" / "inside").mkdir(parents=True)
    (root / "outside").mkdir()
    for folder in (root, root / "inside", root / "inside" / "inside"):
        (folder / "file").write_bytes(b"text")
        (folder / "near").symlink_to("inside")
        (folder / "out").symlink_to(root / "outside")
        (folder / "up").symlink_to("..")
    return root


@pytest.mark.requirement("paths.swapped")
@pytest.mark.parametrize("way", WAYS)
@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=4), relative=st.booleans())
@settings(max_examples=200, deadline=None)
def test_opened_file_is_at_the_given_path(ground: Path, way: Open, parts: list[str], relative: bool) -> None:
    path = ground.joinpath(*parts)
    folder = os.open(ground, os.O_RDONLY) if relative else None
    leads_on = os.path.realpath(path) != str(path) or not path.exists()
    try:
        with pytest.raises(OSError, match=r"\[Errno") if leads_on else nullcontext():
            descriptor = way("/".join(parts) if relative else str(path), os.O_RDONLY, folder=folder)
    finally:
        if folder is not None:
            os.close(folder)
    if leads_on:
        return
    try:
        assert str(Path(f"/proc/self/fd/{descriptor}").readlink()) == str(path) == os.path.realpath(path)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["near/file", "near", "inside/near/file", "up/inside/file"])
def test_symlink_is_distinguished_from_a_missing_file(ground: Path, way: Open, name: str) -> None:
    for flags in (os.O_RDONLY, getattr(os, "O_PATH", 0), os.O_RDONLY | os.O_DIRECTORY):
        with pytest.raises(OSError, match=os.strerror(errno.ELOOP)) as failed:
            os.close(way(str(ground / name), flags))
        assert failed.value.errno == errno.ELOOP


@pytest.mark.parametrize("path", ["../x", "/a/../b", "inside/.."])
def test_path_with_dot_dot_is_refused(path: str) -> None:
    with pytest.raises(OSError, match="not a real path"):
        open_nofollow(path, os.O_RDONLY)
