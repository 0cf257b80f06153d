"""The command lines of privileged stages, and what sudo says when it refuses them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stringd_approval.exec_result import PipelineResult, StageResult

SUDO = "sudo"
VALIDATION = (SUDO, "-v")
"""Has sudo ask for the password once for all stages of a pipeline."""
_NEVER = "LD_"
_REFUSED = 1
_LONGEST = 4096
_REFUSALS = re.compile(
    r"sudo: .*|Sorry, (?:try again\.|user .*)|.* is not in the sudoers file.*|This incident .*"
)


def sudo_line(path: str, arguments: Sequence[str], env: Mapping[str, str], *, may_ask: bool) -> list[str]:
    """Return the command line for a program's file, its arguments and variables.

    Without a terminal, sudo must not ask for a password. The policy of the host decides about variables.
    """
    assignments = [f"{name}={value}" for name, value in env.items() if not name.startswith(_NEVER)]
    # Behind the mark, an assignment would be a program's name.
    return [SUDO, *(() if may_ask else ("-n",)), *assignments, "--", path, *arguments]


def refusal(result: PipelineResult) -> str | None:
    """Return why sudo did not run a stage; None if it has run all."""
    return next((said for stage in result.stages if (said := _said_by_sudo(stage))), None)


def _said_by_sudo(stage: StageResult) -> str | None:
    if stage.exit_code != _REFUSED or not 0 < len(stage.stderr) < _LONGEST:
        return None
    lines = stage.stderr.decode(errors="replace").strip().splitlines()
    return " ".join(lines) if all(map(_REFUSALS.fullmatch, lines)) else None
