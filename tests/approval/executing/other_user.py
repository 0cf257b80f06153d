"""Run programs as another user, where the tests run as root."""

from __future__ import annotations

import os
import shutil

import pytest

NOBODY = 65534


def as_user(user: int, *command: str) -> list[str]:
    """Return the command line that runs a command as a user, who may read what root may.

    The tests' Python may be in a directory that is root's alone.
    """
    account = ("--reuid", str(user), "--regid", str(user), "--clear-groups")
    capability = "+dac_read_search"
    return ["setpriv", *account, "--inh-caps", capability, "--ambient-caps", capability, *command]


needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can run programs as another user"
)
