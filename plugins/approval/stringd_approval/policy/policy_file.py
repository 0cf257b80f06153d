"""`approval.yaml` in the data directory: read when it has changed, and believed only if it is private."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from stringd.plugin.files import NotRegular, open_folder
from stringd.plugin.strict_files import FileInvalid
from stringd_approval.policy.policy_record import Policy
from stringd_approval.policy.policy_text import parse_policy
from stringd_approval.policy.rule import Rule
from stringd_approval.policy.shared_rules import RulesAsRead, SharedRules

FILE = "approval.yaml"
_LARGEST = 64 * 1024
_READ = os.O_RDONLY | os.O_NONBLOCK
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_ROOT = 0
# Two changes in quick succession may leave the same times.
_SETTLED_NS = 100_000_000


class PolicyFile:
    """The policy of a data directory; `further` are rules that follow those of the file.

    The rules of a cluster, if the daemon is a node, come before them. A missing file means no rules of its
    own. One that cannot be read, is invalid, or that others can write means that everything is asked about.
    """

    def __init__(
        self, data_dir: Path, further: Sequence[Rule] = (), shared: SharedRules | RulesAsRead | None = None
    ) -> None:
        self.path = data_dir / FILE
        # Every command looks here.
        self._name = str(self.path)
        self._further = tuple(further)
        self._stamp: tuple[int, ...] | None = None
        self._without_file = self._policy = Policy(rules=self._further)
        self._shared = shared
        self._joined: tuple[Policy, Policy, Policy] | None = None

    @property
    def problem(self) -> str | None:
        """Why the policy cannot be used; None if it can."""
        return self.current().problem

    def advice(self) -> Iterator[str]:
        """Yield a warning if others can read the file."""
        mode = stat.S_IMODE(self.path.stat().st_mode) if self.path.exists() else 0
        if mode & _OTHERS:
            yield f"others may read {self.path} (mode {mode:o}): chmod 600 it"

    def current(self) -> Policy:
        """Return the policy as the file has it now."""
        try:
            status = os.lstat(self._name)
        except FileNotFoundError:
            self._stamp, self._policy = None, self._without_file
        except OSError as error:
            self._stamp, self._policy = None, self._unusable(error.strerror or str(error))
        else:
            self._read_if_changed(status)
        return self._policy if self._shared is None else self._with_shared(self._shared.policy)

    def _with_shared(self, shared: Policy) -> Policy:
        """Return the policy with the rules of the cluster before its own, made when either changes."""
        joined = self._joined
        if joined is None or joined[0] is not shared or joined[1] is not self._policy:
            joined = self._joined = (shared, self._policy, _joined(shared, self._policy))
        return joined[2]

    def _read_if_changed(self, status: os.stat_result) -> None:
        stamp = _stamp(status)
        if stamp != self._stamp:
            is_settled = time.time_ns() - status.st_ctime_ns > _SETTLED_NS
            self._stamp, self._policy = stamp if is_settled else None, self._read()

    def _read(self) -> Policy:
        try:
            data = self._data()
            policy = parse_policy(data.decode(), FILE)
        except FileInvalid as error:
            return self._unusable(error.message, error.line)
        except UnicodeDecodeError as error:
            return self._unusable("not UTF-8", data[: error.start].count(b"\n") + 1)
        except OSError as error:
            return self._unusable(error.strerror or str(error))
        digest = hashlib.sha256(data).hexdigest()
        return replace(policy, rules=policy.rules + self._further, digest=digest)

    def _data(self) -> bytes:
        with open_folder(Path(os.path.realpath(self.path.parent)), own=True) as folder:
            status = folder.status(FILE)
            if status and not stat.S_ISREG(status.st_mode):
                raise NotRegular(status.st_mode)
            with os.fdopen(folder.open(FILE, _READ), "rb") as file:
                _require_private(os.fstat(file.fileno()))
                data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise OSError(None, f"it is larger than {_LARGEST // 1024} KiB")
        return data

    def _unusable(self, reason: str, line: int | None = None) -> Policy:
        place = self.path if line is None else f"{self.path}:{line}"
        return Policy(problem=f"{place}: {reason}")


def _joined(shared: Policy, own: Policy) -> Policy:
    problem = shared.problem or own.problem
    return replace(own, rules=shared.rules + own.rules, problem=problem)


def _require_private(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(status.st_mode)
    if status.st_uid not in (os.geteuid(), _ROOT):
        raise OSError(None, f"it belongs to the user id {status.st_uid}, not to you")
    if status.st_mode & _OTHERS_MAY_WRITE:
        mode = stat.S_IMODE(status.st_mode)
        raise OSError(None, f"others can write it (mode {mode:o}); check its content, then chmod 600 it")


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_mode,
        status.st_uid,
    )
