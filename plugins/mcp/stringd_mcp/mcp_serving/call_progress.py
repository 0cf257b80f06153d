"""The progress of a call as MCP reports it: numbers that only grow, with what is printed as messages."""

from __future__ import annotations

from typing import Any

from stringd.plugin import OpenQuestion, Output, Trust

_LONGEST_MESSAGE = 2_000


class CallProgress:
    """Turns output events into progress notifications of one request."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._last = 0.0

    async def report(self, output: Output) -> None:
        """Report what was printed, or how much is done."""
        if output.text:
            await self._send(self._last + 1, None, output.text[-_LONGEST_MESSAGE:])
        elif output.done is not None and output.done > self._last:
            await self._send(float(output.done), output.total, _amount(output))

    async def report_question(self, asked: OpenQuestion) -> None:
        """Report that the call waits for an answer."""
        who = "a person" if asked.question.trust is Trust.PERSON else "anyone"
        message = f"waiting for an answer by {who} to question {asked.id}: {asked.question.title}"
        await self._send(self._last + 1, None, message)

    async def _send(self, progress: float, total: float | None, message: str) -> None:
        self._last = progress
        await self._session.report_progress(progress, total, message)


def _amount(output: Output) -> str:
    of = "" if output.total is None else f" of {output.total}"
    amount = f"{output.done}{of} {output.unit or ''}".strip()
    return f"{output.source}: {amount}" if output.source else amount
