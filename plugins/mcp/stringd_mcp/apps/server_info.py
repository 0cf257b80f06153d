"""What `/info` says of the server of an app: its command, whether it runs, and what it has printed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stringd.plugin import Refusal, Session
from stringd.plugin.text import printable
from stringd_mcp.apps.app_servers import key_of
from stringd_mcp.apps.server_package import read_package
from stringd_mcp.connections.server_pool import RunningServer, ServerPool

_MOST_LINES = 10
_LONGEST_LINE = 300


def server_info(session: Session, directory: Path, pool: ServerPool) -> Mapping[str, str]:
    """Return the lines for `/info`."""
    try:
        package = read_package(directory)
    except Refusal as refusal:
        return {"server": refusal.message}
    used = pool.find(key_of(directory, session))
    known = package.listing
    facts = {"server": package.server.shown, "state": _state(used)}
    if known.protocol:
        facts["protocol"] = known.protocol
    return {**facts, **_log(used)}


def _state(used: RunningServer | None) -> str:
    if used is None:
        return "not started"
    starts = f"started {used.log.starts} times" if used.log.starts > 1 else "started once"
    if used.is_running:
        return f"running, {starts}"
    return f"ended ({printable(used.log.failure or 'idle')}), {starts}"


def _log(used: RunningServer | None) -> Mapping[str, str]:
    lines = used.log.text.splitlines()[-_MOST_LINES:] if used else []
    # Each on a line of its own, by a name of ours.
    return {f"stderr {number}": printable(it)[:_LONGEST_LINE] for number, it in enumerate(lines, 1)}
