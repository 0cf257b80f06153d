"""A disk whose power can be cut: what was written and not synced is gone."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.cluster.engine import Engine
from tests.protocol.waits import eventually

_MEGABYTES = 256
# _IOR('X', 125, __u32), which ends an ext4 file system at once, and its flag that drops the journal's
# buffers.
_SHUTDOWN = 2 << 30 | 4 << 16 | ord("X") << 8 | 125
_WITHOUT_FLUSHING = struct.pack("I", 2)


class DiskUnavailable(Exception):
    """This machine gives no loop devices, or this process may not mount them."""


class CutDisk:
    """An ext4 file system in a file."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="stringd-disk-"))
        # The engine may run as another user.
        self._folder.chmod(0o755)
        self._image = self._folder / "image"
        self.path = self._folder / "disk"
        self.path.mkdir()
        with self._image.open("wb") as image:
            image.truncate(_MEGABYTES << 20)
        try:
            _run("mkfs.ext4", "-q", str(self._image))
            self._mount()
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(self._folder)
            raise DiskUnavailable(str(error)) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._unmount()
        shutil.rmtree(self._folder)

    def cut(self) -> None:
        """Cut its power: all that is not synced is gone, and nothing can be written any more."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, _SHUTDOWN, _WITHOUT_FLUSHING)
        finally:
            os.close(descriptor)

    def restore(self) -> None:
        """Mount it again, as a machine does that has power again."""
        self._unmount()
        self._mount()

    def _mount(self) -> None:
        _run("mount", "-o", "loop", str(self._image), str(self.path))
        self.path.chmod(0o755)

    def _unmount(self) -> None:
        # What a killed process held open may take a moment.
        eventually(self._is_unmounted)

    def _is_unmounted(self) -> bool:
        return subprocess.run(["umount", str(self.path)], check=False, capture_output=True).returncode == 0


class PowerlessEngine(Engine):
    """A PostgreSQL that is killed by cutting the power of its disk."""

    def __init__(self, programs: Path, disk: CutDisk, settings: Mapping[str, str] | None = None) -> None:
        self._disk = disk
        super().__init__(programs, directory=disk.path, settings=settings)
        # What was installed on the disk before it is used is there.
        os.sync()

    def kill(self) -> None:
        """Cut the power of the disk, end all processes, and give the disk power again."""
        self._disk.cut()
        super().kill()
        self._disk.restore()


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=30)
