"""Users made for a test, with entries in the host's policy of sudo; or a program that stands in for sudo."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.approval.executing.other_user import as_user
from tests.protocol.waits import eventually

PASSWORD = "p4ss of the test"
_HASH = (
    "$6$stringdtest$.Humdq.HWVanKGl/Hxbk5M25harUQvraxf1nVTcaZcmn2Tp9cfrvnyMAv9c0ZZUJ9N7vkxAhBi0npIv99eXw6/"
)
_DRIVER = Path(__file__).with_name("driver.py")
_SHIM = Path(__file__).with_name("sudo_shim.sh")
_POLICIES = Path("/etc/sudoers.d")
_PATIENCE = 40.0
_LOCK = Path(tempfile.gettempdir(), "stringd-tests-sudoers.lock")
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sudoer:
    """A user who may ask for privileged commands, and the sudo that runs them."""

    name: str
    user_id: int
    sudo: str = "sudo"

    @property
    def is_real(self) -> bool:
        return self.sudo == "sudo"

    def command(
        self,
        *stages: Sequence[str],
        passwords: Sequence[str] | None = None,
        seconds: float = 30,
        **fields: Any,
    ) -> list[str]:
        """Return the command line of a process that runs a request for this user."""
        given = {"env": {}, "cwd": "/", **fields}
        wanted = {"stages": stages, "passwords": passwords, "seconds": seconds, "sudo": self.sudo, **given}
        line = (sys.executable, str(_DRIVER), json.dumps(wanted))
        return as_user(self.user_id, *line) if self.is_real else [*line]

    def run(self, *stages: Sequence[str], **options: Any) -> dict[str, Any]:
        """Run a request; return what came of it."""
        command = self.command(*stages, **options)
        with _policies_locked(fcntl.LOCK_SH) if self.is_real else nullcontext():
            done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False, cwd="/")
        assert done.stdout, done.stderr.decode()
        result: dict[str, Any] = json.loads(done.stdout)
        return result


def require_sudo() -> None:
    """Skip the test where there is no sudo, or where users can't be made."""
    if os.geteuid() != 0:
        pytest.skip("only root can make users who may use sudo")
    for program in ("sudo", "useradd", "setpriv"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


@contextmanager
def sudoer(policy: str) -> Iterator[Sudoer]:
    """Make a user, whom the policy lets run what it says; remove both in the end."""
    require_sudo()
    name = f"stringd{os.getpid()}x{next(_numbers)}"
    entry = _POLICIES / name
    _change_accounts("useradd", "--no-create-home", "--shell", "/bin/sh", "--password", _HASH, name)
    try:
        with _policies_locked(fcntl.LOCK_EX):
            entry.write_text(f"{name} ALL=(ALL:ALL) {policy}\n", encoding="utf-8")
            entry.chmod(0o440)
        yield Sudoer(name=name, user_id=pwd.getpwnam(name).pw_uid)
    finally:
        with _policies_locked(fcntl.LOCK_EX):
            entry.unlink(missing_ok=True)
        _change_accounts("userdel", name)


@contextmanager
def shim(folder: Path) -> Iterator[Sudoer]:
    """Stand in for sudo, without any change of the user."""
    program = folder / "sudo"
    shutil.copy(_SHIM, program)
    program.chmod(0o755)
    yield Sudoer(name=pwd.getpwuid(os.geteuid()).pw_name, user_id=os.geteuid(), sudo=str(program))


@contextmanager
def _policies_locked(mode: int) -> Iterator[None]:
    """Lock the policies: sudo complains of an entry that another test removes while it reads them all."""
    with _LOCK.open("a", encoding="utf-8") as lock:
        fcntl.flock(lock, mode)
        yield


def _change_accounts(*command: str) -> None:
    """Run a program that may find the accounts locked by another test."""
    eventually(lambda: subprocess.run(command, capture_output=True, check=False).returncode == 0)
