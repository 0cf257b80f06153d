"""The progress of a run as one line of a terminal, and its end as one line. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stringd.plugin.terminal_programs import columns, visible_line
from stringd.plugin.text import counted

if TYPE_CHECKING:
    from stringd_runs.messages.run_progress import RunProgress

_ELLIPSIS = "…"


def progress_line(progress: RunProgress, seconds: float, width: int) -> str:
    """Return the active step, agents, tokens and elapsed time in fewer columns than `width`."""
    step = progress.step
    doing = ", ".join(what if agent == step else f"{agent} {what}" for agent, what in progress.active.items())
    parts = (progress.place(), doing, counted(progress.tokens, "token"), clock(seconds))
    return clipped(visible_line(" · ".join(it for it in parts if it)), width - 1)


def ending(progress: RunProgress, seconds: float) -> str:
    """Return how a run has ended, in one line."""
    steps, tokens = counted(progress.begun_steps, "step"), counted(progress.tokens, "token")
    reason = f": {progress.failure}" if progress.failure else ""
    return visible_line(f"{progress.state} in {clock(seconds)}, {steps}, {tokens}{reason}")


def clock(seconds: float) -> str:
    """Return a time such as `0:07` or `1:02:03`."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def clipped(line: str, width: int) -> str:
    """Return a line, or as much of its beginning as fits, with an ellipsis."""
    if columns(line) <= width:
        return line
    while line and columns(line) + 1 > width:
        line = line[:-1]
    return f"{line}{_ELLIPSIS}" if width > 0 else ""
