"""What is said to whoever started the program; a standard stream that is gone or full stops nothing."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from stringd.text.escaping import visible


def announce(line: str) -> None:
    """Say a line on standard error, if anybody can hear it."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{visible(line)}\n")
        sys.stderr.flush()


def discard_output(*descriptors: int) -> None:
    """Let what is still buffered for these descriptors go nowhere: the interpreter can end in peace."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
