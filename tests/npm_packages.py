"""Packages of npm that tests need: fetched once into build/, never committed."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Collection
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[1] / "build"
_SECONDS = 180


def fetched_package(folder: Path, package: str, members: Collection[str]) -> Path:
    """Return the directory with these files of a package; skip the test without the registry."""
    unpacked = folder / package.replace("/", "-")
    if unpacked.exists():
        return unpacked / "package"
    if shutil.which("npm") is None:
        pytest.skip(f"npm is not installed, so {package} can't be fetched")
    with_archive = unpacked.with_suffix(".fetching")
    shutil.rmtree(with_archive, ignore_errors=True)
    with_archive.mkdir(parents=True)
    fetched = subprocess.run(
        ["npm", "pack", package, "--pack-destination", str(with_archive), "--silent"],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if fetched.returncode:
        pytest.skip(f"{package} can't be fetched: {fetched.stderr.strip()[-200:]}")
    (archive,) = with_archive.glob("*.tgz")
    wanted = {f"package/{it}" for it in members}
    with tarfile.open(archive) as packed:
        packed.extractall(with_archive, members=[it for it in packed if it.name in wanted], filter="data")
    archive.unlink()
    with_archive.rename(unpacked)
    return unpacked / "package"
