"""Stop a node at a moment at which it would harm others if it went on."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Sequence

from tests.cluster.chaos.workload import SHARED_TOPIC, Home
from tests.cluster.nodes import Node

_WRITE_SECONDS = 2.0
_SHELL_SECONDS = 15.0
_LOOK_AGAIN_SECONDS = 0.05


def stop_at_write(node: Node, user: str) -> bool:
    """Stop a node as it stores the shared topic of a user, which does not arrive; return whether it did."""
    stopped = threading.Event()
    values = [struct.pack("!I", len(it)) + it.encode() for it in (user, SHARED_TOPIC)]

    def is_stored(data: bytes) -> bool:
        if not all(it in data for it in values):
            return False
        node.pause()
        stopped.set()
        return True

    node.engine_cut.drop_at(is_stored)
    if stopped.wait(_WRITE_SECONDS):
        return True
    node.engine_cut.heal()
    return stopped.is_set()


def stop_in_shell(node: Node, homes: Sequence[Home]) -> bool:
    """Stop a node, but not its shells, as one of them is going to write for long; return whether it did."""
    deadline = time.monotonic() + _SHELL_SECONDS
    while not any(it.is_written_for_long(str(node.port)) for it in homes):
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_AGAIN_SECONDS)
    node.pause()
    return True
