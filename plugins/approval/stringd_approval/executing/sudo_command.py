"""The command lines of privileged stages, and what sudo says when it refuses them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stringd_approval.exec_result import PipelineResult, StageResult

SUDO = "sudo"
VALIDATE = "-v"
"""Has sudo ask for the password, so that it need not do that for each stage of a pipeline."""
_NEVER = "LD_"
_REFUSED = 1
_LONGEST = 4096
# sudo says this of hosts without a name, and goes on.
_WARNING = "sudo: unable to resolve host "
_REFUSALS = re.compile(
    r"sudo: .*|Sorry, (?:try again\.|user .*)|.* is not in the sudoers file.*|This incident .*"
)


def sudo_words(env: Mapping[str, str], *, may_ask: bool) -> list[str]:
    """Return what precedes a program and its arguments: sudo's options and the program's variables.

    Without a terminal, sudo must not ask for a password. The policy of the host decides about variables.
    """
    assignments = [f"{name}={value}" for name, value in env.items() if not name.startswith(_NEVER)]
    # Behind the mark, an assignment would be a program's name.
    return [*(() if may_ask else ("-n",)), *assignments, "--"]


def refusal(result: PipelineResult) -> str | None:
    """Return why sudo did not run a stage; None if it has run all."""
    return next((said for stage in result.stages if (said := _said_by_sudo(stage))), None)


def _said_by_sudo(stage: StageResult) -> str | None:
    if stage.exit_code != _REFUSED or not 0 < len(stage.stderr) < _LONGEST:
        return None
    said = stage.stderr.decode(errors="replace").strip().splitlines()
    lines = [line for line in said if not line.startswith(_WARNING)]
    return " ".join(lines) or None if all(map(_REFUSALS.fullmatch, lines)) else None
