"""Start Python processes of our own that import little and serve a control socket."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.lease_deadline import DEADLINE
from stringd.processes.packets import MessageSocket
from stringd.processes.supervisor import ProgramModule

_PROGRAM = "import sys; sys.path[:] = {path!r}; {deadline}from {module} import main; main()"
_DEADLINE = "from stringd.processes.lease_deadline import DEADLINE; DEADLINE.adopt({descriptor}); "


def start_helper(
    module: str,
    *arguments: str,
    control: MessageSocket,
    environment: Mapping[str, str] | None = None,
    pass_fds: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start the `main` of a module in a session of its own, with the control socket as standard input."""
    # Skipping site halves the start-up time, and nothing is imported from the working directory.
    path = [entry for entry in sys.path if entry]
    page = DEADLINE.shared()
    deadline = "" if page is None else _DEADLINE.format(descriptor=page)
    program = _PROGRAM.format(path=path, module=module, deadline=deadline)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", program, *arguments],
        env=environment,
        stdin=control.fileno(),
        stdout=subprocess.DEVNULL,
        pass_fds=pass_fds if page is None else (*pass_fds, page),
        start_new_session=True,
        preexec_fn=DESCRIPTORS.restore,
    )
    DEADLINE.add_sharer(process)
    return process


def start_supervisor(
    module: ProgramModule, control: MessageSocket, options: Mapping[str, Any], pass_fds: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    """Start a supervisor in a process of its own; its arguments are readable by other users of the system."""
    arguments = (module.__name__, json.dumps(options))
    return start_helper("stringd.processes.supervisor", *arguments, control=control, pass_fds=pass_fds)
