"""Stop what a shell evaluates and keep the shell: interrupt, terminate, kill; at last end the shell too."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterable, Sequence

from stringd.plugin.processes import Process
from stringd_bash.evaluation import Evaluation, Progress
from stringd_bash.process_family import ProcessFamily, send_signal

INTERRUPTED_SECONDS = 0.7
"""How long what is interrupted may take to end before it is terminated."""
_INTERRUPTS = 7


async def stop(evaluation: Evaluation, *, may_wait: bool = False) -> Progress:
    """Stop an evaluation within two seconds, and return its state.

    With `may_wait`, a program that waits for input once it was interrupted is left as it is.
    """
    programs = _Programs(evaluation)
    if not may_wait:
        programs.interrupt_shell()
    evaluation.shell.terminal.signal(signal.SIGINT)
    progress = await programs.wait_interrupted()
    if progress is Progress.WAITING and may_wait:
        return progress
    if not await programs.have_ended(0) and not await programs.end():
        await evaluation.shell.end()
    return Progress.ENDED


class _Programs(ProcessFamily):
    """The processes in a shell's foreground, with which the evaluation ends."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._shell = evaluation.shell
        super().__init__(self._in_foreground)

    async def wait_interrupted(self) -> Progress:
        """Wait for the evaluation after an interrupt, which is repeated where only the shell runs.

        The shell ignores interrupts while it prepares the evaluation.
        """
        for _ in range(_INTERRUPTS):
            progress = await self._evaluation.wait(INTERRUPTED_SECONDS / _INTERRUPTS)
            if progress is not Progress.RUNNING:
                break
            if self._shell.terminal.foreground() == self._shell.pid:
                self.interrupt_shell()
        return progress

    def interrupt_shell(self) -> None:
        """Have the shell evaluate no more once the program that it waits for has ended."""
        if self._evaluation.is_running:
            send_signal(signal.SIGINT, [self._shell.pid])

    def signal(self, *numbers: signal.Signals) -> None:
        """Signal all of them, and interrupt the shell."""
        self.interrupt_shell()
        super().signal(*numbers)

    async def have_ended(self, seconds: float) -> bool:
        """Wait until they and the evaluation have ended, at most so long; return whether they have."""
        deadline = time.monotonic() + seconds
        await asyncio.wait({self._evaluation.result}, timeout=seconds)
        have_ended = await super().have_ended(max(deadline - time.monotonic(), 0))
        return have_ended and not self._evaluation.is_running

    def _in_foreground(self, table: Sequence[Process]) -> Iterable[Process]:
        if not self._evaluation.is_running:
            return ()
        group = self._shell.terminal.foreground()
        return [it for it in table if it.group == group and it.pid != self._shell.pid]
