"""The environment of the programs of a request, which is not that of the daemon."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping

from stringd_approval.exec_request import ExecRequest
from stringd_approval.executing.executables import SEARCH_PATH

AGENT = "SSH_AUTH_SOCK"


def pipeline_environment(request: ExecRequest, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the account and the request, and the SSH agent if the request wants it."""
    agent = {AGENT: inherited[AGENT]} if request.forward_agent else {}
    return {**account_environment(), **request.env, "PATH": SEARCH_PATH, **agent}


def account_environment() -> dict[str, str]:
    """Return the variables that name the effective user, and where programs are searched."""
    user = os.geteuid()
    try:
        account = pwd.getpwuid(user)
    except KeyError:
        return {"HOME": "/", "USER": str(user), "LOGNAME": str(user), "PATH": SEARCH_PATH}
    names = {"USER": account.pw_name, "LOGNAME": account.pw_name}
    return {"HOME": account.pw_dir, **names, "PATH": SEARCH_PATH}
