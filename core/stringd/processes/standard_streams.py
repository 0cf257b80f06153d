"""Write to the standard streams, even if they are closed or full."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from stringd.text.escaping import visible


def announce(line: str) -> None:
    """Print a line to standard error, if that is possible."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{visible(line)}\n")
        sys.stderr.flush()


def discard_output(*descriptors: int) -> None:
    """Discard what is still buffered for these descriptors, so that flushing it at exit can't fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in descriptors:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
